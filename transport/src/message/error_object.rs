//! The `error` member of an error response.

use std::borrow::Cow;
use std::fmt;

use serde_json::value::RawValue;

/// What went wrong with a request.
#[derive(Clone, Debug)]
pub struct ErrorObject<'a> {
    /// What kind of error it is.
    pub code: ErrorCode,
    /// One short sentence, unescaped.
    pub message: Cow<'a, str>,
    /// Any JSON value with more, if there.
    pub data: Option<&'a RawValue>,
}

/// The code of an error.
///
/// # Example
///
/// ```
/// use pipeproof_transport::message::ErrorCode;
///
/// assert!(ErrorCode(-32050).is_server_error());
/// assert_eq!(ErrorCode::METHOD_NOT_FOUND.to_string(), "-32601 (method not found)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// The text was no JSON.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// The JSON was no request.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// There is no such method.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// The method does not take these parameters.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// The peer failed inside.
    pub const INTERNAL_ERROR: Self = Self(-32603);

    /// Whether JSON-RPC leaves the code to implementations of servers: -32099 to -32000.
    #[must_use]
    pub const fn is_server_error(self) -> bool {
        -32099 <= self.0 && self.0 <= -32000
    }

    /// Whether JSON-RPC reserves the code: -32768 to -32000.
    #[must_use]
    pub const fn is_reserved(self) -> bool {
        -32768 <= self.0 && self.0 <= -32000
    }

    const fn name(self) -> Option<&'static str> {
        match self {
            Self::PARSE_ERROR => Some("parse error"),
            Self::INVALID_REQUEST => Some("invalid request"),
            Self::METHOD_NOT_FOUND => Some("method not found"),
            Self::INVALID_PARAMS => Some("invalid params"),
            Self::INTERNAL_ERROR => Some("internal error"),
            _ if self.is_server_error() => Some("server error"),
            _ => None,
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{} ({name})", self.0),
            None => write!(f, "{}", self.0),
        }
    }
}

impl From<i64> for ErrorCode {
    fn from(code: i64) -> Self {
        Self(code)
    }
}
