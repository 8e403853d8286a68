//! The first session: `server/discover`, and `initialize` after it in the same process.

use serde_json::json;

use super::driver::Stimulus;
use super::{Driver, Scenario, Stopped};
use crate::campaign::Profile;
use crate::ledger::{Facts, Shape};
use crate::protocol::{Era, Protocol, mcp};
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "probe",
    about: "server/discover, and initialize where it is not answered",
    profile: Profile::Quick,
    protocols: &[Protocol::Mcp],
    stimuli: &["probe"],
    opens: false,
    run: |driver, _| Box::pin(probe(driver)),
    ..Scenario::BASE
};

pub(super) const LEGACY: Scenario = Scenario {
    name: "probe-legacy",
    about: "initialize in a process of its own",
    profile: Profile::Quick,
    protocols: &[Protocol::Mcp],
    stimuli: &["initialize"],
    opens: false,
    run: |driver, _| Box::pin(driver.open()),
    ..Scenario::BASE
};

/// What a client of both eras does: ask `server/discover`, and fall back to `initialize` on anything but a modern
/// answer.
async fn probe(driver: &mut Driver) -> Result<(), Stopped> {
    driver.switch(mcp::newest_modern());
    let id = driver.id();
    let request = driver.dialect().request(&id, "server/discover", Some(json!({})));
    let stimulus = Stimulus::new("probe", Expect::Free);
    driver.first(stimulus, &id, &request).await;
    if driver
        .answer(&id)
        .and_then(Facts::result_value)
        .is_some_and(|result| mcp::is_modern(&result))
    {
        return Ok(());
    }
    // A server that the probe has hurt is still a server that answers `initialize`, in a process of its own: what
    // comes here is evidence for the probe alone.
    let mut legacy = mcp::newest_legacy();
    if let Some(opening) = &mut legacy.opening {
        opening.stimulus = "initialize-after-probe";
    }
    driver.switch(legacy);
    if driver.open().await.is_ok() {
        return Ok(());
    }
    // A server of the modern era that has no `server/discover` still answers other requests of that era.
    driver.switch(mcp::newest_modern());
    let id = driver.id();
    let request = driver.dialect().request(&id, "tools/list", Some(json!({})));
    driver.first(Stimulus::new("stateless-request", Expect::Free), &id, &request).await;
    Err(Stopped)
}

/// What the probe says of the subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The eras that it answers in.
    pub eras: Vec<Era>,
    /// The revisions that it names.
    pub revisions: Vec<String>,
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
}

impl Found {
    /// Reads the answer to a request of this method, if it is one that tells of an era.
    pub fn read(&mut self, method: &str, facts: &Facts) {
        let Some(result) = facts.result_value().filter(|_| facts.shape != Shape::Error) else {
            return;
        };
        let texts = |value: &serde_json::Value| value.as_str().map(str::to_string);
        let info = match method {
            "server/discover" if mcp::is_modern(&result) => {
                self.add(Era::Modern);
                let versions = result["supportedVersions"].as_array().into_iter().flatten();
                self.revisions.extend(versions.filter_map(texts));
                result.pointer("/_meta/io.modelcontextprotocol~1serverInfo")
            }
            "tools/list" if mcp::is_modern(&result) => {
                self.add(Era::Modern);
                None
            }
            "initialize" if result.get("protocolVersion").is_some() => {
                self.add(Era::Legacy);
                self.revisions.extend(result.get("protocolVersion").and_then(texts));
                result.get("serverInfo")
            }
            _ => None,
        };
        if let Some(info) = info {
            self.name = info.get("name").and_then(texts).or(self.name.take());
            self.version = info.get("version").and_then(texts).or(self.version.take());
        }
        self.revisions.sort();
        self.revisions.dedup();
    }

    fn add(&mut self, era: Era) {
        if !self.eras.contains(&era) {
            self.eras.push(era);
            self.eras.sort();
        }
    }
}
