//! The rules of JSON-RPC 2.0 on what stands in a text.
//!
//! Judges one text by itself; whether an id is known or a method exists is the caller's business.

use std::fmt;

use serde_json::value::RawValue;

use super::envelope::{Envelope, Parsed, as_text, members, offset_in, parse_text, string};
use super::syntax::{SyntaxError, SyntaxErrorKind};
use super::{
    Batch, ErrorCode, ErrorObject, ErrorResponse, Id, Message, Notification, Request, Response,
};
use crate::policy::{Batches, Policy};

/// Why a text is no JSON-RPC message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageError {
    kind: MessageErrorKind,
    offset: usize,
    id: Option<Box<Id>>,
}

/// What keeps a text from being a JSON-RPC message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MessageErrorKind {
    /// It is not JSON.
    Syntax(SyntaxErrorKind),
    /// It is JSON, but neither object nor array.
    NotAnObject,
    /// It is an array, and the policy takes none.
    BatchNotAllowed,
    /// It is an array of nothing.
    EmptyBatch,
    /// A member stands twice.
    Duplicate(Member),
    /// A member that has to be there is not.
    Missing(Member),
    /// A member has the wrong type or value.
    Invalid(Member),
    /// `jsonrpc` is not `"2.0"`.
    WrongVersion,
    /// It has both `result` and `error`.
    ResultAndError,
    /// It has `method` and also `result` or `error`.
    CallAndAnswer,
    /// It has neither `method` nor `result` nor `error`.
    NeitherCallNorAnswer,
}

/// A member of a message or of its error object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Member {
    /// `jsonrpc`.
    JsonRpc,
    /// `id`.
    Id,
    /// `method`.
    Method,
    /// `params`.
    Params,
    /// `result`.
    Result,
    /// `error`.
    Error,
    /// `code` of the error.
    Code,
    /// `message` of the error.
    Message,
    /// `data` of the error.
    Data,
}

impl MessageError {
    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> MessageErrorKind {
        self.kind
    }

    /// At which byte of the text: where the member or value begins that is wrong, or the object
    /// that lacks one.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The id of the broken message, if it has exactly one that could be read: a server can answer
    /// to it.
    #[must_use]
    pub fn id(&self) -> Option<&Id> {
        self.id.as_deref()
    }

    /// Whether the text is not even JSON.
    #[must_use]
    pub const fn is_syntax(&self) -> bool {
        matches!(self.kind, MessageErrorKind::Syntax(_))
    }

    const fn new(kind: MessageErrorKind, offset: usize) -> Self {
        Self { kind, offset, id: None }
    }
}

impl From<SyntaxError> for MessageError {
    fn from(error: SyntaxError) -> Self {
        Self::new(MessageErrorKind::Syntax(error.kind), error.offset)
    }
}

pub(super) fn message<'a>(bytes: &'a [u8], policy: &Policy) -> Result<Message<'a>, MessageError> {
    let text = as_text(bytes)?;
    match parse_text(text)? {
        Parsed::Object(envelope) => single(&envelope, text, 0),
        Parsed::Array(elements) => batch(&elements, text, policy),
        Parsed::Scalar(raw) => {
            Err(MessageError::new(MessageErrorKind::NotAnObject, offset_in(text, raw)))
        }
    }
}

fn batch<'a>(
    elements: &[&'a RawValue],
    text: &'a str,
    policy: &Policy,
) -> Result<Message<'a>, MessageError> {
    let start = text.find('[').unwrap_or(0);
    if policy.batch == Batches::Reject {
        return Err(MessageError::new(MessageErrorKind::BatchNotAllowed, start));
    }
    if elements.is_empty() {
        return Err(MessageError::new(MessageErrorKind::EmptyBatch, start));
    }
    let entries = elements
        .iter()
        .map(|element| {
            let base = offset_in(text, element);
            match parse_text(element.get()).map_err(|error| error.moved(base))? {
                Parsed::Object(envelope) => single(&envelope, element.get(), base),
                _ => Err(MessageError::new(MessageErrorKind::NotAnObject, base)),
            }
        })
        .collect();
    Ok(Message::Batch(Batch { entries }))
}

/// Judges one object. `text` is its own text and `base` where that begins in the whole.
fn single<'a>(
    envelope: &Envelope<'a>,
    text: &'a str,
    base: usize,
) -> Result<Message<'a>, MessageError> {
    let object = Object { envelope, text, base };
    object.judge().map_err(|mut error| {
        if !envelope.duplicates.iter().any(|name| name == "id") {
            error.id = envelope.id.and_then(|raw| Id::from_raw(raw).ok()).map(Box::new);
        }
        error
    })
}

struct Object<'e, 'a> {
    envelope: &'e Envelope<'a>,
    text: &'a str,
    base: usize,
}

