//! Tests of the shapes: instances written by hand, and instances made from the table and broken in one place.

mod instance;

use proptest::prelude::*;
use serde_json::json;

use super::notation::revisions;
use super::*;
use instance::{Fault, generate};

/// The problems as `PATH: TEXT`.
fn said(revision: &str, shape: &str, value: &Value) -> Vec<String> {
    problems(revision, shape, value)
        .iter()
        .map(|problem| format!("{}: {}", problem.path, problem.text))
        .collect()
}

#[test]
fn the_table_is_consistent() {
    Table::read(include_str!("mcp.toml")).unwrap();
}

#[test]
fn every_schema_compiles_and_is_a_schema() {
    for (place, revision) in revisions().enumerate() {
        for (name, _) in TABLE.at(place) {
            let schema = schema(revision, name).unwrap();
            jsonschema::meta::validate(&schema).unwrap();
            assert!(validator(revision, name).is_some(), "{name} at {revision}");
        }
    }
}

#[test]
fn every_type_is_used() {
    let text = include_str!("mcp.toml");
    for (place, _) in revisions().enumerate() {
        for (name, _) in TABLE.at(place) {
            // Its own head, and at least one row that names it.
            let uses = text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| {
                line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word == &name)
            });
            // What a caller may ask for alone.
            assert!(uses.count() > 1 || name == "Error", "{name}");
        }
    }
}

#[test]
fn a_method_has_the_shape_of_its_revision() {
    let cases = [
        ("2025-11-25", "initialize", Some("InitializeResult")),
        ("2026-07-28", "initialize", None),
        ("2026-07-28", "server/discover", Some("DiscoverResult")),
        ("2025-11-25", "server/discover", None),
        ("2025-06-18", "tools/call", Some("CallToolResult")),
        ("2025-11-25", "tools/call", Some("CallToolOrCreateTaskResult")),
        ("2026-07-28", "tools/call", Some("CallToolOrInputRequiredResult")),
        ("2025-06-18", "tasks/get", None),
        ("2025-11-25", "tasks/get", Some("GetTaskResult")),
        ("2024-11-05", "no/such", None),
        ("2023-01-01", "ping", None),
    ];
    for (revision, method, shape) in cases {
        assert_eq!(of_result(revision, method), shape, "{method} at {revision}");
    }
    let progress = "notifications/progress";
    assert_eq!(of_notification("2024-11-05", progress), Some("ProgressNotificationParams"));
    assert_eq!(of_notification("2024-11-05", "notifications/initialized"), None);
    assert_eq!(of_notification("2025-06-18", "notifications/tasks/status"), None);
    assert_eq!(of_request("2024-11-05", "elicitation/create"), None);
    assert_eq!(of_request("2025-06-18", "elicitation/create"), Some("ElicitRequestParams"));
    assert_eq!(of_request("2026-07-28", "ping"), None);
}

