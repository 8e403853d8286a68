//! Faults in what tools, prompts and resources give, and in what is refused.

use serde_json::{Value, json};

use super::{BOTH, FaultInfo, LEGACY, MODERN, bend};
use crate::liar::fault::Lie;
use crate::liar::honest::Heard;

const CALL: &str = "mcp.tools.call-result-shape";
const STRUCTURED: &str = "mcp.tools.structured-conforms";
const UNKNOWN_TOOL: &str = "mcp.tools.unknown-tool";
const MALFORMED_CALL: &str = "mcp.tools.malformed-call";
const VALIDATION: &str = "mcp.tools.validation-is-iserror";
const READ: &str = "mcp.res.read-shape";
const READABLE: &str = "mcp.res.list-read-consistent";
const MISSING_OLD: &str = "mcp.res.not-found-legacy";
const MISSING_NEW: &str = "mcp.res.not-found-modern";
const EMPTY: &str = "mcp.res.no-empty-contents";
const CODES: &str = "mcp.rpc.retired-codes";
const GET: &str = "mcp.prompt.get-shape";
const UNKNOWN_PROMPT: &str = "mcp.prompt.unknown";
const ARGUMENTS: &str = "mcp.prompt.missing-args";
const COMPLETE: &str = "mcp.complete.shape";
const REFERENCE: &str = "mcp.complete.unknown-ref";
const SET_LEVEL: &str = "mcp.log.setlevel";
const BAD_LEVEL: &str = "mcp.log.invalid-level";
const PING: &str = "mcp.ping.empty-result";
const PING_GONE: &str = "mcp.ping.removed";
const META: &str = "mcp.rpc.meta-tolerated";

