//! The edges of a session: what comes before its opening, and input that ends at an odd moment.

use serde_json::json;

use super::conversation::liveness;
use super::driver::Stimulus;
use super::features;
use super::{Driver, Scenario, Stopped};
use crate::ledger::Ledger;
use crate::protocol::{Era, Protocol, mcp};
use crate::transcript::Expect;

/// The end of input before anything was said.
pub(super) const BEFORE: Scenario = Scenario {
    name: "end",
    about: "the end of input before any message",
    stimuli: &["end-of-input"],
    opens: false,
    run: |driver, _| {
        Box::pin(async {
            driver.end_variant("before any message");
            Ok(())
        })
    },
    ..Scenario::BASE
};

/// The end of input right after requests.
pub(super) const PENDING: Scenario = Scenario {
    name: "pending",
    about: "requests, and the end of input at once",
    stimuli: &["pending"],
    run: |driver, _| Box::pin(pending(driver)),
    ..Scenario::BASE
};

/// Requests before the opening, and what comes twice.
pub(super) const EARLY: Scenario = Scenario {
    name: "early",
    about: "requests before the opening, and a second opening",
    protocols: &[Protocol::Mcp],
    stimuli: &[
        "early-request",
        "early-ping",
        "initialize-without-params",
        "second-initialize",
        "stateless-after-handshake",
        "first-list",
        "tools-list",
    ],
    opens: false,
    run: |driver, _| Box::pin(early(driver)),
    ..Scenario::BASE
};

/// How many requests are left pending.
const REQUESTS: usize = 20;

async fn pending(driver: &mut Driver) -> Result<(), Stopped> {
    driver.open().await?;
    let (method, params) = liveness(driver);
    let mut stream = Vec::new();
    for number in 0..REQUESTS {
        if number > 0 {
            stream.push(b'\n');
        }
        let id = driver.id();
        stream.extend(driver.dialect().request(&id, method, params.clone()));
    }
    driver.send_only(Stimulus::new("pending", Expect::Free), &stream).await;
    driver.end_variant("with requests just written");
    driver.await_open_calls();
    Ok(())
}

async fn early(driver: &mut Driver) -> Result<(), Stopped> {
    if driver.dialect().era != Era::Legacy {
        // Without a handshake any request may be the first.
        let stimulus = Stimulus::new("first-list", Expect::Answer);
        driver.ask(stimulus, "tools/list", Some(json!({}))).await?;
        driver.open().await?;
        return features::tools_list(driver).await;
    }
    let early = [
        ("early-request", "tools/list", Some(json!({}))),
        ("early-ping", "ping", None),
        ("initialize-without-params", "initialize", None),
    ];
    let mut pinged = false;
    for (number, (name, method, params)) in early.into_iter().enumerate() {
        let id = driver.id();
        let request = driver.dialect().request(&id, method, params);
        driver.send_only(Stimulus::new(name, Expect::Free), &request).await;
        let deadlines = driver.settings().deadlines;
        // Only the first waits for the process to start.
        if name == "initialize-without-params" && !pinged {
            // Whoever is deaf has been so since the first request.
            break;
        }
        let patience = if number == 0 { deadlines.start / 4 } else { deadlines.silence };
        let answered =
            move |ledger: &Ledger| ledger.call(&id).is_some_and(|call| !call.answers.is_empty());
        pinged = driver.until(patience, answered).await;
        if driver.is_gone() {
            return driver.stop(&format!("the session ended at `{name}`"));
        }
    }
    let mut dialect = driver.dialect().clone();
    let opening = dialect.opening.clone();
    if let Some(opening) = &mut dialect.opening {
        opening.stimulus = "initialize-late";
    }
    driver.switch(dialect);
    driver.open().await?;
    let Some(opening) = opening else { return Ok(()) };
    let stimulus = Stimulus::new("second-initialize", Expect::Judged);
    driver.ask(stimulus, opening.method, Some(opening.params)).await?;
    // The two eras do not disturb each other: a stateless request after a handshake.
    let id = driver.id();
    let request = mcp::newest_modern().request(&id, "server/discover", Some(json!({})));
    let stimulus = Stimulus::new("stateless-after-handshake", Expect::Judged);
    driver.ask_all(stimulus, &[(id, request)]).await
}
