//! The only loop: plan, sessions, judgement, follow-up.
//!
//! A campaign finds out what the subject speaks, drives it through the scenarios of the profile, judges what was
//! recorded, and asks for another session where a finding needs one. It judges nothing itself and writes no report.

mod drive;
mod error;
mod judge;
mod options;
mod reproduce;
mod run;
mod selection;
mod stop;

pub use error::CampaignError;
pub use options::Options;
pub use run::{Delivery, Profile, Run, RunEvent, SubjectFacts};
pub(crate) use selection::distance;
pub use stop::Stop;

use std::collections::BTreeMap;
use std::time::Instant;

use crate::catalogue::Catalogue;
use crate::check::{Evidence, Reading};
use crate::protocol::{Era, mcp};
use crate::scenario::{Found, Scenario};
use crate::subject::Subject;
use crate::verdict::{CheckResult, Scope, Verdict, conclude};
use drive::Drive;
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
    let selection = Selection::new(options, catalogue, mcp::NAME)?;
    let clock = Instant::now();
    let started = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let command = subject.command();
    events(RunEvent::Started { command: &command, seed: options.seed, profile: options.profile });

    let mut drive = Drive::new(subject, options, stop, events);
    let found = drive.probe().await?;
    let facts = subject_facts(command, &found);
    drive.tell(RunEvent::EraFound { subject: &facts });
    let eras = if found.eras.is_empty() { vec![Era::Legacy] } else { found.eras.clone() };
    for era in &eras {
        for scenario in Scenario::ALL {
            let revision = drive.revision(*era);
            if selection.needs(scenario, catalogue.binding(mcp::NAME, *era, &revision)) {
                let opened = drive.scenario(*scenario, *era).await?;
                if !opened {
                    break;
                }
            }
        }
    }

    let mut results = Vec::new();
    for era in &eras {
        let revision = drive.revision(*era);
        for requirement in catalogue.binding(mcp::NAME, *era, &revision) {
            let bench = Bench { subject, options, era: *era, revision: &revision };
            let result = match (selection.left_out(requirement), requirement.excluded_by(&eras)) {
                (Some(why), _) => bench.unjudged(requirement, Verdict::Skip, why),
                (None, Some(why)) => bench.unjudged(requirement, Verdict::NotApplicable, &why),
                (None, None) => {
                    let readings = drive.readings(*era);
                    let (result, session) = bench.judge(requirement, &Evidence { readings });
                    match session {
                        Some(session) if is_to_confirm(&result) => {
                            confirm(&mut drive, &bench, catalogue, result, session).await?
                        }
                        _ => result,
                    }
                }
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
    let (starts, delivery) = (drive.starts(), drive.delivery());
    let run = Run {
        conformance: judgement.conformance,
        robustness: judgement.robustness,
        gate: judgement.gate,
        scope: if partial { Scope::Partial } else { Scope::Full },
        exit: if interrupted { crate::verdict::ExitStatus::INTERRUPTED } else { judgement.exit },
        interrupted,
        subject: facts,
        seed: options.seed,
        profile: options.profile,
        started,
        duration: clock.elapsed(),
        starts,
        delivery,
        results,
        transcripts: drive.into_transcripts(),
    };
    events(RunEvent::Finished { run: &run });
    Ok(run)
}

/// Judges stored sessions again, as [`certify`] would have, without a subject.
#[must_use]
pub fn judge_again(subject: &Subject, options: &Options, readings: Vec<Reading>) -> Vec<CheckResult> {
    let catalogue = Catalogue::built_in();
    let mut groups: BTreeMap<(Era, String), Vec<Reading>> = BTreeMap::new();
    for reading in readings {
        let header = &reading.transcript.header;
        groups.entry((header.era, header.revision.clone())).or_default().push(reading);
    }
    let mut results = Vec::new();
    for ((era, revision), readings) in &groups {
        let bench = Bench { subject, options, era: *era, revision };
        let rows = catalogue.binding(mcp::NAME, *era, revision);
        results.extend(rows.map(|row| bench.judge(row, &Evidence { readings }).0));
    }
    results
}

fn subject_facts(command: Vec<String>, found: &Found) -> SubjectFacts {
    SubjectFacts {
        command,
        protocol: mcp::NAME.into(),
        eras: found.eras.clone(),
        revisions: found.revisions.clone(),
        name: found.name.clone(),
        version: found.version.clone(),
    }
}

fn is_to_confirm(result: &CheckResult) -> bool {
    matches!(result.verdict, Verdict::Fail | Verdict::Warn)
        && result.cause.is_some_and(crate::verdict::Cause::proven_by_time)
}

/// Looks for a finding again, alone, in a fresh process, with more patience. What is not seen again is no
/// finding: our fault where our own scheduling had fallen behind, else a warning that says so.
async fn confirm(
    drive: &mut Drive<'_>,
    bench: &Bench<'_>,
    catalogue: &Catalogue,
    mut result: CheckResult,
    session: usize,
) -> Result<CheckResult, CampaignError> {
    let Some(requirement) = catalogue.get(&result.id) else { return Ok(result) };
    let lagged = drive.readings(bench.era)[session].ledger.lagged() > 0;
    let Some(again) = drive.again(bench.era, session, PATIENCE).await? else {
        // The user did not wait for it.
        result.verdict = Verdict::Error;
        result.observed.push_str("; not confirmed, because the run was interrupted");
        return Ok(result);
    };
    let (second, _) =
        bench.judge(requirement, &Evidence { readings: std::slice::from_ref(again) });
    if second.outcome == result.outcome {
        return Ok(result);
    }
    result.flaky = true;
    result.verdict = if lagged || again.ledger.lagged() > 0 {
        result.cause = None;
        Verdict::Error
    } else {
        Verdict::Warn
    };
    let seen = if second.observed.is_empty() { second.outcome } else { second.observed };
    result.observed.push_str(&format!("; not seen again alone in a fresh process: {seen}"));
    Ok(result)
}
