//! Faults in what is asked of the client, declared, logged and announced.

use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::{BOTH, FaultInfo, LEGACY, MESSAGE_SHAPE, MODERN, UNDECLARED, bend};
use crate::liar::fault::{Lie, Memory};
use crate::liar::honest::Reply;

const ONLY: &str = "mcp.life.only-negotiated-caps";
const ONLY_OLD: &str = "mcp.life.only-negotiated-caps-old";
const EARLY: &str = "mcp.life.no-early-server-requests";
const ASKS: &str = "mcp.stdio.no-server-requests";
const LOG: &str = "mcp.log.capability";
const UNASKED: &str = "mcp.log.per-request";
const ACK: &str = "mcp.sub.ack-first";

const REQUESTED: &str = "mcp.sub.only-requested";

/// The member of `_meta` that says which listening a message is for.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
/// How long a process stays that does not end with its input.
const STAY: Duration = Duration::from_secs(120);

pub(super) fn faults() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "logs-below-the-level",
            about: "logs at every level, whatever a call asks for",
            eras: MODERN,
            caught_by: &["mcp.log.level-kept"],
            at: None,
            lie: Lie::Messages(|_, heard, messages| {
                let meta = heard.params.get("_meta");
                let asked = meta.and_then(|meta| meta.get("io.modelcontextprotocol/logLevel"));
                let log = json!({ "level": "debug", "data": "called" });
                let log = (heard.is("tools/call") && asked.is_some())
                    .then(|| Reply::notification("notifications/message", &log));
                log.into_iter().chain(messages).collect()
            }),
        },
        FaultInfo {
            name: "listen-acknowledges-more",
            about: "acknowledges a listening for more than was asked for",
            eras: MODERN,
            caught_by: &[REQUESTED],
            at: None,
            lie: Lie::Emit(|_, message| {
                let mut params = bend::value(&message, "params").unwrap_or_default();
                if acknowledges(&message) {
                    params["notifications"]["promptsListChanged"] = json!(true);
                    return vec![message.with("params", params.to_string())];
                }
                vec![message]
            }),
        },
        FaultInfo {
            name: "listen-tells-of-others",
            about: "tells a listening of changes that it did not ask for",
            eras: MODERN,
            caught_by: &[REQUESTED],
            at: None,
            lie: Lie::Emit(|_, message| {
                let params = bend::value(&message, "params").unwrap_or_default();
                let other = acknowledges(&message).then(|| {
                    let params = json!({ "_meta": params["_meta"] });
                    Reply::notification("notifications/prompts/list_changed", &params)
                });
                [message].into_iter().chain(other).collect()
            }),
        },
        FaultInfo {
            name: "listen-closed-without-name",
            about: "closes a listening with a result that does not name it",
            eras: MODERN,
            caught_by: &["mcp.sub.graceful-end"],
            at: None,
            lie: Lie::Emit(|_, message| {
                let Some(mut result) = bend::value(&message, "result") else {
                    return vec![message];
                };
                bend::remove(&mut result["_meta"], SUBSCRIPTION);
                vec![message.with("result", result.to_string())]
            }),
        },
        FaultInfo {
            name: "listen-holds-the-process",
            about: "does not exit while a listening is open",
            eras: MODERN,
            caught_by: &["mcp.stdio.exit-on-stdin-eof"],
            at: None,
            lie: Lie::Emit(|_, message| {
                let result = bend::value(&message, "result").unwrap_or_default();
                if result["_meta"].get(SUBSCRIPTION).is_some() {
                    sleep(STAY);
                }
                vec![message]
            }),
        },
        FaultInfo {
            name: "listen-answered-when-cancelled",
            about: "answers a listening a while after it was cancelled",
            eras: MODERN,
            caught_by: &["mcp.cancel.no-more-messages"],
            at: None,
            lie: Lie::Messages(|memory, heard, mut messages| {
                let id = heard.params.get("requestId").map(ToString::to_string).unwrap_or_default();
                if heard.is("subscriptions/listen") {
                    let acknowledged = messages.first().and_then(|one| bend::value(one, "params"));
                    let id = acknowledged.and_then(|params| {
                        Some(params.get("_meta")?.get(SUBSCRIPTION)?.to_string())
                    });
                    memory.held = id.unwrap_or_default().into_bytes();
                } else if heard.is("notifications/cancelled")
                    && !id.is_empty()
                    && id.as_bytes() == memory.held
                {
                    sleep(Duration::from_millis(200));
                    let listening: Value = serde_json::from_str(&id).unwrap_or_default();
                    let result =
                        json!({ "resultType": "complete", "_meta": { SUBSCRIPTION: listening } });
                    messages.push(Reply::result(&id, &result));
                }
                messages
            }),
        },
        FaultInfo {
            name: "asks-undeclared",
            about: "asks for sampling at every call, whatever the client has declared",
            eras: LEGACY,
            caught_by: &[ONLY],
            at: None,
            lie: Lie::Messages(|memory, heard, messages| {
                let asked = (heard.is("tools/call")).then(|| sampling(memory));
                asked.into_iter().chain(messages).collect()
            }),
        },
        FaultInfo {
            name: "asks-undeclared-of-old",
            about: "asks for sampling at every call, in a revision where that is only discouraged",
            eras: LEGACY,
            caught_by: &[ONLY_OLD],
            at: Some("2025-03-26"),
            lie: Lie::Messages(|memory, heard, messages| {
                let asked = (heard.is("tools/call")).then(|| sampling(memory));
                asked.into_iter().chain(messages).collect()
            }),
        },
        FaultInfo {
            name: "asks-early",
            about: "asks for roots as soon as initialize is answered",
            eras: LEGACY,
            caught_by: &[EARLY],
            at: None,
            lie: Lie::Messages(|_, heard, messages| {
                let declared =
                    heard.params.get("capabilities").and_then(|all| all.get("roots")).is_some();
                let asked = (heard.is("initialize") && declared)
                    .then(|| Reply::request("early", "roots/list", &json!({})));
                messages.into_iter().chain(asked).collect()
            }),
        },
        FaultInfo {
            name: "asks-statelessly",
            about: "asks for sampling in a revision without such requests",
            eras: MODERN,
            caught_by: &[ASKS],
            at: None,
            lie: Lie::Messages(|memory, heard, messages| {
                let asked = (heard.is("tools/call")).then(|| sampling(memory));
                asked.into_iter().chain(messages).collect()
            }),
        },
        FaultInfo {
            name: "logs-undeclared",
            about: "logs, and does not declare it",
            eras: LEGACY,
            caught_by: &[LOG, UNDECLARED],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "initialize", |result| {
                    bend::remove(&mut result["capabilities"], "logging");
                })
            }),
        },
        FaultInfo {
            name: "logs-unasked",
            about: "logs although no request has asked for it",
            eras: MODERN,
            caught_by: &[UNASKED, "mcp.log.level-kept"],
            at: None,
            lie: Lie::Messages(|_, heard, messages| {
                let params = json!({ "level": "info", "data": "called" });
                let log = (heard.is("tools/call"))
                    .then(|| Reply::notification("notifications/message", &params));
                log.into_iter().chain(messages).collect()
            }),
        },
        FaultInfo {
            name: "log-of-no-level",
            about: "logs at a level that there is not",
            eras: LEGACY,
            caught_by: &[MESSAGE_SHAPE],
            at: None,
            lie: Lie::Emit(|_, message| {
                let log = message.get("method") == Some("\"notifications/message\"");
                let params = json!({ "level": "chatty", "data": "called" }).to_string();
                vec![if log { message.with("params", params) } else { message }]
            }),
        },
        FaultInfo {
            name: "tools-undeclared",
            about: "has tools, and does not declare them",
            eras: BOTH,
            caught_by: &[UNDECLARED],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let method = if heard.is("initialize") { "initialize" } else { "server/discover" };
                bend::result(heard, reply, method, |result| {
                    bend::remove(&mut result["capabilities"], "tools");
                })
            }),
        },
        FaultInfo {
            name: "instructions-number",
            about: "gives instructions that are a number",
            eras: BOTH,
            caught_by: &[MESSAGE_SHAPE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let method = if heard.is("initialize") { "initialize" } else { "server/discover" };
                bend::result(heard, reply, method, |result| result["instructions"] = json!(5))
            }),
        },
        FaultInfo {
            name: "listen-unacknowledged",
            about: "does not acknowledge that it is listened to",
            eras: MODERN,
            caught_by: &[ACK],
            at: None,
            lie: Lie::Emit(
                |_, message| {
                    if acknowledges(&message) { Vec::new() } else { vec![message] }
                },
            ),
        },
        FaultInfo {
            name: "listen-under-another-id",
            about: "acknowledges a listening under another id",
            eras: MODERN,
            caught_by: &[ACK],
            at: None,
            lie: Lie::Emit(|_, message| {
                let params = json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": "other" }, "notifications": {} });
                vec![if acknowledges(&message) {
                    message.with("params", params.to_string())
                } else {
                    message
                }]
            }),
        },
    ]
}

/// A request for sampling, under an id of its own.
fn sampling(memory: &mut Memory) -> Reply {
    memory.count += 1;
    let content = json!({ "type": "text", "text": "Say a name." });
    let messages = json!([{ "role": "user", "content": content }]);
    let params = json!({ "messages": messages, "maxTokens": 16 });
    Reply::request(&format!("sample-{}", memory.count), "sampling/createMessage", &params)
}

/// Whether a message acknowledges a listening.
fn acknowledges(message: &Reply) -> bool {
    message.get("method") == Some("\"notifications/subscriptions/acknowledged\"")
}
