//! The honest server, line by line.

use super::*;

const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A request of the modern era; `params` are further members of its parameters.
fn modern(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{META}{params}}}}}"#)
}

fn legacy(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

fn initialize(revision: &str) -> String {
    let client = r#"{"name":"test","version":"0"}"#;
    legacy(
        "initialize",
        &format!(r#"{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{client}}}"#),
    )
}

fn server(era: EraChoice, revision: &str) -> Server {
    let mut server = Server::new(era);
    if era != EraChoice::Modern {
        let reply = reply(&mut server, initialize(revision).as_bytes()).unwrap();
        assert_eq!(reply["result"]["protocolVersion"], revision);
    }
    server
}

fn reply(server: &mut Server, line: &[u8]) -> Option<Value> {
    server.hear(line).reply.map(|reply| serde_json::from_str(&reply.to_json()).unwrap())
}

/// The code of the error that a line is answered with; `None`: it is answered with a result.
fn code(server: &mut Server, line: &str) -> Option<i64> {
    let reply = reply(server, line.as_bytes()).unwrap();
    assert!(reply.get("result").is_some() != reply.get("error").is_some(), "{reply}");
    reply.pointer("/error/code").and_then(Value::as_i64)
}

#[test]
fn an_id_comes_back_digit_for_digit() {
    let mut server = server(EraChoice::Legacy, "2025-11-25");
    for id in ["0", "-1", "12345678901234567890123", r#""""#, r#""7""#, r#""\u00e9€""#] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let reply = server.hear(line.as_bytes()).reply.unwrap();
        assert_eq!(reply.to_json(), format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
}

#[test]
fn what_is_no_request_is_refused_with_the_id_that_can_be_read() {
    let table: &[(&[u8], i64, Value)] = &[
        (b"hello", -32700, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}", -32700, Value::Null),
        (b"42", -32600, Value::Null),
        (b"[]", -32600, Value::Null),
        (b"{}", -32600, Value::Null),
        (br#"{"jsonrpc":"2.0","id":"a","method":1}"#, -32600, json!("a")),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, Value::Null),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, Value::Null),
        (br#"{"id":2,"method":"ping"}"#, -32600, json!(2)),
        (br#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, -32600, json!(3)),
        (br#"{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}"#, -32602, json!(4)),
    ];
    let mut server = server(EraChoice::Legacy, "2025-11-25");
    for (line, code, id) in table {
        let reply = reply(&mut server, line).unwrap();
        let line = String::from_utf8_lossy(line);
        assert_eq!((&reply["error"]["code"], &reply["id"]), (&json!(code), id), "{line}");
    }
}

#[test]
fn notifications_and_answers_to_nothing_are_left_unanswered() {
    for era in [EraChoice::Legacy, EraChoice::Modern, EraChoice::Dual] {
        let mut server = server(era, "2025-11-25");
        for line in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","method":"no/such"}"#,
            r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":""}}"#,
        ] {
            assert_eq!(reply(&mut server, line.as_bytes()), None, "{era}: {line}");
        }
    }
}

#[test]
fn the_revision_asked_for_is_agreed_upon_where_it_is_known() {
    for revision in crate::protocol::mcp::LEGACY {
        server(EraChoice::Dual, revision);
    }
    let mut server = Server::new(EraChoice::Legacy);
    let reply = reply(&mut server, initialize("1999-01-01").as_bytes()).unwrap();
    assert_eq!(reply["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn initialize_comes_first() {
    let mut server = Server::new(EraChoice::Legacy);
    assert_eq!(code(&mut server, &legacy("ping", "{}")), None);
    assert_eq!(code(&mut server, &legacy("tools/list", "{}")), Some(-32600));
    assert_eq!(code(&mut server, &legacy("no/such", "{}")), Some(-32601));
    assert_eq!(code(&mut server, &modern("server/discover", "")), Some(-32601));
    assert_eq!(code(&mut server, &initialize("2025-11-25")), None);
    assert_eq!(code(&mut server, &legacy("tools/list", "{}")), None);
}

#[test]
fn a_batch_is_answered_in_one_revision_only() {
    let batch = br#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7]"#;
    let mut old = server(EraChoice::Legacy, "2025-03-26");
    let replies = reply(&mut old, batch).unwrap();
    assert_eq!(replies.as_array().unwrap().len(), 2);
    assert_eq!(replies[1]["error"]["code"], -32600);
    assert_eq!(reply(&mut old, br#"[{"jsonrpc":"2.0","method":"x"}]"#), None);
    let lone = format!("[{}]", initialize("2025-11-25"));
    assert_eq!(reply(&mut old, lone.as_bytes()).unwrap()[0]["error"]["code"], -32600);
    let mut new = server(EraChoice::Legacy, "2025-06-18");
    assert_eq!(reply(&mut new, batch).unwrap()["error"]["code"], -32600);
}

#[test]
fn each_request_is_answered_or_refused_as_it_should_be() {
    let table: &[(&str, &str, Option<i64>)] = &[
        ("tools/list", "", None),
        ("tools/list", r#","cursor":"2""#, None),
        ("tools/list", r#","cursor":"bogus""#, Some(-32602)),
        ("tools/list", r#","cursor":5"#, Some(-32602)),
        ("tools/call", r#","name":"echo","arguments":{"text":"a"}"#, None),
        ("tools/call", r#","name":"echo""#, None),
        ("tools/call", r#","name":"echo","arguments":[]"#, Some(-32602)),
        ("tools/call", r#","name":"nope""#, Some(-32602)),
        ("tools/call", "", Some(-32602)),
        ("prompts/list", "", None),
        ("prompts/get", r#","name":"greet","arguments":{"name":"Ada"}"#, None),
        ("prompts/get", r#","name":"greet","arguments":{}"#, Some(-32602)),
        ("prompts/get", r#","name":"greet""#, Some(-32602)),
        ("prompts/get", r#","name":"nope""#, Some(-32602)),
        ("resources/list", "", None),
        ("resources/templates/list", "", None),
        ("resources/read", r#","uri":"memo:///readme""#, None),
        ("resources/read", r#","uri":5"#, Some(-32602)),
        (
            "completion/complete",
            r#","ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"language","value":"F"}"#,
            None,
        ),
        ("completion/complete", "", Some(-32602)),
        ("no/such", "", Some(-32601)),
    ];
    let mut dual = server(EraChoice::Dual, "2025-11-25");
    for (method, params, expected) in table {
        let line = legacy(method, &format!("{{{}}}", params.trim_start_matches(',')));
        assert_eq!(code(&mut dual, &line), *expected, "{line}");
        let line = modern(method, params);
        assert_eq!(code(&mut dual, &line), *expected, "{line}");
        assert_eq!(code(&mut server(EraChoice::Modern, ""), &line), *expected, "{line}");
    }
}

#[test]
fn what_differs_between_the_eras() {
    let table: &[(&str, &str, Option<i64>, Option<i64>)] = &[
        ("ping", "", None, Some(-32601)),
        ("logging/setLevel", r#","level":"info""#, None, Some(-32601)),
        ("logging/setLevel", r#","level":"banana""#, Some(-32602), Some(-32601)),
        ("resources/subscribe", r#","uri":"memo:///readme""#, None, Some(-32601)),
        ("resources/subscribe", r#","uri":"memo:///nope""#, Some(-32002), Some(-32601)),
        ("server/discover", "", Some(-32601), None),
        ("resources/read", r#","uri":"memo:///nope""#, Some(-32002), Some(-32602)),
    ];
    let mut dual = server(EraChoice::Dual, "2025-11-25");
    for (method, params, old, new) in table {
        let line = legacy(method, &format!("{{{}}}", params.trim_start_matches(',')));
        assert_eq!(code(&mut dual, &line), *old, "{line}");
        let line = modern(method, params);
        assert_eq!(code(&mut dual, &line), *new, "{line}");
    }
}

#[test]
fn a_modern_request_says_its_version_and_what_its_client_can() {
    let line = |meta: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{{{meta}}}}}}}"#
        )
    };
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    let mut server = Server::new(EraChoice::Modern);
    assert_eq!(code(&mut server, &line(&format!("{version},{capabilities}"))), None);
    assert_eq!(code(&mut server, &line(version)), Some(-32602));
    assert_eq!(code(&mut server, &line(capabilities)), Some(-32602));
    assert_eq!(code(&mut server, &initialize("2025-11-25")), Some(-32601));
    let old = version.replace("2026-07-28", "1900-01-01");
    let refused = reply(&mut server, line(&format!("{old},{capabilities}")).as_bytes()).unwrap();
    assert_eq!(refused["error"]["code"], -32022);
    let data = json!({ "supported": ["2026-07-28"], "requested": "1900-01-01" });
    assert_eq!(refused["error"]["data"], data);
}

#[test]
fn every_modern_result_names_its_type_and_its_server() {
    let mut server = Server::new(EraChoice::Modern);
    for method in ["server/discover", "tools/list", "prompts/list", "resources/list"] {
        let result = &reply(&mut server, modern(method, "").as_bytes()).unwrap()["result"];
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"], server_info());
        assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string(), "{method}");
    }
}

#[test]
fn pages_hold_every_tool_once() {
    let mut server = server(EraChoice::Legacy, "2025-11-25");
    let mut names = Vec::new();
    let mut cursor = String::new();
    loop {
        let params = format!("{{{cursor}}}");
        let reply = reply(&mut server, legacy("tools/list", &params).as_bytes()).unwrap();
        let tools = reply["result"]["tools"].as_array().unwrap();
        names.extend(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_string()));
        let Some(next) = reply["result"].get("nextCursor") else { break };
        cursor = format!(r#""cursor":{next}"#);
    }
    assert_eq!(names, ["echo", "add", "slow", "log", "show", "ask", "remember"]);
}

#[test]
fn a_structured_result_stands_beside_its_text() {
    let call = legacy("tools/call", r#"{"name":"add","arguments":{"a":1,"b":2}}"#);
    let mut new = server(EraChoice::Legacy, "2025-11-25");
    let result = &reply(&mut new, call.as_bytes()).unwrap()["result"];
    assert_eq!(result["structuredContent"], json!({ "sum": 3.0 }));
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    let mut old = server(EraChoice::Legacy, "2025-03-26");
    let result = &reply(&mut old, call.as_bytes()).unwrap()["result"];
    assert_eq!(result.get("structuredContent"), None);
}

#[test]
fn bad_arguments_of_a_tool_are_the_business_of_the_model() {
    let mut server = server(EraChoice::Legacy, "2025-11-25");
    for arguments in ["{}", r#"{"a":"1","b":2}"#, r#"{"a":1e308,"b":1e308}"#] {
        let call = legacy("tools/call", &format!(r#"{{"name":"add","arguments":{arguments}}}"#));
        let result = &reply(&mut server, call.as_bytes()).unwrap()["result"];
        assert_eq!(result["isError"], true, "{arguments}");
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let mut server = server(EraChoice::Dual, "2025-03-26");
    let mut rng = fastrand::Rng::with_seed(1);
    let deep = "[".repeat(100_000);
    let nested = legacy("tools/call", &format!(r#"{{"name":"echo","arguments":{{"a":{deep}"#));
    let mut lines = vec![deep.clone().into_bytes(), nested.into_bytes()];
    lines.push(format!("{deep}{}", "]".repeat(deep.len())).into_bytes());
    let lists = modern("tools/call", r#","name":"echo","arguments":{"text":"é"}"#).into_bytes();
    for _ in 0..2000 {
        let mut line = lists.clone();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..line.len());
            match rng.u8(..3) {
                0 => line[at] = rng.u8(..),
                1 => line.truncate(at.max(1)),
                _ => line.insert(at, *rng.choice(b"{}[]\",:0e-").unwrap()),
            }
        }
        lines.push(line);
    }
    for line in lines {
        server.hear(&line);
    }
}

/// Plain JSON-RPC: each example of the specification is answered as it stands there.
#[test]
fn the_plain_server_answers_the_examples_of_the_specification() {
    use crate::protocol::jsonrpc::EXAMPLES;
    /// Without what is free: the messages of errors, and the order of a batch.
    fn bare(value: Value) -> Value {
        match value {
            Value::Array(all) => {
                let mut all: Vec<Value> = all.into_iter().map(bare).collect();
                all.sort_by_key(Value::to_string);
                Value::Array(all)
            }
            mut one => {
                if let Some(error) = one.get_mut("error").and_then(Value::as_object_mut) {
                    error.retain(|name, _| name == "code");
                }
                one
            }
        }
    }
    let mut server = Server::new(EraChoice::Plain);
    for example in EXAMPLES.iter() {
        let answer = reply(&mut server, example.request.as_bytes()).map(bare);
        let wanted = example.answer.as_deref();
        let wanted = wanted.map(|text| bare(serde_json::from_str(text).unwrap()));
        assert_eq!(answer, wanted, "{}", example.name);
    }
}

#[test]
fn a_slow_call_tells_of_its_progress_and_a_cancelled_one_is_silent() {
    let call = |id: u64| {
        let params = r#"{"name":"slow","arguments":{},"_meta":{"progressToken":7}}"#;
        legacy("tools/call", params).replace("\"id\":1", &format!("\"id\":{id}"))
    };
    let mut server = server(EraChoice::Legacy, "2025-11-25");
    for id in [21, 22] {
        assert!(server.hear(call(id).as_bytes()).reply.is_none());
    }
    let cancel =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":22}}"#;
    assert!(server.hear(cancel.as_bytes()).reply.is_none());
    let later = server.next_due().unwrap();
    let first = server.due(later);
    assert!(first[0].to_json().contains("notifications/progress"), "{first:?}");
    let all = server.due(later + std::time::Duration::from_secs(9));
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].id(), "21");
    assert_eq!(server.next_due(), None);
}

#[test]
fn a_client_is_asked_only_for_what_it_declares() {
    let ask = legacy("tools/call", r#"{"name":"ask"}"#);
    let mut bare = server(EraChoice::Legacy, "2025-11-25");
    assert_eq!(reply(&mut bare, ask.as_bytes()).unwrap()["result"]["isError"], true);
    let mut asked = Server::new(EraChoice::Legacy);
    let opening = initialize("2025-11-25")
        .replace(r#""capabilities":{}"#, r#""capabilities":{"sampling":{}}"#);
    asked.hear(opening.as_bytes());
    let heard = asked.hear(ask.as_bytes());
    assert!(heard.reply.is_none());
    let question = heard.before[0].to_json();
    assert!(question.contains("sampling/createMessage"), "{question}");
    let answer = r#"{"jsonrpc":"2.0","id":"ask-1","result":{"role":"assistant"}}"#;
    let reply = asked.hear(answer.as_bytes()).reply.unwrap();
    assert!(reply.to_json().contains("the client says"), "{reply:?}");
}
