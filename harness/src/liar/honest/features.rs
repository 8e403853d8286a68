//! What the server offers, whatever the era: tools, prompts, resources, completion of an argument, logs.

use std::time::Duration;

use serde_json::{Value, json};

use super::reply::{INVALID_PARAMS, Refusal};
use super::work::Later;
use super::{Answer, Members, Reply, asking, not_found};

/// Items on one page of a list; few, so that there is a second page.
const PAGE: usize = 3;

/// How long the slow tool works, in seconds, and how long at most.
const SLOW: f64 = 0.25;
const SLOWEST: f64 = 5.0;

/// The levels of logging, from the least.
pub(super) const LEVELS: &[&str] =
    &["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// What the prompt `greet` can be asked for, in the order of the alphabet.
const LANGUAGES: &[&str] = &["English", "French", "German"];

const README: &str = "memo:///readme";
const LAST: &str = "memo:///last";
const DOT: &str = "memo:///dot.gif";
const NOTE: &str = "memo:///note";

/// What the server offers, and what it keeps.
#[derive(Debug, Default)]
pub(super) struct Features {
    last: String,
    /// What the client declares.
    pub(super) client: Value,
    /// The level from which on is logged; `None`: nothing is.
    pub(super) level: Option<usize>,
    /// Whether the era is the stateless one.
    pub(super) stateless: bool,
    /// The resources whose changes are told of.
    pub(super) watched: Vec<String>,
    /// What is to be written before the reply.
    pub(super) before: Vec<Reply>,
    /// Why the reply comes later, if it does.
    pub(super) later: Option<Later>,
}

impl Features {
    /// The methods that are answered here.
    pub(super) const METHODS: &[&str] = &[
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "completion/complete",
    ];

    /// What is declared at a revision: what is there, and nothing else.
    pub(super) fn capabilities(&self, revision: &str) -> Members {
        let mut capabilities = Members::new();
        for name in ["tools", "prompts", "resources"] {
            capabilities.insert(name.into(), json!({}));
        }
        if revision >= "2025-03-26" {
            capabilities.insert("completions".into(), json!({}));
        }
        capabilities
    }

    /// Answers a request of one of [`Self::METHODS`]; `missing` is the code for an unknown resource.
    pub(super) fn answer(
        &mut self,
        method: &str,
        params: &Members,
        revision: &str,
        missing: i64,
    ) -> Answer {
        match method {
            "tools/list" => page("tools", tools(revision), PAGE, params),
            "tools/call" => self.call(params, revision),
            "prompts/list" => page("prompts", prompts(), PAGE, params),
            "prompts/get" => prompt(params),
            "resources/list" => page("resources", resources(), PAGE, params),
            "resources/read" => self.read(params, missing),
            "resources/templates/list" => page("resourceTemplates", templates(), PAGE, params),
            "completion/complete" => complete(params),
            _ => Err(not_found(method)),
        }
    }

    fn call(&mut self, params: &Members, revision: &str) -> Answer {
        let name = string(params, "name")?;
        let none = Members::new();
        let arguments = match params.get("arguments") {
            None => &none,
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return Err(bad("arguments is not an object")),
        };
        let given = |name: &str| arguments.get(name).and_then(Value::as_str);
        let number = |name: &str| arguments.get(name).and_then(Value::as_f64);
        match name {
            "echo" => Ok(match given("text") {
                Some(text) => content(text, false),
                None => content("text is not a string", true),
            }),
            "add" => Ok(match (number("a"), number("b")) {
                (Some(a), Some(b)) => sum(a + b, revision),
                _ => content("a or b is not a number", true),
            }),
            "remember" => Ok(match given("text") {
                Some(text) => {
                    self.last = text.into();
                    if self.watched.iter().any(|uri| uri == LAST) {
                        let params = json!({ "uri": LAST });
                        let method = "notifications/resources/updated";
                        self.before.push(Reply::notification(method, &params));
                    }
                    content("remembered", false)
                }
                None => content("text is not a string", true),
            }),
            "slow" => {
                let seconds = number("seconds").unwrap_or(SLOW).clamp(0.0, SLOWEST);
                let token = params.get("_meta").and_then(|meta| meta.get("progressToken"));
                let takes = Duration::from_secs_f64(seconds);
                self.later = Some(Later::Slow { takes, token: token.cloned() });
                Ok(content("done", false))
            }
            "log" => {
                self.log("info", "the tool was called");
                self.log("error", "an error, to show what one looks like");
                Ok(content("logged", false))
            }
            "show" => Ok(shown(revision)),
            "ask" if self.stateless => asking::ask_in_result(&self.client, params),
            "ask" => match asking::ask(&self.client) {
                Ok(later) => {
                    self.later = Some(later);
                    Ok(Members::new())
                }
                Err(result) => Ok(result),
            },
            _ => Err(bad(format!("unknown tool: {name}"))),
        }
    }

    /// Writes a log message, where anybody wants it.
    fn log(&mut self, level: &str, text: &str) {
        let rank = LEVELS.iter().position(|own| *own == level);
        if self.level.is_some_and(|least| rank >= Some(least)) {
            let params = json!({ "level": level, "logger": "liar", "data": text });
            self.before.push(Reply::notification("notifications/message", &params));
        }
    }

    fn read(&self, params: &Members, missing: i64) -> Answer {
        let uri = string(params, "uri")?;
        let text = match uri {
            README => "A small server that keeps the specification.",
            LAST => &self.last,
            NOTE => "Nothing to see here.",
            DOT => {
                let blob = "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
                let item = json!({ "uri": uri, "mimeType": "image/gif", "blob": blob });
                return Ok(one("contents", json!([item])));
            }
            _ => {
                let data = json!({ "uri": uri });
                return Err(Refusal::new(missing, "resource not found").with_data(data));
            }
        };
        Ok(one("contents", json!([{ "uri": uri, "mimeType": "text/plain", "text": text }])))
    }
}

fn tools(revision: &str) -> Vec<Value> {
    let takes_text = json!({
        "type": "object",
        "properties": { "text": { "type": "string" } },
        "required": ["text"],
    });
    let mut tools = vec![
        json!({
            "name": "echo",
            "description": "Gives the text back",
            "inputSchema": takes_text,
            "annotations": { "readOnlyHint": true },
        }),
        json!({
            "name": "add",
            "description": "Adds two numbers",
            "inputSchema": {
                "type": "object",
                "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
                "required": ["a", "b"],
            },
            "outputSchema": {
                "type": "object",
                "properties": { "sum": { "type": "number" } },
                "required": ["sum"],
            },
            "annotations": { "readOnlyHint": true },
        }),
        json!({
            "name": "slow",
            "description": "Works for a while",
            "inputSchema": {
                "type": "object",
                "properties": { "seconds": { "type": "number" } },
            },
            "annotations": { "readOnlyHint": true },
        }),
        json!({
            "name": "log",
            "description": "Writes a log message, and one of an error",
            "inputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": true },
        }),
        json!({
            "name": "show",
            "description": "Shows every kind of content that clients of the revision know",
            "inputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": true },
        }),
        json!({
            "name": "ask",
            "description": "Asks the client for a name",
            "inputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": true },
        }),
        json!({
            "name": "remember",
            "description": format!("Keeps the text, to be read as {LAST}"),
            "inputSchema": takes_text,
            "annotations": { "readOnlyHint": false, "destructiveHint": true },
        }),
    ];
    // A client of an older revision is not shown what it cannot know.
    for (member, since) in [("annotations", "2025-03-26"), ("outputSchema", "2025-06-18")] {
        if revision < since {
            for tool in tools.iter_mut().filter_map(Value::as_object_mut) {
                tool.remove(member);
            }
        }
    }
    tools
}

