//! The first session: `server/discover`, and `initialize` after it in the same process.

use super::driver::Stimulus;
use super::{Driver, Scenario, Stopped};
use crate::campaign::Profile;
use crate::ledger::{Facts, Shape};
use crate::protocol::{Era, mcp};
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "probe",
    about: "server/discover, and initialize where it is not answered",
    profile: Profile::Quick,
    stimuli: &["probe"],
    part: 0,
    run: |driver, _| Box::pin(probe(driver)),
};

pub(super) const LEGACY: Scenario = Scenario {
    name: "probe-legacy",
    about: "initialize in a process of its own",
    profile: Profile::Quick,
    stimuli: &["initialize"],
    part: 0,
    run: |driver, _| Box::pin(driver.open()),
};

/// What a client of both eras does: ask `server/discover`, and fall back to `initialize` on anything but a modern
/// answer.
async fn probe(driver: &mut Driver) -> Result<(), Stopped> {
    let modern = mcp::newest(Era::Modern);
    let legacy = mcp::newest(Era::Legacy);
    let opening = modern.opening.clone();
    driver.switch(modern);
    let id = driver.id();
    let request = driver.dialect().request(&id, opening.method, Some(opening.params));
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
    let mut legacy = legacy;
    legacy.opening.stimulus = "initialize-after-probe";
    driver.switch(legacy);
    driver.open().await
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
