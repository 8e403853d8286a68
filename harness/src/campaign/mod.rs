//! The only loop: plan, sessions, judgement, follow-up.
//!
//! A campaign finds out what the subject speaks, drives it through the scenarios of the profile, judges what was
//! recorded, and asks for another session where a finding needs one. It judges nothing itself and writes no report.

mod discover;
mod drive;
mod error;
mod group;
mod judge;
mod options;
mod reproduce;
mod run;
mod selection;
mod stop;

pub use error::CampaignError;
pub use options::Options;
pub use run::{Delivery, Profile, Run, RunEvent, SubjectFacts};
#[cfg(feature = "cli")]
pub(crate) use selection::distance;
pub use stop::Stop;

use std::collections::BTreeMap;
use std::time::Instant;

use crate::catalogue::{Catalogue, Requirement};
use crate::check::{Evidence, Reading};
use crate::protocol::Era;
use crate::scenario::{Found, Scenario};
use crate::subject::Subject;
use crate::transcript::Transcript;
use crate::verdict::{Cause, CheckResult, ExitStatus, Scope, Verdict, conclude};
use discover::Discovered;
use drive::Drive;
use group::Group;
use judge::Bench;
use selection::Selection;

/// How much longer everything may take when a finding that time has proven is confirmed.
const PATIENCE: u32 = 4;

