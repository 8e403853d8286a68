//! An ordinary conversation: odd but valid ids, a method that does not exist, notifications, then everything that the
//! subject offers, and what it has to refuse.
//!
//! It is also what is said again in sessions that a split plan cuts throughout; what has nothing to do with cuts is left
//! out there.

use pipeproof_transport::message::Id;
use serde_json::{Value, json};

use super::driver::Stimulus;
use super::{Driver, Scenario, Step, Stopped, cancellation, features, refusals, stateless, walk};
use crate::campaign::Profile;
use crate::protocol::Protocol;
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "conversation",
    about: "ids, notifications, all that the subject offers, what it refuses",
    profile: Profile::Quick,
    protocols: &[Protocol::Mcp],
    stimuli: &[
        "id",
        "unknown-method",
        "notification",
        "ping",
        "tools-list",
        "tools-call",
        "resources-list",
        "templates-list",
        "resources-read",
        "subscribe",
        "prompts-list",
        "prompts-get",
        "complete",
        "unknown-tool",
        "malformed-call",
        "bad-arguments",
        "unknown-resource",
        "unknown-prompt",
        "prompt-without-arguments",
        "unknown-reference",
        "bad-cursor",
        "undeclared-method",
        "set-level",
        "bad-level",
        "unsupported-version",
        "meta-missing",
        "removed-method",
        "listen",
        "call-with-level",
        "concurrent",
        "cancel-slow",
        "client-info-missing",
    ],
    steps: SAID.len() + WATCHED.len(),
    run: |driver, part| Box::pin(converse(driver, part)),
    ..Scenario::BASE
};

/// What is said in every session, however it is cut.
const SAID: &[Step] = &[
    |driver| Box::pin(ids(driver)),
    |driver| Box::pin(unknown_method(driver)),
    |driver| Box::pin(notifications(driver)),
    |driver| Box::pin(features::ping(driver)),
    |driver| Box::pin(features::lists(driver)),
    |driver| Box::pin(features::tools(driver)),
    |driver| Box::pin(features::resources(driver)),
    |driver| Box::pin(features::prompts(driver)),
    |driver| Box::pin(features::completions(driver)),
    |driver| Box::pin(features::levels(driver)),
    |driver| Box::pin(refusals::tools(driver)),
    |driver| Box::pin(refusals::resources(driver)),
    |driver| Box::pin(refusals::prompts(driver)),
    |driver| Box::pin(refusals::cursors(driver)),
    |driver| Box::pin(refusals::undeclared(driver)),
    |driver| Box::pin(stateless::refusals(driver)),
];

/// What is watched at work; it has nothing to do with cuts.
const WATCHED: &[Step] = &[
    |driver| Box::pin(stateless::listen(driver)),
    |driver| Box::pin(stateless::call_with_level(driver)),
    |driver| Box::pin(features::unfinished(driver)),
    |driver| Box::pin(cancellation::concurrent(driver)),
    |driver| Box::pin(cancellation::slow(driver)),
];

async fn converse(driver: &mut Driver, part: usize) -> Result<(), Stopped> {
    driver.open().await?;
    let nothing_listed = *driver.listed() == super::Listed::default();
    if !driver.settings().only.is_empty() && nothing_listed {
        // Most steps want to know what there is.
        features::lists(driver).await?;
    }
    let watched = if driver.is_planned() { &[] } else { WATCHED };
    walk(driver, &[SAID, watched].concat(), part).await
}

/// Ids of every sort that the protocol allows, and that every implementation can hold.
pub(super) async fn ids(driver: &mut Driver) -> Result<(), Stopped> {
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

pub(super) async fn unknown_method(driver: &mut Driver) -> Result<(), Stopped> {
    let number = driver.rng().u32(..);
    let method = format!("pipeproof/no-such-method-{number:08x}");
    let stimulus = Stimulus::new("unknown-method", Expect::Judged);
    driver.ask(stimulus, &method, Some(json!({}))).await.map(drop)
}

/// A notification that nobody knows, and a request's method without an id. One of what is not declared would be a fault
/// of ours.
pub(super) async fn notifications(driver: &mut Driver) -> Result<(), Stopped> {
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

pub(super) fn liveness(driver: &Driver) -> (&'static str, Option<Value>) {
    let (method, params) = driver.dialect().liveness.clone();
    (method, Some(params).filter(|params| !params.is_null()))
}
