//! Lines that are no valid message, each followed by a request that shows whether the subject still answers.

use pipeproof_transport::message::Id;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::conversation::liveness;
use super::driver::Stimulus;
use super::{Driver, Scenario, Stopped};
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "malformed",
    about: "bad lines, and a request after each",
    stimuli: &["malformed", "invalid", "blank", "not-utf8", "stray-response", "half-character"],
    steps: LINES.len(),
    run: |driver, part| Box::pin(malformed(driver, part)),
    ..Scenario::BASE
};

/// What stands for the line that is made for the dialect.
const HALF: &[u8] = br"\ud800";

/// The bad lines, each with its name.
pub(super) const LINES: &[(&str, &[u8])] = &[
    ("an empty line", b""),
    ("no JSON", b"hello, server"),
    ("a lone brace", b"{"),
    ("JSON that is cut off", br#"{"jsonrpc":"2.0","method":"pi"#),
    ("two values on one line", br#"{"jsonrpc":"2.0"} {"jsonrpc":"2.0"}"#),
    ("a number", b"42"),
    ("a string", br#""hello""#),
    ("null", b"null"),
    ("an empty array", b"[]"),
    ("an array of a number", b"[1]"),
    ("an empty object", b"{}"),
    ("a method that is a number", br#"{"jsonrpc":"2.0","id":"bad-1","method":1}"#),
    ("an id that is an object", br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#),
    ("no jsonrpc", br#"{"id":"bad-2","method":"ping"}"#),
    ("jsonrpc 1.0", br#"{"jsonrpc":"1.0","id":"bad-3","method":"ping"}"#),
    ("an answer to nothing", br#"{"jsonrpc":"2.0","id":"bad-4","result":{}}"#),
    ("bytes that are not UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\xfe\",\"method\":\"ping\"}"),
    ("an escape that is half a character", HALF),
    ("a NUL", b"{\"jsonrpc\":\"2.0\",\x00\"id\":\"bad-5\",\"method\":\"ping\"}"),
];

async fn malformed(driver: &mut Driver, part: usize) -> Result<(), Stopped> {
    driver.open().await?;
    for (number, (name, line)) in LINES.iter().enumerate().skip(part) {
        if !driver.settings().wants(number) {
            continue;
        }
        driver.step(number);
        let kind = match std::str::from_utf8(line) {
            // Whoever replaces what is no character reads a request.
            Err(_) => "not-utf8",
            Ok("") => "blank",
            // Whether it is a request is up to the reader.
            Ok(_) if *line == HALF => "half-character",
            // What nobody asked for needs no answer.
            Ok(text) if text.contains("\"result\"") => "stray-response",
            Ok(text) if serde_json::from_str::<IgnoredAny>(text).is_ok() => "invalid",
            Ok(_) => "malformed",
        };
        let stimulus = Stimulus::new(kind, Expect::Free).variant(*name);
        let request = (*line == HALF).then(|| half_a_character(driver));
        driver.tell(stimulus, request.as_deref().unwrap_or(line)).await?;
    }
    Ok(())
}

/// A request that every subject answers, with an escape in it that is half a character: some readers take it for one,
/// and some for none.
fn half_a_character(driver: &Driver) -> Vec<u8> {
    let (method, params) = liveness(driver);
    let params = match params.unwrap_or_else(|| json!({})) {
        Value::Array(mut items) => {
            items.push("HALF".into());
            Value::Array(items)
        }
        mut members => {
            members["_meta"] = json!({ "com.example/pipeproof": "HALF" });
            members
        }
    };
    let request = driver.dialect().request(&Id::from("bad-6"), method, Some(params));
    String::from_utf8_lossy(&request).replace("HALF", r"\ud800").into_bytes()
}
