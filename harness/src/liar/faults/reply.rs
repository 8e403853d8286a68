//! Faults in the members of a reply.

use serde_json::Value;

use super::{
    BOTH, DISCOVER, ERROR_CODE, ERROR_SHAPE, EVERY, FaultInfo, ID, INITIALIZE, LEGACY, MODERN,
    OBJECT, UNREAD_ID, VERSION, XOR,
};
use crate::liar::fault::Lie;
use crate::liar::honest::{Heard, Reply};

pub(super) fn faults() -> Vec<FaultInfo> {
    [envelopes(), errors(), ids(), openings()].concat()
}

/// What stands around a result.
fn envelopes() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "jsonrpc-missing",
            about: "leaves the member jsonrpc out",
            eras: EVERY,
            caught_by: &[VERSION],
            at: None,
            lie: Lie::Reply(|_, _, reply| Some(reply?.without("jsonrpc"))),
        },
        FaultInfo {
            name: "jsonrpc-1",
            about: "says jsonrpc 1.0",
            eras: EVERY,
            caught_by: &[VERSION],
            at: None,
            lie: Lie::Reply(|_, _, reply| Some(reply?.with("jsonrpc", r#""1.0""#))),
        },
        FaultInfo {
            name: "jsonrpc-number",
            about: "says jsonrpc 2.0 as a number",
            eras: BOTH,
            caught_by: &[VERSION],
            at: None,
            lie: Lie::Reply(|_, _, reply| Some(reply?.with("jsonrpc", "2.0"))),
        },
        FaultInfo {
            name: "result-and-error",
            about: "puts an error beside each result",
            eras: EVERY,
            caught_by: &[XOR, "jsonrpc.examples.calls"],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                Some(edit(reply?, "result", |reply, _| {
                    reply.with("error", r#"{"code":0,"message":"ok"}"#)
                }))
            }),
        },
        FaultInfo {
            name: "null-error",
            about: "puts an error that is null beside each result",
            eras: EVERY,
            caught_by: &[XOR, "jsonrpc.examples.calls"],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                Some(edit(reply?, "result", |reply, _| reply.with("error", "null")))
            }),
        },
        FaultInfo {
            name: "empty-result-omitted",
            about: "leaves a result out that has no members",
            eras: LEGACY,
            caught_by: &[XOR],
            at: None,
            lie: Lie::Reply(|_, _, reply| Some(without_empty_result(reply?, Reply::without))),
        },
        FaultInfo {
            name: "empty-result-as-list",
            about: "writes a result that has no members as an empty list",
            eras: LEGACY,
            caught_by: &[OBJECT],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                Some(without_empty_result(reply?, |reply, name| reply.with(name, "[]")))
            }),
        },
        FaultInfo {
            name: "list-as-result",
            about: "answers tools/list with the list itself",
            eras: BOTH,
            caught_by: &[OBJECT],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                if !heard.is("tools/list") {
                    return Some(reply);
                }
                Some(edit(reply, "result", |reply, result| {
                    reply.with("result", result["tools"].to_string())
                }))
            }),
        },
    ]
}

/// What stands in an error.
fn errors() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "error-code-text",
            about: "gives an error a name for its code",
            eras: EVERY,
            // What is refused in this way is not refused with -32601 either.
            caught_by: &[ERROR_CODE, "jsonrpc.examples.errors", "jsonrpc.examples.batches"],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                Some(edit(reply?, "error", |reply, mut error| {
                    error["code"] = "E_REFUSED".into();
                    reply.with("error", error.to_string())
                }))
            }),
        },
        FaultInfo {
            name: "parse-error-code-text",
            about: "gives the error for a line that is no JSON a name for its code",
            eras: BOTH,
            caught_by: &[ERROR_CODE],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                Some(edit(reply?, "error", |reply, mut error| {
                    if error["code"] == -32700 {
                        error["code"] = "E_PARSE".into();
                    }
                    reply.with("error", error.to_string())
                }))
            }),
        },
        FaultInfo {
            name: "error-without-message",
            about: "gives an error no message",
            eras: EVERY,
            caught_by: &[ERROR_SHAPE],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                Some(edit(reply?, "error", |reply, error| {
                    reply.with("error", lacking(error, "message"))
                }))
            }),
        },
        FaultInfo {
            name: "error-as-text",
            about: "writes a text in place of an error",
            eras: BOTH,
            // What is refused in this way is not refused with -32601 either.
            caught_by: &[ERROR_SHAPE],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                Some(edit(reply?, "error", |reply, _| reply.with("error", r#""refused""#)))
            }),
        },
    ]
}