#[test]
fn what_has_the_shape_has_no_problems() {
    let text = json!({"type": "text", "text": "x", "anything": null});
    let tool = json!({"name": "t", "inputSchema": {"type": "object"}});
    let modern = |mut value: Value| {
        value["resultType"] = "complete".into();
        value
    };
    let cached = |mut value: Value| {
        value["ttlMs"] = 0.into();
        value["cacheScope"] = "private".into();
        modern(value)
    };
    let cases = [
        (
            "2024-11-05",
            "InitializeResult",
            json!({
                "protocolVersion": "2024-11-05",
                "capabilities": {"tools": {"listChanged": true}, "unheard-of": 1},
                "serverInfo": {"name": "s", "version": "1", "title": 5},
            }),
        ),
        (
            "2026-07-28",
            "DiscoverResult",
            cached(json!({"supportedVersions": [], "capabilities": {}})),
        ),
        ("2024-11-05", "EmptyResult", json!({})),
        ("2025-11-25", "ListToolsResult", json!({"tools": [tool], "nextCursor": ""})),
        ("2026-07-28", "ListToolsResult", cached(json!({"tools": [tool]}))),
        ("2024-11-05", "CallToolResult", json!({"content": [text], "isError": false})),
        // Before the revision that names it, a member is an extra.
        ("2024-11-05", "CallToolResult", json!({"content": [], "structuredContent": 5})),
        ("2026-07-28", "CallToolResult", modern(json!({"content": [], "structuredContent": 5}))),
        (
            "2025-03-26",
            "CallToolResult",
            json!({"content": [{"type": "audio", "data": "", "mimeType": "audio/wav"}]}),
        ),
        (
            "2026-07-28",
            "CallToolOrInputRequiredResult",
            json!({"resultType": "input_required", "requestState": "s"}),
        ),
        (
            "2025-11-25",
            "CallToolOrCreateTaskResult",
            json!({"task": {
                "taskId": "t", "status": "working", "createdAt": "", "lastUpdatedAt": "", "ttl": null,
            }}),
        ),
        (
            "2025-11-25",
            "ReadResourceResult",
            json!({"contents": [
                {"uri": "a:b", "text": "x"},
                {"uri": "a:b", "blob": "eA==", "text": null},
                {"uri": "a:b", "text": "x", "blob": null},
            ]}),
        ),
        ("2025-11-25", "SamplingMessage", json!({"role": "user", "content": [text]})),
        ("2025-11-25", "SamplingMessage", json!({"role": "user", "content": text})),
        ("2025-11-25", "LoggingMessageNotificationParams", json!({"level": "info", "data": null})),
        ("2025-11-25", "CancelledNotificationParams", json!({})),
        ("2025-06-18", "Error", json!({"code": -32042, "message": "m"})),
        (
            "2025-11-25",
            "ElicitRequestParams",
            json!({"message": "m", "requestedSchema": {"type": "object", "properties": {
                "a": {"type": "string", "format": "email"},
                "b": {"type": "integer", "minimum": 0},
                "c": {"type": "string", "enum": ["x"]},
                "d": {"type": "array", "items": {"anyOf": [{"const": "x", "title": "X"}]}},
            }}}),
        ),
    ];
    for (revision, shape, value) in cases {
        assert_eq!(
            said(revision, shape, &value),
            [] as [&str; 0],
            "{shape} at {revision}: {value}"
        );
    }
}

