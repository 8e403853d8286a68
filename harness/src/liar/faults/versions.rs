//! Faults in revisions, and in what a stateless request must carry.

use std::process::exit;

use serde_json::{Value, json};

use super::{DISCOVER, FaultInfo, GARBAGE, LEGACY, MODERN, bend};
use crate::liar::fault::Lie;
use crate::protocol::mcp::LEGACY as LEGACY_REVISIONS;

const SAME: &str = "mcp.life.version-same";
const OTHER: &str = "mcp.life.version-other";
const LATEST: &str = "mcp.life.version-latest";
const KNOWN: &str = "mcp.life.version-known";
const UNSUPPORTED: &str = "mcp.life.unsupported-version";
const REQUIRED: &str = "mcp.rpc.meta-version-required";
const CLIENT: &str = "mcp.rpc.meta-clientinfo-optional";
const STATELESS: &str = "mcp.rpc.stateless";
const RESULT_TYPE: &str = "mcp.rpc.result-type";
const BATCH: &str = "mcp.rpc.batch-receive";
const NO_BATCH: &str = "mcp.rpc.batch-removed";
const PARAMS: &str = "mcp.life.init-missing-params";

pub(super) fn faults() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "version-echoed",
            about: "agrees to every revision that it is asked for",
            eras: LEGACY,
            caught_by: &[OTHER],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let asked = bend::given(heard, "protocolVersion").map(str::to_string);
                bend::result(heard, reply, "initialize", |result| {
                    result["protocolVersion"] = json!(asked);
                })
            }),
        },
        FaultInfo {
            name: "version-refused",
            about: "answers a revision that it does not know with an error",
            eras: LEGACY,
            caught_by: &[OTHER],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let unknown = bend::given(heard, "protocolVersion")
                    .is_some_and(|asked| !LEGACY_REVISIONS.contains(&asked));
                Some(if heard.is("initialize") && unknown {
                    bend::refused(reply, -32602)
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "version-lowered",
            about: "answers the newest revision with the one before, and offers it to others",
            eras: LEGACY,
            caught_by: &[SAME],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let newest = bend::given(heard, "protocolVersion") == Some("2025-11-25");
                bend::result(heard, reply, "initialize", |result| {
                    if newest {
                        result["protocolVersion"] = json!("2025-06-18");
                    }
                })
            }),
        },
        FaultInfo {
            name: "version-oldest-offered",
            about: "offers the oldest revision in place of one that it does not know",
            eras: LEGACY,
            caught_by: &[LATEST],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let unknown = bend::given(heard, "protocolVersion")
                    .is_some_and(|asked| !LEGACY_REVISIONS.contains(&asked));
                bend::result(heard, reply, "initialize", |result| {
                    if unknown {
                        result["protocolVersion"] = json!("2024-11-05");
                    }
                })
            }),
        },
        FaultInfo {
            name: "version-invented",
            about: "answers with a revision that was never released",
            eras: LEGACY,
            caught_by: &[KNOWN],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "initialize", |result| {
                    result["protocolVersion"] = json!("2025-12-25");
                })
            }),
        },
        FaultInfo {
            name: "version-unchecked",
            about: "serves every version that a stateless request names",
            eras: MODERN,
            caught_by: &[UNSUPPORTED],
            at: None,
            lie: Lie::Line(|_, line| {
                let text = String::from_utf8_lossy(line).replace("1900-01-01", "2026-07-28");
                Some(if line.is_ascii() { text.into_bytes() } else { line.to_vec() })
            }),
        },
        FaultInfo {
            name: "version-refused-without-list",
            about: "refuses a version without saying which it serves",
            eras: MODERN,
            caught_by: &[UNSUPPORTED, super::MESSAGE_SHAPE],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                let reply = reply?;
                Some(if reply.error_code() == Some(-32022) {
                    bend::refused(reply, -32022)
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "meta-unchecked",
            about: "serves stateless requests that do not name their version",
            eras: MODERN,
            caught_by: &[REQUIRED],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let lacking = heard.is("server/discover")
                    && reply.error_code() == Some(-32602)
                    && !heard.params.is_empty();
                Some(if lacking { bend::succeeded(reply, &discovered()) } else { reply })
            }),
        },
        FaultInfo {
            name: "client-info-required",
            about: "refuses stateless requests that do not name the client",
            eras: MODERN,
            caught_by: &[CLIENT],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let meta = heard.params.get("_meta").and_then(Value::as_object);
                let anonymous = meta.is_some_and(|meta| {
                    meta.len() == 2 && !meta.contains_key("io.modelcontextprotocol/clientInfo")
                });
                Some(if anonymous && reply.error_code().is_none() {
                    bend::refused(reply, -32602)
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "list-needs-discover",
            about: "lists nothing before server/discover was asked",
            eras: MODERN,
            caught_by: &[STATELESS],
            at: None,
            lie: Lie::Reply(|memory, heard, reply| {
                let reply = reply?;
                memory.deaf |= heard.is("server/discover");
                Some(if heard.is("tools/list") && !memory.deaf {
                    bend::refused(reply, -32600)
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "result-type-missing",
            about: "does not say what a result is",
            eras: MODERN,
            caught_by: &[RESULT_TYPE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    bend::remove(result, "resultType");
                })
            }),
        },
        FaultInfo {
            name: "discover-missing",
            about: "knows no server/discover",
            eras: MODERN,
            caught_by: &[DISCOVER],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                Some(if heard.is("server/discover") { bend::refused(reply, -32601) } else { reply })
            }),
        },
        FaultInfo {
            name: "initialize-without-params-accepted",
            about: "agrees to an initialize that has no parameters",
            eras: LEGACY,
            caught_by: &[PARAMS],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let bare = heard.is("initialize") && heard.params.is_empty();
                Some(if bare { bend::succeeded(reply, &agreed()) } else { reply })
            }),
        },
        FaultInfo {
            name: "batch-half-answered",
            about: "answers only the first request of a batch",
            eras: LEGACY,
            caught_by: &[BATCH],
            at: Some("2025-03-26"),
            lie: Lie::Write(|_, spoken| {
                let batch: Option<Vec<Value>> = serde_json::from_str(spoken.json).ok();
                let json = batch
                    .and_then(|batch| batch.first().cloned())
                    .map_or_else(|| spoken.json.to_string(), |first| json!([first]).to_string());
                format!("{json}\n").into_bytes()
            }),
        },
        FaultInfo {
            name: "dies-at-batch",
            about: "exits at an array",
            eras: LEGACY,
            caught_by: &[GARBAGE, NO_BATCH],
            at: None,
            lie: Lie::Line(
                |_, line| if line.starts_with(b"[") { exit(1) } else { Some(line.to_vec()) },
            ),
        },
    ]
}

/// The answer to server/discover, from a server that offers nothing.
fn discovered() -> Value {
    json!({
        "supportedVersions": ["2026-07-28"],
        "capabilities": {},
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
    })
}

/// The answer to initialize, from a server that offers nothing.
fn agreed() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "serverInfo": { "name": "liar", "version": "0" },
    })
}
