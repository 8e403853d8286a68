//! All that the subject offers, used as it wants to be used: its lists to their end, its tools, resources and prompts.

use std::time::Duration;

use serde_json::{Value, json};

use super::driver::Stimulus;
use super::listed::{arguments, callable, name_of};
use super::{Driver, Stopped};
use crate::campaign::Profile;
use crate::generate;
use crate::ledger::Ledger;
use crate::protocol::Era;
use crate::transcript::Expect;

/// How many pages of a list are asked for: more than anybody has, and a list without end is seen long before.
const PAGES: usize = 40;
/// How many tools are called, resources read and prompts fetched.
const USED: usize = 12;
/// A tool that works for this many milliseconds can be watched at work.
const SLOW: u64 = 200;
/// And one that works longer than this takes too much of our time.
const TOO_SLOW: u64 = 4000;

/// The lists of the protocol: the capability, the method, the member that holds the items, and the stimulus.
const LISTS: &[(&str, &str, &str, &str)] = &[
    ("tools", "tools/list", "tools", "tools-list"),
    ("resources", "resources/list", "resources", "resources-list"),
    ("resources", "resources/templates/list", "resourceTemplates", "templates-list"),
    ("prompts", "prompts/list", "prompts", "prompts-list"),
];

/// Whether the subject declares a capability, such as `/resources/subscribe`.
pub(super) fn declares(driver: &Driver, pointer: &str) -> bool {
    let result = driver.opening_result();
    let declared = result.as_ref().and_then(|result| result.get("capabilities"));
    let value = declared.and_then(|declared| declared.pointer(pointer));
    value.is_some_and(|value| *value != Value::Bool(false) && !value.is_null())
}

/// `ping`, in the era that has it.
pub(super) async fn ping(driver: &mut Driver) -> Result<(), Stopped> {
    if driver.dialect().era != Era::Legacy {
        return Ok(());
    }
    driver.ask(Stimulus::new("ping", Expect::Answer), "ping", None).await.map(drop)
}

/// Every list to its end, and the tools once more: nothing has changed.
pub(super) async fn lists(driver: &mut Driver) -> Result<(), Stopped> {
    for (capability, method, member, stimulus) in LISTS {
        if !declares(driver, &format!("/{capability}")) {
            continue;
        }
        let items = list(driver, stimulus, method, member).await?;
        let listed = driver.listed();
        match *stimulus {
            "tools-list" => listed.tools = items,
            "resources-list" => listed.resources = items,
            "prompts-list" => listed.prompts = items,
            _ => {}
        }
    }
    if declares(driver, "/tools") && !driver.is_planned() {
        list(driver, "tools-list", "tools/list", "tools").await?;
    }
    Ok(())
}

/// The tools, in a session that does nothing else with them.
pub(super) async fn tools_list(driver: &mut Driver) -> Result<(), Stopped> {
    if declares(driver, "/tools") { list_tools(driver).await } else { Ok(()) }
}

/// The tools, whatever is declared.
pub(super) async fn list_tools(driver: &mut Driver) -> Result<(), Stopped> {
    let tools = list(driver, "tools-list", "tools/list", "tools").await?;
    driver.listed().tools = tools;
    Ok(())
}

/// A list to its end, or until it is plain that it has none.
async fn list(
    driver: &mut Driver,
    stimulus: &str,
    method: &str,
    member: &str,
) -> Result<Vec<Value>, Stopped> {
    let mut items: Vec<Value> = Vec::new();
    let mut cursors: Vec<Value> = Vec::new();
    for page in 0..PAGES {
        let params = cursors.last().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let variant = if page == 0 { String::new() } else { format!("page {}", page + 1) };
        let stimulus = Stimulus::new(stimulus, Expect::Answer).variant(variant);
        let id = driver.ask(stimulus, method, Some(params)).await?;
        let Some(result) = driver.answer(&id).and_then(|facts| facts.result_value()) else { break };
        if let Some(page) = result.get(member).and_then(Value::as_array) {
            items.extend(page.iter().cloned());
        }
        match result.get("nextCursor").filter(|cursor| cursor.is_string()) {
            // A cursor that comes back leads nowhere new.
            Some(cursor) if !cursors.contains(cursor) => cursors.push(cursor.clone()),
            _ => break,
        }
    }
    Ok(items)
}

/// The tools that may be called, each once, asked to tell of their progress.
pub(super) async fn tools(driver: &mut Driver) -> Result<(), Stopped> {
    for (number, name) in callable(driver).into_iter().take(USED).enumerate() {
        if driver.is_planned() && driver.listed().unfinished.contains(&name) {
            // It has nothing to do with cuts, and takes its time.
            continue;
        }
        let mut params = json!({ "name": name, "arguments": arguments(driver, &name) });
        if !driver.is_planned() {
            // A token is a string or an integer, and comes back as what it was.
            let token =
                if number % 2 == 0 { json!(number) } else { json!(format!("pipeproof-{number}")) };
            params["_meta"] = json!({ "progressToken": token });
        }
        let stimulus = Stimulus::new("tools-call", Expect::Eventually).variant(name.clone());
        let id = driver.ask(stimulus, "tools/call", Some(params)).await?;
        let took = driver
            .ledger()
            .call(&id)
            .and_then(|call| Some(call.answers.first()?.at.saturating_sub(call.at) / 1000));
        if took.is_none() {
            driver.listed().unfinished.push(name.clone());
        }
        let slowest = driver.listed().slow.as_ref().map_or(SLOW, |(_, millis)| *millis);
        if let Some(took) = took.filter(|took| (slowest..=TOO_SLOW).contains(took)) {
            driver.listed().slow = Some((name, took));
        }
    }
    Ok(())
}