impl<'a> Object<'_, 'a> {
    fn judge(&self) -> Result<Message<'a>, MessageError> {
        let Envelope { jsonrpc, id, method, params, result, error, .. } = *self.envelope;
        if let (Some(at), Some(member)) = (self.envelope.repeated_at, self.repeated()) {
            return Err(MessageError::new(MessageErrorKind::Duplicate(member), self.base + at));
        }
        let jsonrpc = jsonrpc.ok_or_else(|| self.missing(Member::JsonRpc))?;
        if string(jsonrpc).as_deref() != Some("2.0") {
            return Err(self.wrong(MessageErrorKind::WrongVersion, jsonrpc));
        }
        match (method, result, error) {
            (Some(method), None, None) => self.call(method, id, params),
            (None, Some(result), None) => {
                let id = self.id(id.ok_or_else(|| self.missing(Member::Id))?)?;
                Ok(Message::Response(Response { id, result }))
            }
            (None, None, Some(error)) => {
                let id = id.map(|id| self.id(id)).transpose()?;
                let error = self.error_object(error)?;
                Ok(Message::ErrorResponse(ErrorResponse { id, error }))
            }
            (None, None, None) => Err(self.lacking(MessageErrorKind::NeitherCallNorAnswer)),
            (None, Some(_), Some(error)) => {
                Err(self.wrong(MessageErrorKind::ResultAndError, error))
            }
            (Some(method), ..) => Err(self.wrong(MessageErrorKind::CallAndAnswer, method)),
        }
    }

    fn call(
        &self,
        method: &'a RawValue,
        id: Option<&'a RawValue>,
        params: Option<&'a RawValue>,
    ) -> Result<Message<'a>, MessageError> {
        let id = id.map(|id| self.id(id)).transpose()?;
        let method = string(method).ok_or_else(|| self.invalid(Member::Method, method))?;
        if let Some(params) = params
            && !params.get().starts_with(['{', '['])
        {
            return Err(self.invalid(Member::Params, params));
        }
        Ok(match id {
            Some(id) => Message::Request(Request { id, method, params }),
            None => Message::Notification(Notification { method, params }),
        })
    }

    fn id(&self, raw: &RawValue) -> Result<Id, MessageError> {
        Id::from_raw(raw).map_err(|_| self.invalid(Member::Id, raw))
    }

    fn error_object(&self, raw: &'a RawValue) -> Result<ErrorObject<'a>, MessageError> {
        if !raw.get().starts_with('{') {
            return Err(self.invalid(Member::Error, raw));
        }
        let (mut code, mut message, mut data) = (None, None, None);
        let mut repeated = None;
        members(raw.get(), |name, key, value| {
            let (slot, member) = match &*name {
                "code" => (&mut code, Member::Code),
                "message" => (&mut message, Member::Message),
                "data" => (&mut data, Member::Data),
                _ => return,
            };
            if slot.replace(value).is_some() {
                repeated.get_or_insert((member, key));
            }
        })
        .map_err(|error| error.moved(self.at(raw)))?;
        if let Some((member, key)) = repeated {
            return Err(self.wrong(MessageErrorKind::Duplicate(member), key));
        }
        let lacking = |member| MessageError::new(MessageErrorKind::Missing(member), self.at(raw));
        let code = code.ok_or_else(|| lacking(Member::Code))?;
        let message = message.ok_or_else(|| lacking(Member::Message))?;
        Ok(ErrorObject {
            code: ErrorCode(code.get().parse().map_err(|_| self.invalid(Member::Code, code))?),
            message: string(message).ok_or_else(|| self.invalid(Member::Message, message))?,
            data,
        })
    }

    /// The first member of JSON-RPC that stands twice.
    fn repeated(&self) -> Option<Member> {
        Some(match &**self.envelope.duplicates.first()? {
            "jsonrpc" => Member::JsonRpc,
            "id" => Member::Id,
            "method" => Member::Method,
            "params" => Member::Params,
            "result" => Member::Result,
            "error" => Member::Error,
            _ => return None,
        })
    }

    fn at(&self, raw: &RawValue) -> usize {
        self.base + offset_in(self.text, raw)
    }

    fn wrong(&self, kind: MessageErrorKind, raw: &RawValue) -> MessageError {
        MessageError::new(kind, self.at(raw))
    }

    fn invalid(&self, member: Member, raw: &RawValue) -> MessageError {
        self.wrong(MessageErrorKind::Invalid(member), raw)
    }

    fn lacking(&self, kind: MessageErrorKind) -> MessageError {
        MessageError::new(kind, self.base + self.text.find('{').unwrap_or(0))
    }

    fn missing(&self, member: Member) -> MessageError {
        self.lacking(MessageErrorKind::Missing(member))
    }
}

impl Member {
    /// The name as it stands in the JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::JsonRpc => "jsonrpc",
            Self::Id => "id",
            Self::Method => "method",
            Self::Params => "params",
            Self::Result => "result",
            Self::Error => "error",
            Self::Code => "code",
            Self::Message => "message",
            Self::Data => "data",
        }
    }

    const fn rule(self) -> &'static str {
        match self {
            Self::JsonRpc => "is not \"2.0\"",
            Self::Id => "is neither string nor number nor null",
            Self::Method | Self::Message => "is not a string",
            Self::Params => "is neither object nor array",
            Self::Error => "is not an object",
            Self::Code => "is not an integer",
            Self::Result | Self::Data => "is not allowed",
        }
    }
}

impl fmt::Display for MessageErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(kind) => kind.fmt(f),
            Self::NotAnObject => f.write_str("JSON value is not an object"),
            Self::BatchNotAllowed => f.write_str("batch is not allowed"),
            Self::EmptyBatch => f.write_str("batch is empty"),
            Self::Duplicate(member) => write!(f, "`{}` stands twice", member.name()),
            Self::Missing(member) => write!(f, "`{}` is missing", member.name()),
            Self::Invalid(member) => write!(f, "`{}` {}", member.name(), member.rule()),
            Self::WrongVersion => f.write_str("`jsonrpc` is not \"2.0\""),
            Self::ResultAndError => f.write_str("both `result` and `error`"),
            Self::CallAndAnswer => f.write_str("`method` beside `result` or `error`"),
            Self::NeitherCallNorAnswer => f.write_str("neither `method` nor `result` nor `error`"),
        }
    }
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)
    }
}

impl std::error::Error for MessageError {}
