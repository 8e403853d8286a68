//! The tool that asks the client: in a request of the server's own, or, in the stateless era, in its result.

use serde_json::{Value, json};

use super::reply::{INVALID_PARAMS, Refusal};
use super::work::Later;
use super::{Answer, Members, Reply};

/// The client has not declared what a request takes.
const MISSING_CAPABILITY: i64 = -32021;
/// What the server has to know when the call comes back: that it has asked.
const STATE: &str = "asked-for-a-name";
/// The one thing that is asked for.
const KEY: &str = "name";

/// The question to a client that declares this: its method and parameters.
fn question(declared: &Value) -> Option<(&'static str, Value)> {
    if declared.get("elicitation").is_some() {
        let schema = json!({
            "type": "object",
            "properties": { "name": { "type": "string" } },
            "required": ["name"],
        });
        let params = json!({ "message": "What is your name?", "requestedSchema": schema });
        return Some(("elicitation/create", params));
    }
    if declared.get("sampling").is_some() {
        let content = json!({ "type": "text", "text": "Say a name." });
        let messages = json!([{ "role": "user", "content": content }]);
        return Some(("sampling/createMessage", json!({ "messages": messages, "maxTokens": 16 })));
    }
    declared.get("roots").map(|_| ("roots/list", json!({})))
}

/// Asks in a request, where the client has declared anything to be asked for; else a result that says so.
pub(super) fn ask(declared: &Value) -> Result<Later, Members> {
    match question(declared) {
        Some((method, params)) => Ok(Later::Ask { method, params }),
        None => Err(told("the client offers nothing to ask", true)),
    }
}

/// Asks in the result, or completes when the call comes back with what was asked for.
pub(super) fn ask_in_result(declared: &Value, params: &Members) -> Answer {
    if let Some(state) = params.get("requestState").and_then(Value::as_str) {
        if state != STATE {
            return Err(Refusal::new(INVALID_PARAMS, "requestState is none of this server's"));
        }
        if let Some(given) = params.get("inputResponses").and_then(|given| given.get(KEY)) {
            return Ok(told(&format!("the client says {given}"), false));
        }
    }
    let Some((method, asked)) = question(declared) else {
        let data = json!({ "requiredCapabilities": { "elicitation": {} } });
        return Err(Refusal::new(MISSING_CAPABILITY, "there is nobody to ask").with_data(data));
    };
    let mut result = Members::new();
    result.insert("resultType".into(), json!("input_required"));
    result.insert("inputRequests".into(), json!({ KEY: { "method": method, "params": asked } }));
    result.insert("requestState".into(), json!(STATE));
    Ok(result)
}

/// The reply with the client's answer in it.
pub(super) fn answered(reply: Reply, answer: &Value) -> Reply {
    reply.with(
        "result",
        Value::Object(told(&format!("the client says {answer}"), false)).to_string(),
    )
}

/// The reply where the client has not answered.
pub(super) fn unanswered(reply: Reply) -> Reply {
    reply.with("result", Value::Object(told("the client does not say", true)).to_string())
}

fn told(text: &str, is_error: bool) -> Members {
    super::features::content(text, is_error)
}
