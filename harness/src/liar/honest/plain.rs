//! A server of plain JSON-RPC 2.0: the methods of the specification's examples, and batches as it describes them.

use pipeproof_transport::message::{self, Parsed};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::reply::{INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, Refusal};
use super::{NO_ID, Reply, refuse, text};

/// The reply to a line, where there is to be one.
pub(super) fn hear(line: &[u8]) -> Option<Reply> {
    match message::parse(line) {
        Ok(Parsed::Object(envelope)) => single(&envelope),
        Ok(Parsed::Array(elements)) if !elements.is_empty() => {
            let replies: Vec<Reply> = elements.iter().filter_map(|raw| element(raw)).collect();
            (!replies.is_empty()).then(|| Reply::batch(&replies))
        }
        Ok(Parsed::Array(_) | Parsed::Scalar(_)) => {
            Some(refuse(NO_ID, INVALID_REQUEST, "no request"))
        }
        Err(error) => Some(refuse(NO_ID, PARSE_ERROR, &error.to_string())),
    }
}

/// The method of a single message, and whether it is a notification.
pub(super) fn named(line: &[u8]) -> (Option<String>, bool) {
    match message::parse(line) {
        Ok(Parsed::Object(envelope)) => {
            let method = text(envelope.method);
            let notification = method.is_some() && envelope.id.is_none();
            (method, notification)
        }
        _ => (None, false),
    }
}

fn element(raw: &RawValue) -> Option<Reply> {
    match message::parse(raw.get().as_bytes()) {
        Ok(Parsed::Object(envelope)) => single(&envelope),
        _ => Some(refuse(NO_ID, INVALID_REQUEST, "no request")),
    }
}

fn single(envelope: &message::Envelope<'_>) -> Option<Reply> {
    let is_answer = envelope.result.is_some() || envelope.error.is_some();
    if envelope.method.is_none() && is_answer {
        return None;
    }
    let readable = |raw: &&RawValue| {
        let first = raw.get().as_bytes().first();
        first.is_some_and(|byte| matches!(byte, b'"' | b'-' | b'0'..=b'9' | b'n'))
    };
    let id = envelope.id.filter(readable).map_or(NO_ID, RawValue::get);
    let params: Value = match envelope.params.map(|raw| serde_json::from_str(raw.get())) {
        None => Value::Null,
        Some(Ok(params @ (Value::Array(_) | Value::Object(_)))) => params,
        Some(_) => return Some(refuse(id, INVALID_REQUEST, "params is no array and no object")),
    };
    let (Some("2.0"), Some(method)) = (text(envelope.jsonrpc).as_deref(), text(envelope.method))
    else {
        return Some(refuse(id, INVALID_REQUEST, "no request"));
    };
    // Without an id nothing is answered, whatever comes of it.
    envelope.id?;
    Some(match call(&method, &params) {
        Ok(result) => Reply::result(id, &result),
        Err(refusal) => Reply::error(id, &refusal),
    })
}

fn call(method: &str, params: &Value) -> Result<Value, Refusal> {
    let number = |place: usize, name: &str| {
        let given = params.get(place).or_else(|| params.get(name)).and_then(Value::as_i64);
        given.ok_or_else(|| Refusal::new(INVALID_PARAMS, format!("{name} is no integer")))
    };
    match method {
        "subtract" => {
            let difference = number(0, "minuend")?.checked_sub(number(1, "subtrahend")?);
            difference
                .map(|difference| json!(difference))
                .ok_or_else(|| Refusal::new(INVALID_PARAMS, "the difference is too large"))
        }
        "sum" => {
            let mut numbers = params.as_array().into_iter().flatten().map(Value::as_i64);
            let sum = numbers.try_fold(0i64, |sum, number| sum.checked_add(number?));
            sum.map(|sum| json!(sum))
                .ok_or_else(|| Refusal::new(INVALID_PARAMS, "params are no integers"))
        }
        "get_data" => Ok(json!(["hello", 5])),
        "update" | "notify_hello" | "notify_sum" => Ok(Value::Null),
        _ => Err(Refusal::new(METHOD_NOT_FOUND, format!("method not found: {method}"))),
    }
}
