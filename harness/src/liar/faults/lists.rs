//! Faults in lists: their members, their pages, their order.

use serde_json::{Value, json};

use super::{BOTH, FaultInfo, LEGACY, MODERN, bend};
use crate::liar::fault::Lie;

const TOOLS: &str = "mcp.tools.list-shape";
const INPUT: &str = "mcp.tools.input-schema-object";
const OUTPUT: &str = "mcp.tools.output-schema-object";
const VALID: &str = "mcp.tools.input-schema-valid";
const UNIQUE: &str = "mcp.tools.name-unique";
const FORM: &str = "mcp.tools.name-form";
const CONNECTION: &str = "mcp.tools.list-not-per-connection";
const ORDER: &str = "mcp.tools.list-deterministic";
const STABLE: &str = "mcp.tools.list-stable";
const RESOURCES: &str = "mcp.res.list-shape";
const TEMPLATES: &str = "mcp.res.templates-shape";
const PROMPTS: &str = "mcp.prompt.list-shape";
const PAGES: &str = "mcp.page.opaque-cursor";
const CURSOR: &str = "mcp.page.invalid-cursor";
const HINTS: &str = "mcp.cache.hints";
const DECLARED: &str = "mcp.life.caps-match-handlers";

pub(super) fn faults() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "cache-scope-mixed",
            about: "lets everybody keep the pages after the first",
            eras: MODERN,
            caught_by: &["mcp.cache.scope-alike"],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    if heard.params.contains_key("cursor") {
                        result["cacheScope"] = json!("public");
                    }
                })
            }),
        },
        FaultInfo {
            name: "tool-without-name",
            about: "lists a tool that has no name",
            eras: BOTH,
            caught_by: &[TOOLS],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    if result["tools"][0]["name"] == "remember" {
                        bend::remove(&mut result["tools"][0], "name");
                    }
                })
            }),
        },
        FaultInfo {
            name: "tools-as-object",
            about: "lists the tools as an object, by name",
            eras: BOTH,
            caught_by: &[TOOLS],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    result["tools"] = json!({});
                })
            }),
        },
        FaultInfo {
            name: "input-schema-null",
            about: "lists a tool whose inputSchema is null",
            eras: BOTH,
            caught_by: &[INPUT],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    if result["tools"][0]["name"] == "remember" {
                        result["tools"][0]["inputSchema"] = Value::Null;
                    }
                })
            }),
        },
        FaultInfo {
            name: "input-schema-empty",
            about: "lists a tool whose inputSchema is an empty object",
            eras: BOTH,
            caught_by: &[INPUT],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    if result["tools"][0]["name"] == "remember" {
                        result["tools"][0]["inputSchema"] = json!({});
                    }
                })
            }),
        },
        FaultInfo {
            name: "output-schema-text",
            about: "lists a tool whose outputSchema is a text",
            eras: LEGACY,
            caught_by: &[OUTPUT],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    if result["tools"][0]["name"] == "remember" {
                        result["tools"][0]["outputSchema"] = json!("an object");
                    }
                })
            }),
        },
        FaultInfo {
            name: "schema-misspelt",
            about: "lists a tool whose schema names a type that there is not",
            eras: BOTH,
            caught_by: &[VALID],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    if result["tools"][0]["name"] == "remember" {
                        result["tools"][0]["inputSchema"]["properties"]["text"]["type"] =
                            json!("strnig");
                    }
                })
            }),
        },
        FaultInfo {
            name: "tool-twice",
            about: "lists a tool twice on one page",
            eras: BOTH,
            caught_by: &[UNIQUE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    if let Some(tools) = result["tools"].as_array_mut() {
                        let first = tools[0].clone();
                        tools.push(first);
                    }
                })
            }),
        },
        FaultInfo {
            name: "tool-name-with-space",
            about: "lists a tool whose name has a space in it",
            eras: BOTH,
            caught_by: &[FORM],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    if result["tools"][0]["name"] == "remember" {
                        result["tools"][0]["name"] = json!("re member");
                    }
                })
            }),
        },
        FaultInfo {
            name: "tools-of-the-process",
            about: "lists a tool that is named after the process",
            eras: BOTH,
            caught_by: &[CONNECTION, STABLE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    if result["tools"][0]["name"] == "remember" {
                        result["tools"][0]["name"] =
                            json!(format!("remember-{}", std::process::id()));
                    }
                })
            }),
        },
        FaultInfo {
            name: "tools-turned-round",
            about: "lists the tools of a page the other way round every other time",
            eras: BOTH,
            caught_by: &[ORDER, STABLE],
            at: None,
            lie: Lie::Reply(|memory, heard, reply| {
                memory.count +=
                    usize::from(heard.is("tools/list") && !heard.params.contains_key("cursor"));
                let turned = memory.count % 2 == 0;
                bend::result(heard, reply, "tools/list", |result| {
                    let tools = result["tools"].as_array_mut().filter(|_| turned);
                    if let Some(tools) = tools {
                        tools.reverse();
                    }
                })
            }),
        },
        FaultInfo {
            name: "resource-without-name",
            about: "lists a resource that has no name",
            eras: BOTH,
            caught_by: &[RESOURCES],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "resources/list", |result| {
                    bend::remove(&mut result["resources"][0], "name");
                })
            }),
        },
        FaultInfo {
            name: "template-without-uri",
            about: "lists a resource template that has no uriTemplate",
            eras: BOTH,
            caught_by: &[TEMPLATES],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "resources/templates/list", |result| {
                    bend::remove(&mut result["resourceTemplates"][0], "uriTemplate");
                })
            }),
        },
        FaultInfo {
            name: "prompt-without-name",
            about: "lists a prompt that has no name",
            eras: BOTH,
            caught_by: &[PROMPTS],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "prompts/list", |result| {
                    if result["prompts"][0]["name"] == "recite" {
                        bend::remove(&mut result["prompts"][0], "name");
                    }
                })
            }),
        },
        FaultInfo {
            name: "cursor-endless",
            about: "gives a cursor on every page that leads back to the page before",
            eras: BOTH,
            caught_by: &[PAGES],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    result["nextCursor"] = json!("3");
                })
            }),
        },
        FaultInfo {
            name: "cursor-null",
            about: "gives the cursor null on the last page",
            eras: BOTH,
            caught_by: &[PAGES],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    if result.get("nextCursor").is_none() {
                        result["nextCursor"] = Value::Null;
                    }
                })
            }),
        },
        FaultInfo {
            name: "item-on-two-pages",
            about: "lists the first prompt on the last page too",
            eras: BOTH,
            caught_by: &[PAGES],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "prompts/list", |result| {
                    if result["prompts"][0]["name"] == "recite"
                        && let Some(prompts) = result["prompts"].as_array_mut()
                    {
                        prompts.push(json!({ "name": "help" }));
                    }
                })
            }),
        },
        FaultInfo {
            name: "bad-cursor-internal",
            about: "refuses a cursor that it never gave with -32603",
            eras: BOTH,
            caught_by: &[CURSOR],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                let bad = heard.params.contains_key("cursor") && reply.error_code().is_some();
                Some(if bad { bend::refused(reply, -32603) } else { reply })
            }),
        },
        FaultInfo {
            name: "cache-hints-missing",
            about: "does not say how long a list may be kept",
            eras: MODERN,
            caught_by: &[HINTS],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "tools/list", |result| {
                    bend::remove(result, "ttlMs");
                    bend::remove(result, "cacheScope");
                })
            }),
        },
        FaultInfo {
            name: "cache-scope-odd",
            about: "says cacheScope everybody",
            eras: MODERN,
            caught_by: &[HINTS],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                bend::result(heard, reply, "resources/list", |result| {
                    result["cacheScope"] = json!("everybody");
                })
            }),
        },
        FaultInfo {
            name: "declared-refused",
            about: "declares prompts and knows no prompts/list",
            eras: BOTH,
            caught_by: &[DECLARED, CURSOR],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let reply = reply?;
                Some(if heard.is("prompts/list") { bend::refused(reply, -32601) } else { reply })
            }),
        },
    ]
}