fn sum(sum: f64, revision: &str) -> Members {
    // The sum of two huge numbers is none that JSON can hold.
    if !sum.is_finite() {
        return content("the sum is too large", true);
    }
    let structured = json!({ "sum": sum });
    let mut result = content(&structured.to_string(), false);
    if revision >= "2025-06-18" {
        result.insert("structuredContent".into(), structured);
    }
    result
}

/// What a tool gives back; bad arguments are its business, so that the model sees them and can do better.
pub(super) fn content(text: &str, is_error: bool) -> Members {
    let mut result = one("content", json!([{ "type": "text", "text": text }]));
    if is_error {
        result.insert("isError".into(), json!(true));
    }
    result
}

/// Every kind of content that a client of the revision knows, but for sounds.
fn shown(revision: &str) -> Members {
    let resource = json!({ "uri": NOTE, "mimeType": "text/plain", "text": "Nothing to see here." });
    let mut blocks = vec![
        json!({ "type": "text", "text": "é€😀" }),
        json!({ "type": "resource", "resource": resource }),
    ];
    if revision >= "2025-06-18" {
        blocks.push(json!({ "type": "resource_link", "uri": README, "name": "readme" }));
    }
    one("content", Value::Array(blocks))
}

fn prompts() -> Vec<Value> {
    vec![
        json!({
            "name": "greet",
            "description": "A greeting",
            "arguments": [
                { "name": "name", "description": "Who is greeted", "required": true },
                { "name": "language", "description": "In which language" },
            ],
        }),
        json!({ "name": "help", "description": "What there is" }),
        json!({ "name": "joke", "description": "Something to laugh about" }),
        json!({ "name": "recite", "description": "What was kept last" }),
    ]
}

