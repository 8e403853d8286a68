//! Faults in work that takes its time, and in what a server has to bear.

use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::{
    ALWAYS, BIG_ID, BOTH, CRLF, EVERY, FaultInfo, INVALID_REQUEST, LARGE, LEGACY, PARSE_ERROR,
    PENDING, PURITY, UNREAD_ID, bend,
};
use crate::liar::fault::Lie;
use crate::liar::honest::Reply;
use crate::liar::serve::input_ended;

const UNKNOWN: &str = "mcp.cancel.unknown-ignored";
const RACE: &str = "mcp.cancel.race";
const NO_RESPONSE: &str = "mcp.cancel.no-response";
const NO_MORE: &str = "mcp.cancel.no-more-messages";
const CONCURRENCY: &str = "mcp.rpc.concurrency";
const TOKEN: &str = "mcp.progress.token-known";
const GROWS: &str = "mcp.progress.increasing";
const STOPS: &str = "mcp.progress.stops";
const FIRST: &str = "mcp.life.init-first";
const SECOND: &str = "mcp.life.second-initialize";
const EXAMPLES: &str = "jsonrpc.examples.errors";

pub(super) fn faults() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "progress-token-as-string",
            about: "tells of its progress under the token as a string, whatever it was",
            eras: BOTH,
            caught_by: &["mcp.progress.token-known"],
            at: None,
            lie: Lie::Emit(|_, message| {
                let is_progress = message.get("method") == Some("\"notifications/progress\"");
                let mut params = bend::value(&message, "params").unwrap_or_default();
                if is_progress && params["progressToken"].is_number() {
                    params["progressToken"] = params["progressToken"].to_string().into();
                    return vec![message.with("params", params.to_string())];
                }
                vec![message]
            }),
        },
        FaultInfo {
            name: "cancellation-answered",
            about: "answers cancellations with an error",
            eras: BOTH,
            caught_by: &[UNKNOWN],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let cancels = heard.is("notifications/cancelled");
                if !cancels {
                    return reply;
                }
                let error = r#"{"code":-32602,"message":"no such request"}"#;
                Some(
                    Reply::notification("x", &json!({}))
                        .without("method")
                        .without("params")
                        .with("id", "null")
                        .with("error", error),
                )
            }),
        },
        FaultInfo {
            name: "dies-at-cancellation",
            about: "exits at a cancellation of a request that it does not know",
            eras: BOTH,
            caught_by: &[UNKNOWN],
            at: None,
            lie: Lie::Line(|_, line| {
                if contains(line, b"987654321") { exit(1) } else { Some(line.to_vec()) }
            }),
        },
        FaultInfo {
            name: "dies-at-many-cancellations",
            about: "exits at the seventh cancellation",
            eras: BOTH,
            caught_by: &[RACE],
            at: None,
            lie: Lie::Line(|memory, line| {
                memory.count += usize::from(contains(line, b"notifications/cancelled"));
                if memory.count > 6 {
                    exit(1)
                }
                Some(line.to_vec())
            }),
        },
        FaultInfo {
            name: "cancellation-unheard",
            about: "does not listen to cancellations",
            eras: BOTH,
            caught_by: &[NO_RESPONSE, NO_MORE],
            at: None,
            lie: Lie::Line(|_, line| {
                (!contains(line, b"notifications/cancelled")).then(|| line.to_vec())
            }),
        },
        FaultInfo {
            name: "slow-blocks",
            about: "does nothing else while a tool works",
            eras: BOTH,
            caught_by: &[CONCURRENCY, NO_RESPONSE, NO_MORE],
            at: None,
            lie: Lie::Line(|_, line| {
                if !contains(line, br#""name":"slow""#) {
                    return Some(line.to_vec());
                }
                sleep(Duration::from_millis(250));
                let text = String::from_utf8_lossy(line);
                Some(text.replace(r#""name":"slow""#, r#""name":"show""#).into_bytes())
            }),
        },
        FaultInfo {
            name: "progress-of-another",
            about: "tells of progress under a token that nobody gave",
            eras: BOTH,
            caught_by: &[TOKEN],
            at: None,
            lie: Lie::Emit(|_, message| {
                vec![progress(message, |params| params["progressToken"] = json!("another"))]
            }),
        },
        FaultInfo {
            name: "progress-stands",
            about: "tells of the same progress each time",
            eras: BOTH,
            caught_by: &[GROWS],
            at: None,
            lie: Lie::Emit(|_, message| {
                vec![progress(message, |params| params["progress"] = json!(1))]
            }),
        },
        FaultInfo {
            name: "progress-after-answer",
            about: "tells of progress after the answer",
            eras: BOTH,
            caught_by: &[STOPS, NO_MORE],
            at: None,
            lie: Lie::Emit(|memory, message| {
                if is_progress(&message) {
                    memory.held = message.get("params").unwrap_or_default().into();
                    return vec![message];
                }
                let params: Value =
                    serde_json::from_slice(&std::mem::take(&mut memory.held)).unwrap_or_default();
                let late = params.is_object().then(|| {
                    let late = Reply::notification("notifications/progress", &params);
                    progress(late, |params| params["progress"] = json!(1000))
                });
                [message].into_iter().chain(late).collect()
            }),
        },
        FaultInfo {
            name: "long-line-unanswered",
            about: "forgets lines that are longer than 64 KiB",
            eras: BOTH,
            caught_by: &[LARGE, super::LARGE_REPLY],
            at: None,
            lie: Lie::Line(|_, line| (line.len() < 65536).then(|| line.to_vec())),
        },
        FaultInfo {
            name: "carriage-return-unread",
            about: "forgets lines that end with a carriage return",
            eras: BOTH,
            caught_by: &[CRLF],
            at: None,
            lie: Lie::Read(|_, read| {
                let lines = read.split_inclusive(|byte| *byte == b'\n');
                lines.filter(|line| !line.ends_with(b"\r\n")).flatten().copied().collect()
            }),
        },
        FaultInfo {
            name: "answers-lost-at-eof",
            about: "exits at the end of its input, whatever it was asked before",
            eras: EVERY,
            caught_by: &[PENDING],
            at: None,
            lie: Lie::Line(|_, line| {
                sleep(Duration::from_millis(6));
                if input_ended() {
                    exit(0)
                }
                Some(line.to_vec())
            }),
        },
        FaultInfo {
            name: "odd-requests-unanswered",
            about: "forgets requests whose parameters are of the wrong kind",
            eras: BOTH,
            caught_by: &[ALWAYS],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                reply.filter(|reply| {
                    !reply
                        .get("error")
                        .is_some_and(|error| error.contains("params is not an object"))
                })
            }),
        },
        FaultInfo {
            name: "dies-at-odd-parameters",
            about: "exits at parameters of the wrong kind",
            eras: BOTH,
            caught_by: &[ALWAYS, super::GARBAGE],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                let odd = |reply: &Reply| {
                    reply
                        .get("error")
                        .is_some_and(|error| error.contains("params is not an object"))
                };
                if reply.as_ref().is_some_and(odd) {
                    exit(1)
                }
                reply
            }),
        },
        FaultInfo {
            name: "parse-error-as-internal",
            about: "answers broken JSON with -32603",
            eras: EVERY,
            caught_by: &[PARSE_ERROR, EXAMPLES, "jsonrpc.examples.batches"],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                let reply = reply?;
                Some(if reply.error_code() == Some(-32700) {
                    bend::refused(reply, -32603)
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "invalid-request-as-internal",
            about: "answers what is no request with -32603",
            eras: BOTH,
            caught_by: &[INVALID_REQUEST],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                let reply = reply?;
                let unread = reply.error_code() == Some(-32600) && reply.id() == "null";
                Some(if unread { bend::refused(reply, -32603) } else { reply })
            }),
        },
        FaultInfo {
            name: "unread-answered-by-name",
            about: "answers lines that it cannot read under an id of its own",
            eras: BOTH,
            caught_by: &[UNREAD_ID],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                let reply = reply?;
                Some(if reply.id() == "null" { reply.with("id", "\"unknown\"") } else { reply })
            }),
        },
        FaultInfo {
            name: "big-id-rounded",
            about: "rounds ids to what a floating-point number holds",
            eras: BOTH,
            caught_by: &[BIG_ID],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                let reply = reply?;
                Some(if reply.id() == "9007199254740993" {
                    reply.with("id", "9007199254740992")
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "dies-before-initialize",
            about: "exits at a request before initialize",
            eras: LEGACY,
            caught_by: &[FIRST],
            at: None,
            lie: Lie::Line(|memory, line| {
                memory.deaf |= contains(line, br#""method":"initialize""#);
                if !memory.deaf && contains(line, br#""method":"tools/list""#) {
                    exit(1)
                }
                Some(line.to_vec())
            }),
        },
        FaultInfo {
            name: "dies-at-second-initialize",
            about: "exits at a second initialize",
            eras: LEGACY,
            caught_by: &[SECOND],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let again = heard.is("initialize")
                    && reply.as_ref().is_some_and(|reply| {
                        reply.get("error").is_some_and(|error| error.contains("comes once"))
                    });
                if again {
                    exit(1)
                }
                reply
            }),
        },
        FaultInfo {
            name: "concurrent-replies-interleaved",
            about: "writes the replies to slow calls into each other",
            eras: BOTH,
            caught_by: &[PURITY],
            at: None,
            lie: Lie::Write(|memory, spoken| {
                // The first half of one reply, the other reply, and then the second half.
                let slow = spoken.json.contains(r#""text":"done""#);
                let at = spoken.json.len() / 2;
                match (slow, memory.held.is_empty()) {
                    (true, true) if memory.count > 0 => {
                        memory.held = format!("{}\n", &spoken.json[at..]).into_bytes();
                        spoken.json.as_bytes()[..at].to_vec()
                    }
                    (_, false) => {
                        let rest = std::mem::take(&mut memory.held);
                        [spoken.json.as_bytes(), b"\n", &rest].concat()
                    }
                    _ => {
                        memory.count += usize::from(slow);
                        format!("{}\n", spoken.json).into_bytes()
                    }
                }
            }),
        },
    ]
}

fn contains(line: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(line, part).is_some()
}

fn is_progress(message: &Reply) -> bool {
    message.get("method") == Some("\"notifications/progress\"")
}

/// A progress notification with its parameters changed; any other message as it is.
fn progress(message: Reply, change: impl FnOnce(&mut Value)) -> Reply {
    if !is_progress(&message) {
        return message;
    }
    let Some(mut params) = bend::value(&message, "params") else { return message };
    change(&mut params);
    message.with("params", params.to_string())
}
