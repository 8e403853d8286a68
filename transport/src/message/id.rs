//! Ids, exactly as they stand.
//!
//! An id is compared, ordered and written digit for digit. Nothing here makes new ids or keeps a
//! table of them.

use std::fmt;

use serde_json::value::RawValue;

use super::envelope::string;

/// The id of a request.
///
/// `1`, `"1"` and `1.0` are three different ids, and a number of any size is kept digit for digit.
/// Strings are compared unescaped. The order is total and of no meaning.
///
/// Deviation from JSON-RPC 2.0: `null` and numbers with a fraction are ids, though discouraged.
///
/// # Example
///
/// ```
/// use pipeproof_transport::message::Id;
///
/// assert_ne!(Id::from(1), Id::from("1"));
/// assert_eq!(Id::from("a\"b").to_json(), r#""a\"b""#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id {
    /// `null`.
    Null,
    /// A number.
    Number(Number),
    /// A string, unescaped.
    String(String),
}

/// A JSON number by its text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number(Digits);

/// `Small` exactly where its decimal form is the text, so that equality is that of the texts.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Digits {
    Small(i64),
    Text(Box<str>),
}

/// Why a JSON value is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IdError {
    /// It is a boolean, an array or an object.
    Type,
    /// It is a string with a lone surrogate, which no text can hold.
    LoneSurrogate,
}

impl Id {
    /// The id that a raw JSON value is.
    ///
    /// # Errors
    ///
    /// A boolean, array or object is no id, nor is a string with a lone surrogate.
    pub fn from_raw(raw: &RawValue) -> Result<Self, IdError> {
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'n') => Ok(Self::Null),
            Some(b'"') => string(raw)
                .map(|text| Self::String(text.into_owned()))
                .ok_or(IdError::LoneSurrogate),
            Some(b'-' | b'0'..=b'9') => Ok(Self::Number(Number::from_text(text))),
            _ => Err(IdError::Type),
        }
    }

    /// The id as JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.to_string()
    }
}

impl Number {
    fn from_text(text: &str) -> Self {
        match text.parse::<i64>() {
            // `-0` parses to 0 and is another text; JSON allows no plus sign and no leading zero.
            Ok(small) if text != "-0" => Self(Digits::Small(small)),
            _ => Self(Digits::Text(text.into())),
        }
    }

    /// Whether it is written without fraction and exponent.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Digits::Small(_) => true,
            Digits::Text(text) => !text.contains(['.', 'e', 'E']),
        }
    }

    /// Its value, if it is written as an integer in this range.
    #[must_use]
    pub const fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            Digits::Small(small) => Some(*small),
            Digits::Text(_) => None,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Digits::Small(small) => write!(f, "{small}"),
            Digits::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

/// The id as JSON text.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Number(number) => write!(f, "{number}"),
            Self::String(text) => f.write_str(&super::write::quoted(text)),
        }
    }
}

impl From<i64> for Number {
    fn from(number: i64) -> Self {
        Self(Digits::Small(number))
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        match i64::try_from(number) {
            Ok(small) => Self(Digits::Small(small)),
            Err(_) => Self(Digits::Text(number.to_string().into())),
        }
    }
}

impl From<i64> for Id {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<i32> for Id {
    fn from(number: i32) -> Self {
        i64::from(number).into()
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Type => "id is neither string nor number nor null",
            Self::LoneSurrogate => "id holds a lone surrogate",
        })
    }
}

impl std::error::Error for IdError {}
