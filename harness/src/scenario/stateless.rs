//! What only the stateless era has: a version in every request, methods that it has dropped, and listening.

use pipeproof_transport::message::Id;
use serde_json::{Value, json};

use super::driver::Stimulus;
use super::features::declares;
use super::{Driver, Stopped};
use crate::ledger::Ledger;
use crate::protocol::Era;
use crate::transcript::Expect;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";

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

/// Listens for changes, sees that it is acknowledged, and stops listening.
pub(super) async fn listen(driver: &mut Driver) -> Result<(), Stopped> {
    let changes = [
        ("/tools/listChanged", "toolsListChanged"),
        ("/prompts/listChanged", "promptsListChanged"),
        ("/resources/listChanged", "resourcesListChanged"),
    ];
    let wanted: Vec<&str> = changes
        .iter()
        .filter(|(pointer, _)| declares(driver, pointer))
        .map(|(_, name)| *name)
        .collect();
    if !is_stateless(driver) || wanted.is_empty() {
        return Ok(());
    }
    let id = driver.id();
    let filter: Value = wanted.into_iter().map(|name| (name.to_string(), json!(true))).collect();
    let params = json!({ "notifications": filter });
    let request = driver.dialect().request(&id, "subscriptions/listen", Some(params));
    driver.send_only(Stimulus::new("listen", Expect::Free), &request).await;
    let patience = driver.settings().deadlines.answer;
    driver.until(patience, acknowledged(&id)).await;
    let cancel = json!({ "requestId": raw(&id) });
    let cancel = driver.dialect().notification("notifications/cancelled", Some(cancel));
    driver.send_more(&cancel).await;
    driver.check_liveness("a listening was cancelled").await
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
