//! Requests that the subject has to refuse: names that it does not know, parameters that are wrong, and what it does not
//! declare.

use serde_json::{Value, json};

use super::driver::Stimulus;
use super::features::declares;
use super::listed::{arguments, callable, name_of};
use super::{Driver, Stopped};
use crate::protocol::Era;
use crate::transcript::Expect;

const NO_SUCH: &str = "pipeproof-no-such-name";
/// How many tools are called with bad arguments, and prompts fetched without theirs.
const TRIED: usize = 4;

/// A tool that does not exist, calls that are none, and bad arguments.
pub(super) async fn tools(driver: &mut Driver) -> Result<(), Stopped> {
    if !declares(driver, "/tools") {
        return Ok(());
    }
    let params = json!({ "name": NO_SUCH, "arguments": {} });
    driver.ask(Stimulus::new("unknown-tool", Expect::Answer), "tools/call", Some(params)).await?;
    let calls = [
        ("no name", json!({ "arguments": {} })),
        ("a name that is a number", json!({ "name": 5, "arguments": {} })),
    ];
    for (what, params) in calls {
        let stimulus = Stimulus::new("malformed-call", Expect::Answer).variant(what);
        driver.ask(stimulus, "tools/call", Some(params)).await?;
    }
    let mut tried = 0;
    for name in callable(driver) {
        let required: Vec<String> = driver
            .listed()
            .tool(&name)
            .and_then(|tool| tool.pointer("/inputSchema/required"))
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|one| one.as_str().map(str::to_string))
            .collect();
        let (Some(missing), true) = (required.first(), tried < TRIED) else { continue };
        tried += 1;
        let mut bad = arguments(driver, &name);
        if let Some(members) = bad.as_object_mut() {
            members.remove(missing);
        }
        let variant = format!("{name} without {missing}");
        let stimulus = Stimulus::new("bad-arguments", Expect::Answer).variant(variant);
        let params = json!({ "name": name, "arguments": bad });
        driver.ask(stimulus, "tools/call", Some(params)).await?;
    }
    Ok(())
}

/// A resource that does not exist.
pub(super) async fn resources(driver: &mut Driver) -> Result<(), Stopped> {
    if !declares(driver, "/resources") {
        return Ok(());
    }
    let params = json!({ "uri": format!("pipeproof://{NO_SUCH}") });
    let stimulus = Stimulus::new("unknown-resource", Expect::Answer);
    driver.ask(stimulus, "resources/read", Some(params)).await.map(drop)
}

/// A prompt that does not exist, and prompts without what they require.
pub(super) async fn prompts(driver: &mut Driver) -> Result<(), Stopped> {
    if !declares(driver, "/prompts") {
        return Ok(());
    }
    let params = json!({ "name": NO_SUCH });
    let stimulus = Stimulus::new("unknown-prompt", Expect::Answer);
    driver.ask(stimulus, "prompts/get", Some(params)).await?;
    let requires = |prompt: &&Value| {
        let arguments = prompt.get("arguments").and_then(Value::as_array);
        arguments.into_iter().flatten().any(|one| one["required"] == Value::Bool(true))
    };
    let prompts = driver.listed().prompts.clone();
    for name in prompts.iter().filter(requires).filter_map(name_of).take(TRIED) {
        let stimulus = Stimulus::new("prompt-without-arguments", Expect::Answer).variant(name);
        let params = json!({ "name": name, "arguments": {} });
        driver.ask(stimulus, "prompts/get", Some(params)).await?;
    }
    Ok(())
}

/// A cursor that the subject never gave, for each list.
pub(super) async fn cursors(driver: &mut Driver) -> Result<(), Stopped> {
    let lists =
        [("tools", "tools/list"), ("resources", "resources/list"), ("prompts", "prompts/list")];
    for (capability, method) in lists {
        if !declares(driver, &format!("/{capability}")) {
            continue;
        }
        let stimulus = Stimulus::new("bad-cursor", Expect::Answer).variant(method);
        driver.ask(stimulus, method, Some(json!({ "cursor": NO_SUCH }))).await?;
    }
    Ok(())
}

/// Methods of what the subject does not declare.
pub(super) async fn undeclared(driver: &mut Driver) -> Result<(), Stopped> {
    let mut areas = vec![
        ("/tools", "tools/list", json!({})),
        ("/resources", "resources/list", json!({})),
        ("/prompts", "prompts/list", json!({})),
    ];
    if driver.dialect().era == Era::Legacy {
        areas.push(("/logging", "logging/setLevel", json!({ "level": "info" })));
        let uri = driver.listed().resources.first().and_then(|one| one.get("uri")).cloned();
        if let Some(uri) = uri {
            areas.push(("/resources/subscribe", "resources/subscribe", json!({ "uri": uri })));
        }
    }
    // Whoever declares nothing in the proper form is judged for that.
    let silent = driver.opening_result().is_none_or(|result| result.get("capabilities").is_none());
    for (capability, method, params) in areas {
        if silent || declares(driver, capability) {
            continue;
        }
        let stimulus = Stimulus::new("undeclared-method", Expect::Answer).variant(method);
        driver.ask(stimulus, method, Some(params)).await?;
    }
    Ok(())
}
