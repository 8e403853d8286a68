//! Work that takes its time: cancelled, watched, and other requests meanwhile.

use std::time::Duration;

use pipeproof_transport::message::Id;
use serde_json::json;

use super::conversation::liveness;
use super::driver::Stimulus;
use super::listed::arguments;
use super::stateless::raw;
use super::{Driver, Stopped};
use crate::campaign::Profile;
use crate::ledger::Ledger;
use crate::transcript::Expect;

/// How many times a request is cancelled at once.
const RACES: usize = 50;

/// Cancellations of what is not there, or is over.
pub(super) async fn unknown(driver: &mut Driver) -> Result<(), Stopped> {
    let finished = driver.ledger().calls().last().map(|call| raw(&call.id));
    let cancellations = [
        ("an id that was never sent", json!({ "requestId": 987_654_321 })),
        ("an id that was answered", json!({ "requestId": finished })),
        ("no id", json!({})),
        ("the id null", json!({ "requestId": null })),
    ];
    for (what, params) in cancellations {
        let bytes = driver.dialect().notification("notifications/cancelled", Some(params));
        let stimulus = Stimulus::new("cancel-unknown", Expect::Silence).variant(what);
        driver.tell(stimulus, &bytes).await?;
    }
    Ok(())
}

/// Requests that are cancelled in the write that sends them: they may be answered, or not, but not twice.
pub(super) async fn race(driver: &mut Driver) -> Result<(), Stopped> {
    let (method, params) = liveness(driver);
    let mut stream = Vec::new();
    for number in 0..RACES {
        let id = driver.id();
        if number > 0 {
            stream.push(b'\n');
        }
        stream.extend(driver.dialect().request(&id, method, params.clone()));
        stream.push(b'\n');
        let cancel = json!({ "requestId": raw(&id) });
        stream.extend(driver.dialect().notification("notifications/cancelled", Some(cancel)));
    }
    driver.tell(Stimulus::new("cancel-race", Expect::Free), &stream).await
}

/// The slow tool that the user named, or that was seen to be slow, with what it is known to take.
fn slow_tool(driver: &mut Driver) -> Option<(String, Duration)> {
    if driver.settings().profile < Profile::Standard {
        return None;
    }
    let hinted = driver.settings().hints.tools.slow.clone();
    let seen = driver.listed().slow.clone();
    match (hinted, seen) {
        (Some(name), Some((seen, millis))) if name == seen => {
            Some((name, Duration::from_millis(millis)))
        }
        (Some(name), _) => Some((name, Duration::from_secs(1))),
        (None, Some((name, millis))) => Some((name, Duration::from_millis(millis))),
        (None, None) => None,
    }
}

/// A call of the slow tool as a request with a progress token.
fn slow_call(driver: &mut Driver, name: &str, token: &str) -> (Id, Vec<u8>) {
    let arguments = arguments(driver, name);
    let id = driver.id();
    let meta = json!({ "progressToken": token });
    let params = json!({ "name": name, "arguments": arguments, "_meta": meta });
    let request = driver.dialect().request(&id, "tools/call", Some(params));
    (id, request)
}

/// Requests while slow calls work, two of them at once.
pub(super) async fn concurrent(driver: &mut Driver) -> Result<(), Stopped> {
    let Some((name, _)) = slow_tool(driver) else { return Ok(()) };
    let first = slow_call(driver, &name, "pipeproof-first");
    let second = slow_call(driver, &name, "pipeproof-second");
    let (method, params) = liveness(driver);
    let id = driver.id();
    let request = driver.dialect().request(&id, method, params);
    let stimulus = Stimulus::new("concurrent", Expect::Eventually).variant(name);
    driver.ask_all(stimulus, &[first, second, (id, request)]).await
}

/// A slow call that is cancelled while it works, and time enough to see whether it goes on.
pub(super) async fn slow(driver: &mut Driver) -> Result<(), Stopped> {
    let Some((name, takes)) = slow_tool(driver) else {
        return Ok(());
    };
    let (id, request) = slow_call(driver, &name, "pipeproof-cancelled");
    driver.send_only(Stimulus::new("cancel-slow", Expect::Free).variant(name), &request).await;
    let cancelled = id.clone();
    let answered =
        move |ledger: &Ledger| ledger.call(&cancelled).is_some_and(|call| !call.answers.is_empty());
    driver.rest(takes / 4).await;
    if !answered(driver.ledger()) {
        let cancel = json!({ "requestId": raw(&id) });
        let cancel = driver.dialect().notification("notifications/cancelled", Some(cancel));
        driver.send_more(&cancel).await;
    }
    driver.until(takes * 2 + driver.settings().deadlines.silence, answered).await;
    driver.check_liveness("a cancelled call").await
}