/// Ids that are not those of the request.
fn ids() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "id-as-string",
            about: "makes a string of an id that is a number",
            eras: EVERY,
            caught_by: &[ID, "jsonrpc.examples.calls"],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                let reply = reply?;
                let quoted = is_integer(reply.id()).then(|| format!("\"{}\"", reply.id()));
                Some(with_id(reply, quoted))
            }),
        },
        FaultInfo {
            name: "id-as-number",
            about: "makes a number of an id that is a string of digits",
            eras: BOTH,
            caught_by: &[ID],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                let reply = reply?;
                let text = reply.id().strip_prefix('"').and_then(|id| id.strip_suffix('"'));
                let bare = text.filter(|text| is_integer(text)).map(str::to_string);
                Some(with_id(reply, bare))
            }),
        },
        FaultInfo {
            name: "id-as-float",
            about: "writes an id that is a number with a fraction",
            eras: BOTH,
            caught_by: &[ID],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                let reply = reply?;
                let float = is_integer(reply.id()).then(|| format!("{}.0", reply.id()));
                Some(with_id(reply, float))
            }),
        },
        FaultInfo {
            name: "id-null",
            about: "replies with the id null",
            eras: EVERY,
            caught_by: &[
                "mcp.cancel.no-response",
                "mcp.cancel.no-more-messages",
                ID,
                "mcp.life.init-missing-params",
                "jsonrpc.examples.calls",
                "jsonrpc.examples.errors",
            ],
            at: None,
            lie: Lie::Reply(|_, _, reply| Some(reply?.with("id", "null"))),
        },
        FaultInfo {
            name: "id-dropped",
            about: "leaves the id out",
            eras: BOTH,
            caught_by: &[
                "mcp.cancel.no-response",
                "mcp.cancel.no-more-messages",
                ID,
                "mcp.life.init-missing-params",
            ],
            at: None,
            lie: Lie::Reply(|_, _, reply| Some(reply?.without("id"))),
        },
        FaultInfo {
            name: "id-counted",
            about: "numbers its replies, whatever ids it was asked with",
            eras: MODERN,
            caught_by: &["mcp.cancel.no-response", "mcp.cancel.no-more-messages", ID, UNREAD_ID],
            at: None,
            lie: Lie::Reply(|memory, _, reply| {
                memory.count += 1;
                Some(with_id(reply?, Some((1_000_000 + memory.count).to_string())))
            }),
        },
    ]
}

/// Opening requests that are answered with less than they have to be.
fn openings() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "initialize-refused",
            about: "answers initialize with an error",
            eras: LEGACY,
            caught_by: &[INITIALIZE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                if !heard.is("initialize") {
                    return Some(reply);
                }
                let error = r#"{"code":-32603,"message":"internal error"}"#;
                Some(reply.without("result").with("error", error))
            }),
        },
        FaultInfo {
            name: "initialize-without-server-info",
            about: "leaves serverInfo out of the answer to initialize",
            eras: LEGACY,
            caught_by: &[INITIALIZE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                Some(without_member(heard, reply?, "initialize", "serverInfo"))
            }),
        },
        FaultInfo {
            name: "initialize-without-version",
            about: "leaves protocolVersion out of the answer to initialize",
            eras: LEGACY,
            caught_by: &[INITIALIZE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                Some(without_member(heard, reply?, "initialize", "protocolVersion"))
            }),
        },
        FaultInfo {
            name: "discover-without-versions",
            about: "leaves supportedVersions out of the answer to server/discover",
            eras: MODERN,
            caught_by: &[DISCOVER],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                Some(without_member(heard, reply?, "server/discover", "supportedVersions"))
            }),
        },
        FaultInfo {
            name: "discover-without-capabilities",
            about: "leaves capabilities out of the answer to server/discover",
            eras: MODERN,
            caught_by: &[DISCOVER],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                Some(without_member(heard, reply?, "server/discover", "capabilities"))
            }),
        },
    ]
}

/// The reply as `change` makes it of the reply and one of its members; as it is where it has no such member.
fn edit(reply: Reply, member: &str, change: impl FnOnce(Reply, Value) -> Reply) -> Reply {
    match reply.get(member).and_then(|raw| serde_json::from_str(raw).ok()) {
        Some(value) => change(reply, value),
        None => reply,
    }
}

fn without_empty_result(reply: Reply, change: impl FnOnce(Reply, &'static str) -> Reply) -> Reply {
    if reply.get("result") == Some("{}") { change(reply, "result") } else { reply }
}

/// The reply to this method, with a member of its result less.
fn without_member(heard: &Heard, reply: Reply, method: &str, member: &str) -> Reply {
    if !heard.is(method) {
        return reply;
    }
    edit(reply, "result", |reply, result| reply.with("result", lacking(result, member)))
}

/// An object as JSON with a member less.
fn lacking(mut object: Value, member: &str) -> String {
    if let Some(members) = object.as_object_mut() {
        members.remove(member);
    }
    object.to_string()
}

fn with_id(reply: Reply, id: Option<String>) -> Reply {
    match id {
        Some(id) => reply.with("id", id),
        None => reply,
    }
}

/// Whether a text is an integer as JSON writes it.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