/// What works on is watched for a while.
pub(super) async fn unfinished(driver: &mut Driver) -> Result<(), Stopped> {
    let called = |ledger: &Ledger| {
        let calls = ledger.stimuli_named("tools-call").flat_map(|stimulus| &stimulus.calls);
        calls.map(|call| !ledger.calls()[*call].answers.is_empty()).collect::<Vec<_>>()
    };
    let is_hasty = driver.settings().profile < Profile::Standard;
    if !is_hasty && called(driver.ledger()).contains(&false) {
        driver
            .rest_until(Duration::from_millis(TOO_SLOW), |ledger| !called(ledger).contains(&false))
            .await;
    }
    Ok(())
}

/// The resources, each read once, and one of them subscribed to.
pub(super) async fn resources(driver: &mut Driver) -> Result<(), Stopped> {
    let resources = driver.listed().resources.clone();
    for resource in resources.iter().take(USED) {
        let Some(uri) = resource.get("uri").and_then(Value::as_str) else { continue };
        let stimulus = Stimulus::new("resources-read", Expect::Answer).variant(uri);
        driver.ask(stimulus, "resources/read", Some(json!({ "uri": uri }))).await?;
    }
    let first = resources.first().and_then(|one| one.get("uri")).cloned();
    let subscribes =
        driver.dialect().era == Era::Legacy && declares(driver, "/resources/subscribe");
    if let Some(uri) = first.filter(|_| subscribes && !driver.is_planned()) {
        for method in ["resources/subscribe", "resources/unsubscribe"] {
            let stimulus = Stimulus::new("subscribe", Expect::Answer).variant(method);
            driver.ask(stimulus, method, Some(json!({ "uri": uri }))).await?;
        }
    }
    Ok(())
}

/// The prompts, each fetched once, with what they require filled in.
pub(super) async fn prompts(driver: &mut Driver) -> Result<(), Stopped> {
    let prompts = driver.listed().prompts.clone();
    for prompt in prompts.iter().take(USED) {
        let Some(name) = name_of(prompt) else { continue };
        let given = driver.settings().hints.prompts.arguments.get(name).cloned();
        let arguments = given.map_or_else(|| filled_in(prompt), Value::Object);
        let stimulus = Stimulus::new("prompts-get", Expect::Answer).variant(name);
        let params = json!({ "name": name, "arguments": arguments });
        driver.ask(stimulus, "prompts/get", Some(params)).await?;
    }
    Ok(())
}

/// Something for every argument that a prompt requires.
fn filled_in(prompt: &Value) -> Value {
    let all = prompt.get("arguments").and_then(Value::as_array);
    let required = all.into_iter().flatten().filter(|one| one["required"] == Value::Bool(true));
    let text = generate::smallest(&json!({ "type": "string" }));
    Value::Object(
        required.filter_map(name_of).map(|name| (name.to_string(), text.clone())).collect(),
    )
}

/// A completion for the first argument of each prompt that has one.
pub(super) async fn completions(driver: &mut Driver) -> Result<(), Stopped> {
    // The first revision has no capability for it.
    if !declares(driver, "/completions") {
        return Ok(());
    }
    let prompts = driver.listed().prompts.clone();
    for prompt in prompts.iter().take(USED) {
        let argument = prompt.pointer("/arguments/0/name").and_then(Value::as_str);
        let (Some(name), Some(argument)) = (name_of(prompt), argument) else { continue };
        let params = json!({
            "ref": { "type": "ref/prompt", "name": name },
            "argument": { "name": argument, "value": "" },
        });
        let stimulus = Stimulus::new("complete", Expect::Answer).variant(name);
        driver.ask(stimulus, "completion/complete", Some(params)).await?;
    }
    let stimulus = Stimulus::new("unknown-reference", Expect::Answer);
    let params = json!({
        "ref": { "type": "ref/prompt", "name": "pipeproof-no-such-prompt" },
        "argument": { "name": "x", "value": "" },
    });
    driver.ask(stimulus, "completion/complete", Some(params)).await.map(drop)
}

/// Every level of logging, and one that there is not.
pub(super) async fn levels(driver: &mut Driver) -> Result<(), Stopped> {
    if driver.dialect().era != Era::Legacy || !declares(driver, "/logging") {
        return Ok(());
    }
    const LEVELS: &[&str] =
        &["emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"];
    for level in LEVELS {
        let stimulus = Stimulus::new("set-level", Expect::Answer).variant(*level);
        driver.ask(stimulus, "logging/setLevel", Some(json!({ "level": level }))).await?;
    }
    let stimulus = Stimulus::new("bad-level", Expect::Answer);
    driver.ask(stimulus, "logging/setLevel", Some(json!({ "level": "banana" }))).await.map(drop)
}