fn prompt(params: &Members) -> Answer {
    match string(params, "name")? {
        "greet" => greet(params),
        "help" => Ok(said("What can this server do?")),
        "joke" => Ok(said("Tell me a joke about pipes.")),
        "recite" => Ok(said("Recite what was kept last.")),
        other => Err(bad(format!("unknown prompt: {other}"))),
    }
}

fn greet(params: &Members) -> Answer {
    let Some(arguments) = params.get("arguments").and_then(Value::as_object) else {
        return Err(bad("the argument name is missing"));
    };
    let name = string(arguments, "name")?;
    let language = match arguments.get("language") {
        None => "English",
        Some(_) => string(arguments, "language")?,
    };
    Ok(said(&format!("Greet {name} in {language}.")))
}

/// A prompt of one message of the user's.
fn said(text: &str) -> Members {
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    one("messages", json!([message]))
}

fn templates() -> Vec<Value> {
    vec![json!({ "uriTemplate": "memo:///{name}", "name": "memo", "mimeType": "text/plain" })]
}

fn resources() -> Vec<Value> {
    const TEXT: &str = "text/plain";
    [
        (README, "readme", TEXT),
        (LAST, "last", TEXT),
        (NOTE, "note", TEXT),
        (DOT, "dot", "image/gif"),
    ]
    .map(|(uri, name, kind)| json!({ "uri": uri, "name": name, "mimeType": kind }))
    .into()
}

fn complete(params: &Members) -> Answer {
    let given = |outer: &str, inner: &str| params.get(outer)?.get(inner)?.as_str();
    if (given("ref", "type"), given("ref", "name")) != (Some("ref/prompt"), Some("greet")) {
        return Err(bad("ref names no prompt of this server"));
    }
    let (Some(argument), Some(typed)) = (given("argument", "name"), given("argument", "value"))
    else {
        return Err(bad("argument lacks a name or a value"));
    };
    let known = if argument == "language" { LANGUAGES } else { &[] };
    let values: Vec<&str> = known.iter().copied().filter(|one| one.starts_with(typed)).collect();
    let completion = json!({ "values": values, "total": values.len(), "hasMore": false });
    Ok(one("completion", completion))
}

/// Whether a resource of this name is there.
pub(super) fn has_resource(uri: &str) -> bool {
    [README, LAST, NOTE, DOT].contains(&uri)
}

/// A page of a list. The cursor says where the page begins, which is nobody's business but ours.
fn page(name: &str, all: Vec<Value>, size: usize, params: &Members) -> Answer {
    let from = match params.get("cursor") {
        None => 0,
        Some(cursor) => cursor
            .as_str()
            .and_then(|cursor| cursor.parse().ok())
            .filter(|from| (1..all.len()).contains(from))
            .ok_or_else(|| bad("cursor is none of this server's"))?,
    };
    let mut result = one(name, all.iter().skip(from).take(size).cloned().collect());
    if from + size < all.len() {
        result.insert("nextCursor".into(), json!((from + size).to_string()));
    }
    Ok(result)
}

fn one(name: &str, value: Value) -> Members {
    Members::from_iter([(name.to_string(), value)])
}

fn string<'a>(members: &'a Members, name: &str) -> Result<&'a str, Refusal> {
    members.get(name).and_then(Value::as_str).ok_or_else(|| bad(format!("{name} is not a string")))
}

fn bad(message: impl Into<String>) -> Refusal {
    Refusal::new(INVALID_PARAMS, message)
}
