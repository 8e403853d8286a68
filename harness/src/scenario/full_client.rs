//! A client that declares everything it can: what the subject asks of it then, and when.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::driver::Stimulus;
use super::features::tools_list;
use super::listed::{arguments, callable};
use super::{Driver, Scenario, Stopped};
use crate::protocol::Protocol;
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "full-client",
    about: "a client that can be asked for everything",
    protocols: &[Protocol::Mcp],
    stimuli: &["initialize", "before-initialized", "client-call", "client-retry"],
    declares_all: true,
    run: |driver, _| Box::pin(drive(driver)),
    ..Scenario::BASE
};

/// How many tools are called.
const CALLS: usize = 12;
/// How often a call that asks for input is answered.
const ROUNDS: usize = 3;
/// How long the handshake is left incomplete.
const PAUSE: Duration = Duration::from_millis(300);

async fn drive(driver: &mut Driver) -> Result<(), Stopped> {
    let then = driver.begin_opening().await?;
    if then.is_some() {
        // Until the handshake is complete a server asks for nothing.
        driver.send_only(Stimulus::new("before-initialized", Expect::Free), b"").await;
        driver.rest(PAUSE).await;
    }
    driver.complete_opening(then).await?;
    tools_list(driver).await?;
    for name in callable(driver).into_iter().take(CALLS) {
        let arguments = arguments(driver, &name);
        let mut params = json!({ "name": name, "arguments": arguments });
        let stimulus = Stimulus::new("client-call", Expect::Eventually).variant(name.clone());
        let mut id = driver.ask(stimulus, "tools/call", Some(params.clone())).await?;
        for _ in 0..ROUNDS {
            let Some(result) = driver.answer(&id).and_then(|facts| facts.result_value()) else {
                break;
            };
            if result.get("resultType") != Some(&json!("input_required")) {
                break;
            }
            params["inputResponses"] = responses(driver, result.get("inputRequests"));
            if let Some(state) = result.get("requestState") {
                params["requestState"] = state.clone();
            }
            let stimulus = Stimulus::new("client-retry", Expect::Eventually).variant(name.clone());
            id = driver.ask(stimulus, "tools/call", Some(params.clone())).await?;
        }
    }
    Ok(())
}

/// What the client answers to each request for input.
fn responses(driver: &Driver, requests: Option<&Value>) -> Value {
    let client = &driver.dialect().client;
    let requests = requests.and_then(Value::as_object).into_iter().flatten();
    let answered = requests.filter_map(|(key, request)| {
        let method = request.get("method")?.as_str()?;
        let params = request.get("params").unwrap_or(&Value::Null);
        Some((key.clone(), client.answer(method, params).ok()?))
    });
    Value::Object(answered.collect::<Map<_, _>>())
}
