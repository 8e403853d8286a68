//! An ordinary conversation: odd but valid ids, a method that does not exist, notifications, the tools.

use pipeproof_transport::message::Id;
use serde_json::{Value, json};

use super::driver::Stimulus;
use super::{CallTools, Driver, Scenario, Stopped};
use crate::campaign::Profile;
use crate::generate;
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "conversation",
    about: "ids, an unknown method, notifications, tools",
    profile: Profile::Quick,
    stimuli: &["id", "unknown-method", "notification", "tools"],
    part: 0,
    run: |driver, _| Box::pin(converse(driver)),
};

/// How many pages of tools are asked for, and how many tools are called.
const PAGES: usize = 20;
const CALLS: usize = 12;

async fn converse(driver: &mut Driver) -> Result<(), Stopped> {
    driver.open().await?;
    ids(driver).await?;
    unknown_method(driver).await?;
    notifications(driver).await?;
    tools(driver).await
}

/// Ids of every sort that the protocol allows, and that every implementation can hold.
async fn ids(driver: &mut Driver) -> Result<(), Stopped> {
    let ids = [
        ("the number 0", Id::from(0u64)),
        ("the number -1", Id::from(-1i64)),
        ("2^53 - 1", Id::from(9_007_199_254_740_991u64)),
        ("the empty string", Id::from("")),
        ("a string of digits", Id::from("7")),
        ("a string with characters of two to four bytes", Id::from("é€😀")),
        ("a UUID", Id::from("0b9de4a6-3f2c-4d1e-9a57-6c1f0e8b7d21")),
    ];
    let (method, params) = liveness(driver);
    for (what, id) in ids {
        let stimulus = Stimulus::new("id", Expect::Answer).variant(what);
        driver.ask_with(stimulus, &id, method, params.clone()).await?;
    }
    Ok(())
}

async fn unknown_method(driver: &mut Driver) -> Result<(), Stopped> {
    let number = driver.rng().u32(..);
    let method = format!("pipeproof/no-such-method-{number:08x}");
    let stimulus = Stimulus::new("unknown-method", Expect::Judged);
    driver.ask(stimulus, &method, Some(json!({}))).await.map(drop)
}

async fn notifications(driver: &mut Driver) -> Result<(), Stopped> {
    let (method, params) = liveness(driver);
    let notifications = [
        ("an unknown notification", "notifications/pipeproof/unknown", Some(json!({}))),
        ("a request's method without an id", method, params),
    ];
    for (what, method, params) in notifications {
        let bytes = driver.dialect().notification(method, params);
        let stimulus = Stimulus::new("notification", Expect::Silence).variant(what);
        driver.tell(stimulus, &bytes).await?;
    }
    Ok(())
}

/// Lists the tools, if there are any by the server's own word, and calls those that may be called.
async fn tools(driver: &mut Driver) -> Result<(), Stopped> {
    let capability =
        driver.opening_result().and_then(|result| result.pointer("/capabilities/tools").cloned());
    if capability.is_none() {
        return Ok(());
    }
    let mut tools: Vec<Value> = Vec::new();
    let mut cursor: Option<Value> = None;
    for _ in 0..PAGES {
        let params = cursor.take().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let stimulus = Stimulus::new("tools", Expect::Answer).variant("tools/list");
        let id = driver.ask(stimulus, "tools/list", Some(params)).await?;
        let Some(result) = driver.answer(&id).and_then(|facts| facts.result_value()) else { break };
        if let Some(page) = result.get("tools").and_then(Value::as_array) {
            tools.extend(page.iter().cloned());
        }
        cursor = result.get("nextCursor").filter(|cursor| cursor.is_string()).cloned();
        if cursor.is_none() {
            break;
        }
    }
    let allowed = driver.call_tools();
    for tool in tools.iter().filter(|tool| may_call(tool, allowed)).take(CALLS) {
        let Some(name) = tool.get("name").and_then(Value::as_str) else { continue };
        let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
        let arguments = generate::smallest(schema);
        let stimulus =
            Stimulus::new("tools", Expect::Eventually).variant(format!("tools/call {name}"));
        driver
            .ask(stimulus, "tools/call", Some(json!({ "name": name, "arguments": arguments })))
            .await?;
    }
    Ok(())
}

fn may_call(tool: &Value, allowed: CallTools) -> bool {
    match allowed {
        CallTools::All => true,
        CallTools::None => false,
        CallTools::ReadOnly => tool.pointer("/annotations/readOnlyHint") == Some(&json!(true)),
    }
}

pub(super) fn liveness(driver: &Driver) -> (&'static str, Option<Value>) {
    let (method, params) = driver.dialect().liveness.clone();
    (method, Some(params).filter(|params| !params.is_null()))
}
