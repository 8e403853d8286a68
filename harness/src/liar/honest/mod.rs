//! A small MCP server of both eras that keeps the specification: bytes of a line in, messages out.
//!
//! It reads no pipe and writes none. What it offers (tools, a prompt, resources) stands in [`features`], what is
//! particular to an era in [`legacy`] and [`modern`]; here it is decided what a line is.

mod asking;
mod features;
mod legacy;
mod modern;
mod plain;
mod reply;
mod work;

pub(super) use reply::Reply;

use std::time::Instant;

use pipeproof_transport::message::{self, Envelope, Id, Parsed};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::EraChoice;
use features::Features;
use reply::{INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, Refusal};
use work::Work;

/// The members of an object.
type Members = Map<String, Value>;

/// The result of a request, or why it is refused.
type Answer = Result<Members, Refusal>;

/// The id of a reply to what has none that can be read.
const NO_ID: &str = "null";

/// What a line was taken for.
#[derive(Debug)]
pub(super) struct Heard {
    /// The method, of a single request or notification.
    pub(super) method: Option<String>,
    /// Whether it is a notification, and so must not be answered.
    pub(super) notification: bool,
    /// Its parameters, where they are an object.
    pub(super) params: Members,
    /// What is written before the reply.
    pub(super) before: Vec<Reply>,
    /// The reply, where there is to be one now.
    pub(super) reply: Option<Reply>,
}

/// The server: the eras that it serves, the revision that was agreed upon, what it offers, and what it works on.
#[derive(Debug)]
pub(super) struct Server {
    era: EraChoice,
    agreed: Option<&'static str>,
    features: Features,
    work: Work,
}

impl Server {
    pub(super) fn new(era: EraChoice) -> Self {
        Self { era, agreed: None, features: Features::default(), work: Work::default() }
    }

