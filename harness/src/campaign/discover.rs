//! The first sessions: what does the subject speak?
//!
//! One function for each protocol; what it yields is the same for all, and the rest of the campaign knows none by name.

use super::CampaignError;
use super::drive::Drive;
use super::group::Group;
use crate::check::Reading;
use crate::protocol::{Era, Protocol, mcp};
use crate::scenario::{Found, Scenario};
use crate::transcript::Transcript;

/// What discovery came to.
pub(super) struct Discovered {
    /// The dialects to go on with, each with the sessions already held in it. Never empty: a subject that answers in
    /// none is judged by the one that it should have answered in.
    pub(super) groups: Vec<Group>,
    /// What the subject says of itself.
    pub(super) found: Found,
    /// What was recorded in no dialect of the subject's: kept, and not judged.
    pub(super) aside: Option<Transcript>,
}

/// Finds out what a subject of a protocol speaks.
pub(super) async fn discover(
    protocol: Protocol,
    drive: &mut Drive<'_>,
) -> Result<Discovered, CampaignError> {
    match protocol {
        Protocol::Mcp => of_mcp(drive).await,
    }
}

/// Finds out the eras of a server of MCP: `server/discover` first, `initialize` after it in the same process where that
/// is not answered, and in a process of its own where it is, because a server may serve both eras.
async fn of_mcp(drive: &mut Drive<'_>) -> Result<Discovered, CampaignError> {
    let mut found = Found::default();
    let mut modern = Group::new(mcp::newest(Era::Modern));
    let mut legacy = Group::new(mcp::newest(Era::Legacy));
    let mut reading = read(drive, Scenario::PROBE, &legacy, &mut found).await?;
    if found.eras.contains(&Era::Modern) {
        let header = &mut reading.transcript.header;
        header.era = modern.dialect.era;
        header.revision.clone_from(&modern.dialect.revision);
        modern.keep(reading);
        let reading = read(drive, Scenario::PROBE_LEGACY, &legacy, &mut found).await?;
        if found.eras.contains(&Era::Legacy) {
            legacy.keep(reading);
            return Ok(Discovered { groups: vec![legacy, modern], found, aside: None });
        }
        return Ok(Discovered { groups: vec![modern], found, aside: Some(reading.transcript) });
    }
    legacy.keep(reading);
    Ok(Discovered { groups: vec![legacy], found, aside: None })
}

/// Drives a scenario of discovery and reads what its answers tell.
async fn read(
    drive: &mut Drive<'_>,
    scenario: Scenario,
    group: &Group,
    found: &mut Found,
) -> Result<Reading, CampaignError> {
    let (reading, _) = drive.session(scenario, &group.dialect, 1).await?;
    let ledger = &reading.ledger;
    for call in ledger.calls() {
        if let Some(answer) = call.answers.first() {
            let frame = &ledger.received()[answer.frame];
            found.read(&call.method, &frame.messages()[answer.element]);
        }
    }
    Ok(reading)
}
