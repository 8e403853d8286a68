//! Ways of bending a reply that several faults share.

use serde_json::Value;

use crate::liar::honest::{Heard, Reply};

/// The reply to this method with its result changed; any other as it is.
pub(super) fn result(
    heard: &Heard,
    reply: Option<Reply>,
    method: &str,
    change: impl FnOnce(&mut Value),
) -> Option<Reply> {
    let reply = reply?;
    if !heard.is(method) {
        return Some(reply);
    }
    let Some(mut value) = value(&reply, "result") else { return Some(reply) };
    change(&mut value);
    Some(reply.with("result", value.to_string()))
}

/// The reply to this method as an error in place of whatever it is.
pub(super) fn refused(reply: Reply, code: i64) -> Reply {
    let error = format!(r#"{{"code":{code},"message":"refused"}}"#);
    reply.without("result").with("error", error)
}

/// The reply as a success in place of whatever it is.
pub(super) fn succeeded(reply: Reply, result: &Value) -> Reply {
    reply.without("error").with("result", result.to_string())
}

/// A member of a reply, parsed.
pub(super) fn value(reply: &Reply, member: &str) -> Option<Value> {
    serde_json::from_str(reply.get(member)?).ok()
}

/// A parameter of what was heard, where it is a string.
pub(super) fn given<'a>(heard: &'a Heard, name: &str) -> Option<&'a str> {
    heard.params.get(name)?.as_str()
}

/// Removes a member of an object.
pub(super) fn remove(value: &mut Value, member: &str) {
    if let Some(members) = value.as_object_mut() {
        members.remove(member);
    }
}