pub(super) fn faults() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "image-as-address",
            about: "gives an image as a data address and not as base64",
            eras: BOTH,
            caught_by: &[CALL],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/call", |result| {
                    if result["content"][0]["type"] == "text" {
                        result["content"][0] = json!({
                            "type": "image",
                            "mimeType": "image/png",
                            "data": "data:image/png;base64,eA==",
                        });
                    }
                })
            }),
        },
        FaultInfo {
            name: "completes-with-hundreds",
            about: "completes with more than a hundred values",
            eras: BOTH,
            caught_by: &[COMPLETE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "completion/complete", |result| {
                    let values: Vec<String> = (0..150).map(|number| number.to_string()).collect();
                    result["completion"] = json!({ "values": values });
                })
            }),
        },
        FaultInfo {
            name: "capability-not-named",
            about: "refuses a call for a capability of the client, and does not say for which",
            eras: MODERN,
            caught_by: &[super::MESSAGE_SHAPE],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                let reply = reply?;
                Some(if reply.error_code() == Some(-32021) {
                    bend::refused(reply, -32021)
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "subscribing-missing",
            about: "declares that resources can be subscribed to, and has no method for it",
            eras: LEGACY,
            caught_by: &["mcp.life.caps-match-handlers"],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                Some(if heard.is("resources/subscribe") {
                    bend::refused(reply, -32601)
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "content-missing",
            about: "gives results of tools without content",
            eras: BOTH,
            caught_by: &[CALL],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/call", |result| {
                    bend::remove(result, "content");
                })
            }),
        },
        FaultInfo {
            name: "content-of-no-kind",
            about: "gives a block of content of a kind that there is not",
            eras: BOTH,
            caught_by: &[CALL],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/call", |result| {
                    if result["content"].is_array() {
                        result["content"][0]["type"] = json!("texte");
                    }
                })
            }),
        },
        FaultInfo {
            name: "structured-missing",
            about: "gives no structuredContent, although the tool has an outputSchema",
            eras: BOTH,
            caught_by: &[STRUCTURED],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/call", |result| {
                    bend::remove(result, "structuredContent");
                })
            }),
        },
        FaultInfo {
            name: "structured-other",
            about: "gives structuredContent that the outputSchema refuses",
            eras: BOTH,
            caught_by: &[STRUCTURED],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/call", |result| {
                    if result.get("structuredContent").is_some() {
                        result["structuredContent"]["sum"] = json!("3");
                    }
                })
            }),
        },
        FaultInfo {
            name: "unknown-tool-succeeds",
            about: "calls a tool that does not exist with success",
            eras: BOTH,
            caught_by: &[UNKNOWN_TOOL],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let unknown = heard.is("tools/call")
                    && bend::given(heard, "name").is_some_and(|name| name.starts_with("pipeproof"));
                Some(if unknown { bend::succeeded(reply, &done(heard)) } else { reply })
            }),
        },
        FaultInfo {
            name: "malformed-call-succeeds",
            about: "answers a call without a name with success",
            eras: BOTH,
            caught_by: &[MALFORMED_CALL],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let bad = heard.is("tools/call")
                    && bend::given(heard, "name").is_none()
                    && !heard.params.is_empty();
                Some(if bad { bend::succeeded(reply, &done(heard)) } else { reply })
            }),
        },
        FaultInfo {
            name: "bad-arguments-succeed",
            about: "answers a call without a required argument with success",
            eras: BOTH,
            caught_by: &[VALIDATION],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let echo = bend::given(heard, "name") == Some("echo");
                bend::result(heard, reply, "tools/call", |result| {
                    if echo {
                        bend::remove(result, "isError");
                    }
                })
            }),
        },
        FaultInfo {
            name: "contents-without-uri",
            about: "reads resources without their uri",
            eras: BOTH,
            caught_by: &[READ],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "resources/read", |result| {
                    bend::remove(&mut result["contents"][0], "uri");
                })
            }),
        },
        FaultInfo {
            name: "listed-unreadable",
            about: "lists a resource that cannot be read",
            eras: BOTH,
            caught_by: &[READABLE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let note =
                    heard.is("resources/read") && bend::given(heard, "uri") == Some("memo:///note");
                Some(if note { bend::refused(reply, -32603) } else { reply })
            }),
        },
        FaultInfo {
            name: "missing-resource-made-up",
            about: "reads a resource that does not exist with success",
            eras: BOTH,
            caught_by: &[MISSING_OLD, MISSING_NEW],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let missing = heard.is("resources/read") && reply.error_code().is_some();
                let contents = json!([{ "uri": bend::given(heard, "uri"), "text": "" }]);
                Some(if missing { bend::succeeded(reply, &read(contents)) } else { reply })
            }),
        },
        FaultInfo {
            name: "missing-resource-empty",
            about: "reads a resource that does not exist as empty contents",
            eras: BOTH,
            caught_by: &[MISSING_OLD, MISSING_NEW, EMPTY],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let missing = heard.is("resources/read") && reply.error_code().is_some();
                Some(if missing { bend::succeeded(reply, &read(json!([]))) } else { reply })
            }),
        },
        FaultInfo {
            name: "missing-resource-retired-code",
            about: "refuses a resource that does not exist with the code of the other era",
            eras: MODERN,
            caught_by: &[CODES],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let missing = heard.is("resources/read") && reply.error_code().is_some();
                Some(if missing { bend::refused(reply, -32002) } else { reply })
            }),
        },
        FaultInfo {
            name: "prompt-without-role",
            about: "gives a prompt whose messages have no role",
            eras: BOTH,
            caught_by: &[GET],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "prompts/get", |result| {
                    bend::remove(&mut result["messages"][0], "role");
                })
            }),
        },
        FaultInfo {
            name: "unknown-prompt-given",
            about: "gives a prompt that does not exist",
            eras: BOTH,
            caught_by: &[UNKNOWN_PROMPT],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let unknown = heard.is("prompts/get")
                    && bend::given(heard, "name").is_some_and(|name| name.starts_with("pipeproof"));
                Some(if unknown { bend::succeeded(reply, &prompt()) } else { reply })
            }),
        },
        FaultInfo {
            name: "unknown-prompt-code-0",
            about: "refuses a prompt that does not exist with the code 0",
            eras: BOTH,
            caught_by: &[UNKNOWN_PROMPT],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let unknown = heard.is("prompts/get")
                    && bend::given(heard, "name").is_some_and(|name| name.starts_with("pipeproof"));
                Some(if unknown { bend::refused(reply, 0) } else { reply })
            }),
        },
        FaultInfo {
            name: "prompt-with-holes",
            about: "gives a prompt without an argument that it requires",
            eras: BOTH,
            caught_by: &[ARGUMENTS],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let bare = heard.is("prompts/get")
                    && bend::given(heard, "name") == Some("greet")
                    && reply.error_code().is_some();
                Some(if bare { bend::succeeded(reply, &prompt()) } else { reply })
            }),
        },
        FaultInfo {
            name: "completion-of-numbers",
            about: "completes with numbers",
            eras: BOTH,
            caught_by: &[COMPLETE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "completion/complete", |result| {
                    result["completion"]["values"] = json!([1, 2]);
                })
            }),
        },
        FaultInfo {
            name: "completion-of-nothing",
            about: "completes for a prompt that does not exist",
            eras: BOTH,
            caught_by: &[REFERENCE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let refused = heard.is("completion/complete") && reply.error_code().is_some();
                let none = json!({ "completion": { "values": [] }, "resultType": "complete" });
                Some(if refused { bend::succeeded(reply, &none) } else { reply })
            }),
        },
        FaultInfo {
            name: "set-level-refused",
            about: "refuses to set the level of logging",
            eras: LEGACY,
            caught_by: &[SET_LEVEL],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                Some(if heard.is("logging/setLevel") && reply.error_code().is_none() {
                    bend::refused(reply, -32603)
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "bad-level-accepted",
            about: "accepts a level of logging that there is not",
            eras: LEGACY,
            caught_by: &[BAD_LEVEL],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                Some(if heard.is("logging/setLevel") {
                    bend::succeeded(reply, &json!({}))
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "ping-refused",
            about: "answers ping with an error",
            eras: LEGACY,
            caught_by: &[PING],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                Some(if heard.is("ping") && reply.error_code().is_none() {
                    bend::refused(reply, -32603)
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "ping-lives-on",
            about: "answers ping in a revision that has none",
            eras: MODERN,
            caught_by: &[PING_GONE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                Some(if heard.is("ping") {
                    bend::succeeded(reply, &json!({ "resultType": "complete" }))
                } else {
                    reply
                })
            }),
        },
        FaultInfo {
            name: "unknown-meta-refused",
            about: "refuses metadata that it does not know",
            eras: BOTH,
            caught_by: &[META],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let odd = heard
                    .params
                    .get("_meta")
                    .is_some_and(|meta| meta.get("com.example/pipeproof").is_some());
                Some(if odd { bend::refused(reply, -32602) } else { reply })
            }),
        },
    ]
}

/// The result of a tool that has done something, in the era that was spoken.
fn done(heard: &Heard) -> Value {
    let mut result = json!({ "content": [{ "type": "text", "text": "done" }] });
    if heard.params.contains_key("_meta") {
        result["resultType"] = json!("complete");
    }
    result
}

/// A resource; members that one era has and the other passes over are there for both.
fn read(contents: Value) -> Value {
    json!({ "contents": contents, "resultType": "complete", "ttlMs": 0, "cacheScope": "private" })
}

/// A prompt, likewise.
fn prompt() -> Value {
    let message =
        json!({ "role": "user", "content": { "type": "text", "text": "Greet undefined." } });
    json!({ "messages": [message], "resultType": "complete" })
}
