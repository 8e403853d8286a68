//! The first sessions: what does the subject speak?
//!
//! One function for each protocol; what it yields is the same for all, and the rest of the campaign knows none by name.

use super::drive::{Drive, Patience};
use super::group::Group;
use super::task::Task;
use super::{CampaignError, Revisions};
use crate::check::Reading;
use crate::ledger::Shape;
use crate::protocol::{Era, Protocol, jsonrpc, mcp};
use crate::scenario::{Found, Scenario};
use crate::transcript::Transcript;

/// What discovery came to.
pub(super) struct Discovered {
    /// The protocol that the subject is held to.
    pub(super) protocol: Protocol,
    /// The dialects to go on with, each with the sessions already held in it. Never empty: a subject that answers in
    /// none is judged by the one that it should have answered in.
    pub(super) groups: Vec<Group>,
    /// What the subject says of itself.
    pub(super) found: Found,
    /// What was recorded in no dialect of the subject's: kept, and not judged.
    pub(super) aside: Vec<Transcript>,
}

/// Finds out what a subject speaks: which protocol, unless the user has said so, and in which eras.
pub(super) async fn discover(
    protocol: Option<Protocol>,
    revisions: &Revisions,
    drive: &Drive<'_>,
) -> Result<Discovered, CampaignError> {
    match protocol {
        Some(Protocol::JsonRpc) => Ok(plain()),
        Some(Protocol::Mcp) => of_mcp(revisions, drive).await,
        None => {
            let mcp = of_mcp(revisions, drive).await?;
            let readings = || mcp.groups.iter().flat_map(|group| &group.readings);
            if mcp.found.eras.is_empty() && readings().any(knows_no_opening) {
                let transcripts = mcp.groups.into_iter().flat_map(|group| group.readings);
                let transcripts = transcripts.map(|reading| reading.transcript);
                let aside = transcripts.chain(mcp.aside).collect();
                return Ok(Discovered { aside, ..plain() });
            }
            Ok(mcp)
        }
    }
}

/// Plain JSON-RPC has nothing to be found out.
fn plain() -> Discovered {
    let found = Found {
        eras: vec![Era::Plain],
        revisions: vec![jsonrpc::REVISION.into()],
        ..Found::default()
    };
    let groups = vec![Group::new(jsonrpc::dialect())];
    Discovered { protocol: Protocol::JsonRpc, groups, found, aside: Vec::new() }
}

/// Whether the subject answers the opening of a protocol as a method that does not exist.
fn knows_no_opening(reading: &Reading) -> bool {
    let calls = reading.ledger.calls().iter().filter(|call| call.method == "initialize");
    calls
        .flat_map(|call| reading.answers(call))
        .any(|(_, facts)| facts.shape == Shape::Error && facts.error_code() == Some(-32601))
}

/// Finds out the eras of a server of MCP: `server/discover` first, `initialize` after it in the same process where that
/// is not answered, and in a process of its own where it is, because a server may serve both eras.
async fn of_mcp(revisions: &Revisions, drive: &Drive<'_>) -> Result<Discovered, CampaignError> {
    let mut found = Found::default();
    let mut modern = Group::new(mcp::newest_modern());
    let mut legacy = Group::new(mcp::newest_legacy());
    let mut aside = Vec::new();
    let mut reading = read(drive, Scenario::PROBE, &legacy, &mut found).await?;
    let mut groups = if found.eras.contains(&Era::Modern) {
        let header = &mut reading.transcript.header;
        header.era = modern.dialect.era;
        header.revision.clone_from(&modern.dialect.revision);
        modern.keep(reading);
        let reading = read(drive, Scenario::PROBE_LEGACY, &legacy, &mut found).await?;
        if found.eras.contains(&Era::Legacy) {
            legacy.keep(reading);
            vec![legacy, modern]
        } else {
            aside.push(reading.transcript);
            vec![modern]
        }
    } else {
        legacy.keep(reading);
        vec![legacy]
    };
    if let Revisions::One(revision) = revisions {
        // One of another protocol leaves nothing to be judged here.
        let wanted = mcp::dialect(revision).unwrap_or_else(|| mcp::legacy(revision));
        let has_it =
            |group: &Group| group.era() == wanted.era && group.dialect.revision == wanted.revision;
        if let Some(index) = groups.iter().position(has_it) {
            groups = vec![groups.swap_remove(index)];
        } else {
            let others = groups.into_iter().flat_map(|group| group.readings);
            aside.extend(others.map(|reading| reading.transcript));
            groups = vec![Group::new(wanted)];
        }
    }
    Ok(Discovered { protocol: Protocol::Mcp, groups, found, aside })
}

/// Drives a scenario of discovery and reads what its answers tell.
async fn read(
    drive: &Drive<'_>,
    scenario: Scenario,
    group: &Group,
    found: &mut Found,
) -> Result<Reading, CampaignError> {
    let task = Task::new(scenario, &group.dialect);
    let reading = drive.alone(&task, scenario.name, Patience::Usual).await?.reading;
    tell(&reading, found);
    Ok(reading)
}

/// Reads what the answers of a session tell of the subject.
pub(super) fn tell(reading: &Reading, found: &mut Found) {
    for call in reading.ledger.calls() {
        if let Some((_, facts)) = reading.answers(call).next() {
            found.read(&call.method, facts);
        }
    }
}
