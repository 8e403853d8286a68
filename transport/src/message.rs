//! JSON-RPC 2.0 messages out of one JSON text and back.
//!
//! [`parse`] says what stands in a text, before any judgement; [`Message::parse`] judges it by
//! JSON-RPC 2.0. Both read the text once and keep `params`, `result` and `data` as raw JSON that
//! borrows from it. Nothing here knows a method, a schema or a line.

mod envelope;
mod error_object;
mod id;
mod judge;
mod syntax;
mod write;

use std::borrow::Cow;

use serde_json::value::RawValue;

pub use envelope::{Envelope, Parsed, parse};
pub use error_object::{ErrorCode, ErrorObject};
pub use id::{Id, IdError, Number};
pub use judge::{Member, MessageError, MessageErrorKind};
pub use syntax::{SyntaxError, SyntaxErrorKind};

use crate::policy::Policy;

/// One JSON-RPC message.
///
/// Deviations from JSON-RPC 2.0, all on the lenient side:
///
/// - Members that it does not name are passed over ([`Envelope::unknown`] lists them).
/// - An error response may lack its `id`, as MCP allows since 2025-11-25.
/// - A `null` id is an id everywhere, not only in error responses.
///
/// # Example
///
/// ```
/// use pipeproof_transport::{Policy, message::{Id, Message}};
///
/// let text = br#"{"jsonrpc":"2.0","id":9007199254740993,"result":{"ok":true}}"#;
/// let Message::Response(response) = Message::parse(text, &Policy::default())? else {
///     panic!("a response")
/// };
/// assert_eq!(response.id, Id::from(9_007_199_254_740_993_u64));
/// assert_eq!(response.result.get(), r#"{"ok":true}"#);
/// # Ok::<(), pipeproof_transport::message::MessageError>(())
/// ```
#[derive(Clone, Debug)]
pub enum Message<'a> {
    /// A call that wants an answer.
    Request(Request<'a>),
    /// A call that wants none.
    Notification(Notification<'a>),
    /// An answer with a result.
    Response(Response<'a>),
    /// An answer with an error.
    ErrorResponse(ErrorResponse<'a>),
    /// Several messages in one array.
    Batch(Batch<'a>),
}

impl<'a> Message<'a> {
    /// Reads one message out of one JSON text.
    ///
    /// Of `policy` only `batch` matters here: trimming and repair are the decoder's.
    ///
    /// # Errors
    ///
    /// Says what is wrong and at which byte, and carries the id if there is one to answer to.
    pub fn parse(bytes: &'a [u8], policy: &Policy) -> Result<Self, MessageError> {
        judge::message(bytes, policy)
    }

    /// The id that this message carries, if it is a single message with one.
    #[must_use]
    pub const fn id(&self) -> Option<&Id> {
        match self {
            Self::Request(request) => Some(&request.id),
            Self::Response(response) => Some(&response.id),
            Self::ErrorResponse(response) => response.id.as_ref(),
            Self::Notification(_) | Self::Batch(_) => None,
        }
    }

    /// The method that this message names, if it is a single call.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        match self {
            Self::Request(request) => Some(&request.method),
            Self::Notification(notification) => Some(&notification.method),
            Self::Response(_) | Self::ErrorResponse(_) | Self::Batch(_) => None,
        }
    }
}

/// A call that wants an answer.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// What the answer has to repeat.
    pub id: Id,
    /// The method, unescaped.
    pub method: Cow<'a, str>,
    /// An object or array, if there.
    pub params: Option<&'a RawValue>,
}

/// A call that wants no answer.
#[derive(Clone, Debug)]
pub struct Notification<'a> {
    /// The method, unescaped.
    pub method: Cow<'a, str>,
    /// An object or array, if there.
    pub params: Option<&'a RawValue>,
}

/// An answer with a result.
#[derive(Clone, Debug)]
pub struct Response<'a> {
    /// The id of the request.
    pub id: Id,
    /// Any JSON value.
    pub result: &'a RawValue,
}

/// An answer with an error.
#[derive(Clone, Debug)]
pub struct ErrorResponse<'a> {
    /// The id of the request; `Some(Id::Null)` or `None` if the peer could not tell it.
    pub id: Option<Id>,
    /// What went wrong.
    pub error: ErrorObject<'a>,
}

/// Several messages in one array.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    /// At least one entry. A bad entry spoils no other; offsets count from the start of the array's
    /// text.
    pub entries: Vec<Result<Message<'a>, MessageError>>,
}
