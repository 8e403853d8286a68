//! What only the stateless era has: a version in every request, methods that it has dropped, and listening.

use std::time::Duration;

use pipeproof_transport::message::Id;
use serde_json::{Map, Value, json};

use super::driver::Stimulus;
use super::features::declares;
use super::listed::{arguments, callable};
use super::{Driver, Scenario, Stopped};
use crate::ledger::Ledger;
use crate::protocol::{Era, Protocol};
use crate::transcript::Expect;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// How many tools are called with a level.
const CALLS: usize = 6;
/// How long is waited for what may not come after a listening was cancelled.
const AFTERWARDS: Duration = Duration::from_millis(300);

/// The end of input while changes are listened for.
pub(super) const LISTENING: Scenario = Scenario {
    name: "listening",
    about: "the end of input while changes are listened for",
    protocols: &[Protocol::Mcp],
    era: Some(Era::Modern),
    stimuli: &["listen", "end-of-input"],
    run: |driver, _| Box::pin(listen_to_the_end(driver)),
    ..Scenario::BASE
};

/// Methods of the handshake era that this one has not.
const REMOVED: &[(&str, &str)] = &[
    ("ping", r#"{}"#),
    ("logging/setLevel", r#"{"level":"info"}"#),
    ("resources/subscribe", r#"{"uri":"pipeproof://x"}"#),
];

fn is_stateless(driver: &Driver) -> bool {
    driver.dialect().era == Era::Modern
}

/// A request of the dialect whose `_meta` is changed.
fn changed(driver: &mut Driver, method: &str, change: impl FnOnce(&mut Value)) -> (Id, Vec<u8>) {
    let id = driver.id();
    let mut dialect = driver.dialect().clone();
    if let Some(meta) = &mut dialect.meta {
        change(meta);
    }
    let request = dialect.request(&id, method, Some(json!({})));
    (id, request)
}

/// A version that there is not, requests that lack what each must carry, and methods that are gone.
pub(super) async fn refusals(driver: &mut Driver) -> Result<(), Stopped> {
    if !is_stateless(driver) {
        return Ok(());
    }
    let method = "server/discover";
    let other = changed(driver, method, |meta| meta[VERSION] = json!("1900-01-01"));
    driver.ask_all(Stimulus::new("unsupported-version", Expect::Answer), &[other]).await?;
    for member in [VERSION, CAPABILITIES] {
        let lacking = changed(driver, method, |meta| {
            if let Some(members) = meta.as_object_mut() {
                members.remove(member);
            }
        });
        let stimulus = Stimulus::new("meta-missing", Expect::Answer).variant(member);
        driver.ask_all(stimulus, &[lacking]).await?;
    }
    let anonymous = changed(driver, method, |meta| {
        if let Some(members) = meta.as_object_mut() {
            members.remove(CLIENT);
        }
    });
    let stimulus = Stimulus::new("client-info-missing", Expect::Answer);
    driver.ask_all(stimulus, &[anonymous]).await?;
    for (method, params) in REMOVED {
        let params = serde_json::from_str(params).unwrap_or_default();
        let stimulus = Stimulus::new("removed-method", Expect::Judged).variant(*method);
        driver.ask(stimulus, method, Some(params)).await?;
    }
    Ok(())
}

/// Listens to what is declared to change, until it is acknowledged, and then no more.
pub(super) async fn listen(driver: &mut Driver) -> Result<(), Stopped> {
    let Some(id) = begin_listening(driver, "").await else { return Ok(()) };
    let cancel = json!({ "requestId": raw(&id) });
    let cancel = driver.dialect().notification("notifications/cancelled", Some(cancel));
    driver.send_more(&cancel).await;
    driver.rest(AFTERWARDS).await;
    driver.check_liveness("a listening was cancelled").await
}

/// Listens while the input ends.
async fn listen_to_the_end(driver: &mut Driver) -> Result<(), Stopped> {
    driver.open().await?;
    if begin_listening(driver, "to the end of input").await.is_some() {
        driver.end_variant("while changes are listened for");
        driver.await_open_calls();
    }
    Ok(())
}

/// Asks for what is declared to change, and waits for the acknowledgement; `None` where nothing is.
async fn begin_listening(driver: &mut Driver, variant: &str) -> Option<Id> {
    let changes = [
        ("/tools/listChanged", "toolsListChanged"),
        ("/prompts/listChanged", "promptsListChanged"),
        ("/resources/listChanged", "resourcesListChanged"),
    ];
    let wanted = changes.iter().filter(|(pointer, _)| declares(driver, pointer));
    let filter: Map<String, Value> =
        wanted.map(|(_, name)| ((*name).to_string(), json!(true))).collect();
    if !is_stateless(driver) || filter.is_empty() {
        return None;
    }
    let id = driver.id();
    let params = json!({ "notifications": filter });
    let request = driver.dialect().request(&id, "subscriptions/listen", Some(params));
    let stimulus = Stimulus::new("listen", Expect::Free).variant(variant);
    driver.send_only(stimulus, &request).await;
    let patience = driver.settings().deadlines.answer;
    driver.until(patience, acknowledged(&id)).await;
    Some(id)
}

/// Calls of tools that want to be told of errors alone.
pub(super) async fn call_with_level(driver: &mut Driver) -> Result<(), Stopped> {
    if !is_stateless(driver) || !declares(driver, "/logging") {
        return Ok(());
    }
    for name in callable(driver).into_iter().take(CALLS) {
        let listed = driver.listed();
        let is_slow = listed.slow.as_ref().is_some_and(|(slow, _)| *slow == name);
        if is_slow || listed.unfinished.contains(&name) {
            continue;
        }
        let params = json!({
            "name": name,
            "arguments": arguments(driver, &name),
            "_meta": { LOG_LEVEL: "error" },
        });
        let stimulus = Stimulus::new("call-with-level", Expect::Eventually).variant(name);
        driver.ask(stimulus, "tools/call", Some(params)).await?;
    }
    Ok(())
}

/// Whether anything was answered to a request, or acknowledged.
fn acknowledged(id: &Id) -> impl Fn(&Ledger) -> bool {
    let id = id.clone();
    move |ledger| {
        let messages = ledger.received().iter().flat_map(|frame| frame.messages());
        let is_acknowledgement =
            |method: Option<&str>| method == Some("notifications/subscriptions/acknowledged");
        ledger.call(&id).is_some_and(|call| !call.answers.is_empty())
            || messages.into_iter().any(|facts| is_acknowledgement(facts.method.as_deref()))
    }
}

/// An id as a value.
pub(super) fn raw(id: &Id) -> Value {
    serde_json::from_str(&id.to_json()).unwrap_or_default()
}
