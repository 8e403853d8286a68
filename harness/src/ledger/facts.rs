//! What stands in a JSON-RPC message, before any judgement of it.

use pipeproof_transport::message::{Envelope, Id};
use serde_json::value::RawValue;

/// The members of a message as facts.
#[derive(Clone, Debug)]
pub struct Facts {
    /// What it is, by the members that it has.
    pub shape: Shape,
    /// The member `jsonrpc` as it stands; absent: `None`.
    pub version: Option<String>,
    /// The member `id`.
    pub id: IdFacts,
    /// The member `method`, where it is a string.
    pub method: Option<String>,
    /// The member `params` as it stands.
    pub params: Option<String>,
    /// The member `result` as it stands.
    pub result: Option<String>,
    /// The member `error`.
    pub error: Option<ErrorFacts>,
    /// Names of members that stand twice.
    pub duplicates: Vec<String>,
}

/// What a message is, by the members that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `method` and `id`.
    Request,
    /// `method` without `id`.
    Notification,
    /// `result`.
    Response,
    /// `error`.
    Error,
    /// `result` and `error` at once.
    Both,
    /// None of these.
    Neither,
}

/// The member `id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdFacts {
    /// It is not there.
    Absent,
    /// It is `null`.
    Null,
    /// It is a string or a number.
    Valid(Id),
    /// It is something else, as it stands.
    Odd(String),
}

impl IdFacts {
    /// The id, where it is a string or a number.
    #[must_use]
    pub fn valid(&self) -> Option<&Id> {
        match self {
            Self::Valid(id) => Some(id),
            _ => None,
        }
    }
}

/// The member `error`.
#[derive(Clone, Debug)]
pub struct ErrorFacts {
    /// The member as it stands.
    pub raw: String,
    /// Its code.
    pub code: Code,
    /// Its message, where it is a string.
    pub message: Option<String>,
}

/// The code of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// There is none, or `error` is no object.
    Absent,
    /// An integer.
    Integer(i64),
    /// Something else, as it stands.
    Odd(String),
}

impl Facts {
    /// Reads the facts out of the members of an object.
    pub(super) fn read(envelope: &Envelope<'_>) -> Self {
        let shape = match (envelope.method, envelope.id, envelope.result, envelope.error) {
            (Some(_), Some(_), _, _) => Shape::Request,
            (Some(_), None, _, _) => Shape::Notification,
            (None, _, Some(_), Some(_)) => Shape::Both,
            (None, _, Some(_), None) => Shape::Response,
            (None, _, None, Some(_)) => Shape::Error,
            (None, _, None, None) => Shape::Neither,
        };
        Self {
            shape,
            version: envelope.jsonrpc.map(text),
            id: envelope.id.map_or(IdFacts::Absent, id),
            method: envelope.method.and_then(|raw| serde_json::from_str(raw.get()).ok()),
            params: envelope.params.map(text),
            result: envelope.result.map(text),
            error: envelope.error.map(error),
            duplicates: envelope.duplicates.iter().map(|name| name.to_string()).collect(),
        }
    }

    /// Facts of something in a batch that is no object.
    pub(super) fn of_no_object() -> Self {
        Self {
            shape: Shape::Neither,
            version: None,
            id: IdFacts::Absent,
            method: None,
            params: None,
            result: None,
            error: None,
            duplicates: Vec::new(),
        }
    }

    /// Whether it is an answer of any shape.
    #[must_use]
    pub fn is_answer(&self) -> bool {
        matches!(self.shape, Shape::Response | Shape::Error | Shape::Both)
    }

    /// The result, parsed.
    #[must_use]
    pub fn result_value(&self) -> Option<serde_json::Value> {
        self.result.as_deref().and_then(|raw| serde_json::from_str(raw).ok())
    }

    /// The code of the error, where it is an integer.
    #[must_use]
    pub fn error_code(&self) -> Option<i64> {
        match self.error.as_ref()?.code {
            Code::Integer(code) => Some(code),
            _ => None,
        }
    }
}

fn text(raw: &RawValue) -> String {
    raw.get().to_string()
}

fn id(raw: &RawValue) -> IdFacts {
    match Id::from_raw(raw) {
        Ok(Id::Null) => IdFacts::Null,
        Ok(id) => IdFacts::Valid(id),
        Err(_) => IdFacts::Odd(text(raw)),
    }
}

fn error(raw: &RawValue) -> ErrorFacts {
    let members: Option<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(raw.get()).ok();
    let code = match members.as_ref().and_then(|members| members.get("code")) {
        None => Code::Absent,
        Some(value) => value.as_i64().map_or_else(|| Code::Odd(value.to_string()), Code::Integer),
    };
    let message = members.as_ref().and_then(|members| members.get("message"));
    ErrorFacts {
        raw: text(raw),
        code,
        message: message.and_then(|value| value.as_str()).map(str::to_string),
    }
}