#[test]
fn what_has_not_the_shape_is_said_where_and_how() {
    let audio = json!({"content": [{"type": "audio", "data": "", "mimeType": "audio/wav"}]});
    let cases: Vec<(&str, &str, Value, &[&str])> = vec![
        (
            "2025-11-25",
            "InitializeResult",
            json!({"protocolVersion": 1, "capabilities": [], "serverInfo": {"name": "s"}}),
            &[
                "/capabilities: an array, not an object",
                "/protocolVersion: 1, not a string",
                "/serverInfo: `version` is missing",
            ],
        ),
        (
            "2026-07-28",
            "ListToolsResult",
            json!({"tools": [], "ttlMs": -1, "cacheScope": "shared"}),
            &[
                "/cacheScope: \"shared\", not one of \"public\", \"private\"",
                "/ttlMs: -1, less than 0",
                ": `resultType` is missing",
            ],
        ),
        (
            "2025-06-18",
            "ListToolsResult",
            json!({"tools": [{"name": "t"}], "nextCursor": null}),
            &["/nextCursor: null, not a string", "/tools/0: `inputSchema` is missing"],
        ),
        (
            "2024-11-05",
            "Tool",
            json!({"name": "t", "inputSchema": {"type": "string"}}),
            &["/inputSchema/type: \"string\", not \"object\""],
        ),
        (
            "2024-11-05",
            "CallToolResult",
            audio,
            &["/content/0/type: \"audio\", not one of \"text\", \"image\", \"resource\""],
        ),
        (
            "2025-11-25",
            "CallToolResult",
            json!({"content": ["x", {"text": "x"}, {"type": "text"}, {"type": "image", "data": ""}]}),
            &[
                "/content/0: \"x\", not an object",
                "/content/1: `type` is missing",
                "/content/2: `text` is missing",
                "/content/3: `mimeType` is missing",
            ],
        ),
        ("2025-11-25", "CallToolOrCreateTaskResult", json!({}), &[": `content` is missing"]),
        ("2025-11-25", "EmptyResult", json!(null), &[": null, not an object"]),
        ("2025-11-25", "EmptyResult", json!({"_meta": null}), &["/_meta: null, not an object"]),
        (
            "2026-07-28",
            "GetPromptOrInputRequiredResult",
            json!({"resultType": "input_required"}),
            &[": neither `inputRequests` nor `requestState` is there"],
        ),
        (
            "2026-07-28",
            "GetPromptOrInputRequiredResult",
            json!({"resultType": "input_required", "inputRequests": {
                "a/b": {"method": "tools/list"},
                "c": {"method": "elicitation/create", "params": {"mode": "url", "message": "m"}},
            }}),
            &[
                "/inputRequests/a~1b/method: \"tools/list\", not one of \"sampling/createMessage\", \
                 \"roots/list\", \"elicitation/create\"",
                "/inputRequests/c/params: `url` is missing",
            ],
        ),
        (
            "2025-11-25",
            "ReadResourceResult",
            json!({"contents": [{"uri": "a:b"}, {"uri": "a:b", "text": null}, 5]}),
            &[
                "/contents/0: neither `text` nor `blob` is there",
                "/contents/1/text: null, not a string",
                "/contents/2: 5, not an object",
            ],
        ),
        (
            "2025-11-25",
            "Task",
            json!({
                "taskId": "t", "status": "working", "createdAt": "", "lastUpdatedAt": "", "ttl": "1",
            }),
            &["/ttl: \"1\", not null or an integer"],
        ),
        (
            "2025-11-25",
            "Annotations",
            json!({"priority": 1.5, "audience": ["all"]}),
            &[
                "/audience/0: \"all\", not one of \"user\", \"assistant\"",
                "/priority: 1.5, more than 1",
            ],
        ),
        (
            "2026-07-28",
            "CompleteResult",
            json!({"resultType": "complete", "completion": {"values": vec!["x"; 101]}}),
            &["/completion/values: 101 items, more than 100"],
        ),
        (
            "2026-07-28",
            "Error",
            json!({"code": -32022, "message": "m", "data": {"supported": []}}),
            &["/data: `requested` is missing"],
        ),
        (
            "2025-11-25",
            "Role",
            json!("x".repeat(50)),
            &[
                ": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\", not one of \"user\", \"assistant\"",
            ],
        ),
        ("2024-11-05", "AudioContent", json!({}), &[": there is no `AudioContent` at 2024-11-05"]),
        ("2024-01-01", "Tool", json!({}), &[": there is no `Tool` at 2024-01-01"]),
    ];
    for (revision, shape, value, expected) in cases {
        let mut said = said(revision, shape, &value);
        let mut expected = expected.to_vec();
        said.sort();
        expected.sort_unstable();
        assert_eq!(said, expected, "{shape} at {revision}: {value}");
    }
}

#[test]
fn problems_are_bounded() {
    let value = json!({"tools": vec![Value::Null; 100]});
    assert_eq!(problems("2025-11-25", "ListToolsResult", &value).len(), MOST_PROBLEMS);
    let huge = json!({"tools": vec![Value::Null; MOST_PARTS]});
    assert_eq!(said("2025-11-25", "ListToolsResult", &huge), ["/tools/0: null, not an object"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn one_fault_is_one_problem_where_it_is(
        place in 0..revisions().count(),
        shape in any::<prop::sample::Index>(),
        fault in any::<prop::sample::Index>(),
        seed in any::<u64>(),
    ) {
        let revision = revisions().nth(place).unwrap();
        let shapes: Vec<&str> = TABLE.at(place).map(|(name, _)| name).collect();
        let shape = *shape.get(&shapes);
        let (mut value, faults) = generate(&TABLE, place, shape, seed);
        prop_assert_eq!(said(revision, shape, &value), [] as [&str; 0], "{}: {}", shape, value);
        prop_assume!(!faults.is_empty());
        let Fault { object, member, wrong } = fault.get(&faults);
        let members = value.pointer_mut(object).unwrap().as_object_mut().unwrap();
        let (path, text) = match wrong {
            None => {
                members.remove(member);
                (object.clone(), format!("`{member}`"))
            }
            Some(wrong) => {
                members.insert(member.clone(), wrong.clone());
                (format!("{object}/{}", member.replace('/', "~1")), ", not ".into())
            }
        };
        let problems = problems(revision, shape, &value);
        prop_assert_eq!(problems.len(), 1, "{}: {}: {:?}", shape, value, problems);
        prop_assert_eq!(&problems[0].path, &path, "{}: {}: {:?}", shape, value, problems);
        prop_assert!(problems[0].text.contains(&text), "{}: {:?}", text, problems);
    }
}
