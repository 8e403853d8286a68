//! Every revision asked for, each in a process of its own: which are accepted, and what is answered to the others.

use serde_json::json;

use super::driver::Stimulus;
use super::features::tools_list;
use super::{Driver, Scenario, Stopped};
use crate::protocol::{Era, Protocol, mcp};
use crate::transcript::Expect;

/// Revisions that there are not: one from before the first, one from after the last.
const UNKNOWN: &[&str] = &["1999-01-01", "2099-12-31"];

pub(super) const SCENARIO: Scenario = Scenario {
    name: "version",
    about: "another revision",
    protocols: &[Protocol::Mcp],
    era: Some(Era::Legacy),
    stimuli: &["version", "batch", "batch-removed", "tools-list"],
    run: |driver, _| Box::pin(ask(driver)),
    ..Scenario::BASE
};

/// The revisions that are asked for, known ones first.
pub fn asked() -> impl Iterator<Item = &'static str> {
    mcp::LEGACY.iter().chain(UNKNOWN).copied()
}

async fn ask(driver: &mut Driver) -> Result<(), Stopped> {
    let mut dialect = driver.dialect().clone();
    let known = mcp::LEGACY.contains(&dialect.revision.as_str());
    if let Some(opening) = &mut dialect.opening {
        opening.stimulus = "version";
    }
    driver.switch(dialect);
    driver.open().await?;
    if !known {
        return Ok(());
    }
    tools_list(driver).await?;
    batch(driver).await
}

/// Two requests in one array, which one revision has and later ones have not.
async fn batch(driver: &mut Driver) -> Result<(), Stopped> {
    let answered =
        driver.opening_result().and_then(|result| result.get("protocolVersion").cloned());
    let name = match answered.as_ref().and_then(|revision| revision.as_str()) {
        Some("2025-03-26") => "batch",
        Some(revision) if mcp::LEGACY.contains(&revision) && revision > "2025-03-26" => {
            "batch-removed"
        }
        _ => return Ok(()),
    };
    let batch = json!([
        { "jsonrpc": "2.0", "id": "batch-1", "method": "ping" },
        { "jsonrpc": "2.0", "id": "batch-2", "method": "ping" },
    ]);
    let stimulus = Stimulus::new(name, Expect::Free).variant("two pings");
    driver.tell(stimulus, batch.to_string().as_bytes()).await
}