    /// When there is something to be written again, if there is.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.work.next_due()
    }

    /// What is to be written by now.
    pub(super) fn due(&mut self, now: Instant) -> Vec<Reply> {
        self.work.due(now)
    }

    /// What is to be written when the input has ended.
    pub(super) fn end(&mut self) -> Vec<Reply> {
        self.work.end()
    }

    /// Takes in a line, whatever its bytes are.
    pub(super) fn hear(&mut self, line: &[u8]) -> Heard {
        if self.era == EraChoice::Plain {
            let reply = plain::hear(line);
            let (method, notification) = plain::named(line);
            return Heard { method, notification, ..Heard::noise(reply) };
        }
        match message::parse(line) {
            Ok(Parsed::Object(envelope)) => self.single(&envelope),
            Ok(Parsed::Array(elements)) => Heard::noise(self.batch(&elements)),
            Ok(Parsed::Scalar(_)) => {
                Heard::noise(Some(refuse(NO_ID, INVALID_REQUEST, "not an object")))
            }
            Err(error) => Heard::noise(Some(refuse(NO_ID, PARSE_ERROR, &error.to_string()))),
        }
    }

    /// What becomes of a line that is too long to be kept.
    pub(super) fn too_long() -> Heard {
        Heard::noise(Some(refuse(NO_ID, INVALID_REQUEST, "line too long")))
    }

    /// Batches stand in one revision only.
    fn batch(&mut self, elements: &[&RawValue]) -> Option<Reply> {
        if self.agreed != Some("2025-03-26") {
            return Some(refuse(NO_ID, INVALID_REQUEST, "no batches in this revision"));
        }
        if elements.is_empty() {
            return Some(refuse(NO_ID, INVALID_REQUEST, "an empty batch"));
        }
        let mut replies = Vec::new();
        for element in elements {
            replies.extend(match message::parse(element.get().as_bytes()) {
                Ok(Parsed::Object(envelope)) => match self.single(&envelope) {
                    Heard { method: Some(method), reply: Some(reply), .. }
                        if method == "initialize" =>
                    {
                        Some(refuse(reply.id(), INVALID_REQUEST, "initialize stands alone"))
                    }
                    heard => heard.reply,
                },
                _ => Some(refuse(NO_ID, INVALID_REQUEST, "not an object")),
            });
        }
        (!replies.is_empty()).then(|| Reply::batch(&replies))
    }

    /// A request, a notification, an answer to a request that was never sent, or an attempt at one of them.
    fn single(&mut self, envelope: &Envelope<'_>) -> Heard {
        let is_answer = envelope.result.is_some() || envelope.error.is_some();
        if envelope.method.is_none() && is_answer {
            return Heard::noise(self.work.answered(envelope));
        }
        let id = envelope.id.map(usable);
        let to = id.flatten().unwrap_or(NO_ID);
        let invalid = |problem| Heard::noise(Some(refuse(to, INVALID_REQUEST, problem)));
        if text(envelope.jsonrpc).as_deref() != Some("2.0") {
            return invalid("jsonrpc is not \"2.0\"");
        }
        let Some(method) = text(envelope.method) else { return invalid("method is not a string") };
        let params = envelope.params.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let params: Members = params.unwrap_or_default();
        let mut before = Vec::new();
        let reply = match id {
            None => {
                if method == "notifications/cancelled" {
                    self.work.cancel(params.get("requestId"));
                }
                None
            }
            Some(None) => return invalid("id is neither a string nor an integer"),
            Some(Some(id)) => {
                let answer = self.answer(&method, envelope.params);
                let reply = match answer {
                    Ok(result) => Reply::result(id, &Value::Object(result)),
                    Err(refusal) => Reply::error(id, &refusal),
                };
                before = self.features.before.drain(..).collect();
                match self.features.later.take() {
                    Some(later) => {
                        before.extend(self.work.begin(later, id, reply));
                        None
                    }
                    None => Some(reply),
                }
            }
        };
        Heard { method: Some(method), notification: id.is_none(), params, before, reply }
    }

    /// Answers a request in the era that it is written in.
    fn answer(&mut self, method: &str, params: Option<&RawValue>) -> Answer {
        let params = match params.map(|raw| serde_json::from_str::<Value>(raw.get())) {
            None => Ok(Members::new()),
            Some(Ok(Value::Object(members))) => Ok(members),
            Some(_) => {
                Err(Refusal::new(INVALID_PARAMS, "params is not an object, or nested too deep"))
            }
        };
        let is_modern = match self.era {
            EraChoice::Legacy | EraChoice::Plain => false,
            EraChoice::Modern => true,
            EraChoice::Dual => params.as_ref().is_ok_and(modern::is_meant),
        };
        if is_modern {
            modern::answer(&mut self.features, method, params)
        } else {
            legacy::answer(&mut self.features, &mut self.agreed, method, params)
        }
    }
}

impl Heard {
    /// Whether it is a single message of this method.
    pub(super) fn is(&self, method: &str) -> bool {
        self.method.as_deref() == Some(method)
    }

    /// Something that was heard long ago.
    pub(super) fn late() -> Self {
        Self::noise(None)
    }

    /// Something that is neither a request nor a notification.
    fn noise(reply: Option<Reply>) -> Self {
        Self {
            method: None,
            notification: false,
            params: Members::new(),
            before: Vec::new(),
            reply,
        }
    }
}

fn refuse(id: &str, code: i64, message: &str) -> Reply {
    Reply::error(id, &Refusal::new(code, message))
}

fn not_found(method: &str) -> Refusal {
    Refusal::new(METHOD_NOT_FOUND, format!("method not found: {method}"))
}

/// The id as it stands, if it is one that MCP allows: a string or an integer of any size.
fn usable(id: &RawValue) -> Option<&str> {
    let is_usable = match Id::from_raw(id) {
        Ok(Id::String(_)) => true,
        Ok(Id::Number(number)) => number.is_integer(),
        Ok(Id::Null) | Err(_) => false,
    };
    is_usable.then_some(id.get())
}

/// The text of a member that is a string.
fn text(member: Option<&RawValue>) -> Option<String> {
    serde_json::from_str(member?.get()).ok()
}

/// How the server names itself.
fn server_info() -> Value {
    json!({ "name": "pipeproof-liar", "version": env!("CARGO_PKG_VERSION") })
}

#[cfg(test)]
mod tests;