/// Certifies a subject. What it does wrong stands in the results; `events` is told of everything as it happens.
///
/// After `stop` is thrown the sessions are ended at once, and the run holds what was judged until then.
///
/// # Errors
///
/// When the subject cannot be started, or a pattern of the options matches nothing.
pub async fn certify(
    subject: &Subject,
    options: &Options,
    stop: &Stop,
    events: &mut dyn FnMut(RunEvent<'_>),
) -> Result<Run, CampaignError> {
    let catalogue = Catalogue::built_in();
    let protocol = options.protocol.name();
    let selection = Selection::new(options, catalogue, protocol)?;
    let clock = Instant::now();
    let started = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let command = subject.command();
    events(RunEvent::Started { command: &command, seed: options.seed, profile: options.profile });

    let mut drive = Drive::new(subject, options, stop, events);
    let Discovered { mut groups, found, aside } =
        discover::discover(options.protocol, &mut drive).await?;
    let facts = subject_facts(command, protocol, &found);
    drive.tell(RunEvent::EraFound { subject: &facts });
    for group in &mut groups {
        for scenario in Scenario::ALL {
            let (era, revision) = (group.era(), group.revision());
            let rows = catalogue.binding(protocol, era, &revision);
            if selection.needs(scenario, rows) && !drive.scenario(*scenario, group).await? {
                break;
            }
        }
    }

    let mut results = Vec::new();
    for group in &mut groups {
        let (era, revision) = (group.era(), group.revision());
        let bench = Bench { subject, options, era, revision: &revision };
        for requirement in catalogue.binding(protocol, era, &revision) {
            let left_out = selection.left_out(requirement);
            let result = match (left_out, requirement.excluded_by(&found.eras)) {
                (Some(why), _) => bench.unjudged(requirement, Verdict::Skip, why),
                (None, Some(why)) => bench.unjudged(requirement, Verdict::NotApplicable, &why),
                (None, None) => judge(&mut drive, &bench, group, requirement).await?,
            };
            drive.tell(RunEvent::Judged { result: &result });
            results.push(result);
        }
    }

    let core = |result: &CheckResult| {
        result.verdict != Verdict::Skip
            && catalogue.get(&result.id).is_some_and(|row| row.is_core(&result.revision))
    };
    let judgement = conclude(&results, core, &options.fail_on, options.strict);
    let interrupted = stop.is_stopped();
    let partial = selection.is_partial() || interrupted;
    let starts = drive.starts();
    let run = Run {
        conformance: judgement.conformance,
        robustness: judgement.robustness,
        gate: judgement.gate,
        scope: if partial { Scope::Partial } else { Scope::Full },
        exit: if interrupted { ExitStatus::INTERRUPTED } else { judgement.exit },
        interrupted,
        subject: facts,
        seed: options.seed,
        profile: options.profile,
        strict: options.strict,
        started,
        duration: clock.elapsed(),
        starts,
        delivery: delivery(&groups),
        results,
        transcripts: transcripts(groups, aside),
    };
    events(RunEvent::Finished { run: &run });
    Ok(run)
}

/// Judges stored sessions again, as [`certify`] would have, without a subject.
#[must_use]
pub fn judge_again(
    subject: &Subject,
    options: &Options,
    readings: Vec<Reading>,
) -> Vec<CheckResult> {
    let catalogue = Catalogue::built_in();
    let mut groups: BTreeMap<(String, Era, String), Vec<Reading>> = BTreeMap::new();
    for reading in readings {
        let header = &reading.transcript.header;
        let key = (header.protocol.clone(), header.era, header.revision.clone());
        groups.entry(key).or_default().push(reading);
    }
    let mut results = Vec::new();
    for ((protocol, era, revision), readings) in &groups {
        let bench = Bench { subject, options, era: *era, revision };
        let rows = catalogue.binding(protocol, *era, revision);
        results.extend(rows.map(|row| bench.judge(row, &Evidence { readings }).0));
    }
    results
}

fn subject_facts(command: Vec<String>, protocol: &str, found: &Found) -> SubjectFacts {
    SubjectFacts {
        command,
        protocol: protocol.into(),
        eras: found.eras.clone(),
        revisions: found.revisions.clone(),
        name: found.name.clone(),
        version: found.version.clone(),
    }
}

/// How many of the cuts planned were delivered.
fn delivery(groups: &[Group]) -> Delivery {
    let readings = groups.iter().flat_map(|group| &group.readings);
    let stimuli = readings.flat_map(|reading| reading.ledger.stimuli());
    stimuli.fold(Delivery::default(), |sum, stimulus| Delivery {
        planned: sum.planned + stimulus.cuts,
        delivered: sum.delivered + stimulus.delivered,
    })
}

/// Everything that was recorded, in the order of the sessions' start.
fn transcripts(groups: Vec<Group>, aside: Option<Transcript>) -> Vec<Transcript> {
    let readings = groups
        .into_iter()
        .flat_map(|group| group.readings.into_iter().chain(group.confirmed.into_values()));
    let judged = readings.map(|reading| reading.transcript);
    let mut all: Vec<Transcript> = judged.chain(aside).collect();
    all.sort_by(|one, other| one.header.session.cmp(&other.header.session));
    all
}

/// Judges a requirement on the sessions of a group, and confirms what only time has proven.
async fn judge(
    drive: &mut Drive<'_>,
    bench: &Bench<'_>,
    group: &mut Group,
    requirement: &Requirement,
) -> Result<CheckResult, CampaignError> {
    let (result, session) = bench.judge(requirement, &Evidence { readings: &group.readings });
    let finding = matches!(result.verdict, Verdict::Fail | Verdict::Warn);
    let by_time = result.cause.is_some_and(Cause::proven_by_time);
    match session {
        Some(session) if finding && by_time => {
            confirm(drive, bench, group, requirement, result, session).await
        }
        _ => Ok(result),
    }
}

/// Looks for a finding again, alone, in a fresh process, with more patience. What is not seen again is no
/// finding: our fault where our own scheduling had fallen behind, else a warning that says so.
async fn confirm(
    drive: &mut Drive<'_>,
    bench: &Bench<'_>,
    group: &mut Group,
    requirement: &Requirement,
    mut result: CheckResult,
    session: usize,
) -> Result<CheckResult, CampaignError> {
    let lagged = group.readings[session].ledger.lagged() > 0;
    let again = drive.again(group, session, PATIENCE).await?;
    let judged = again.and_then(|key| {
        group.with_confirmed(&key, |readings| {
            let (second, session) = bench.judge(requirement, &Evidence { readings });
            // What is seen in another session only is no confirmation.
            let seen_again = session == Some(0) && second.outcome == result.outcome;
            (seen_again, readings[0].ledger.lagged() > 0)
        })
    });
    let Some((seen_again, lagged_again)) = judged else {
        // The user did not wait for it.
        result.verdict = Verdict::Error;
        result.cause = None;
        result.observed.push_str("; not confirmed, because the run was interrupted");
        return Ok(result);
    };
    if seen_again {
        return Ok(result);
    }
    result.flaky = true;
    result.verdict = if lagged || lagged_again {
        result.cause = None;
        Verdict::Error
    } else {
        Verdict::Warn
    };
    result.observed.push_str("; not seen again alone in a fresh process");
    Ok(result)
}
