//! The only loop: plan, sessions, judgement, follow-up.
//!
//! A campaign finds out what the subject speaks, drives it through the scenarios of the profile, judges what was
//! recorded, and asks for another session where a finding needs one. It judges nothing itself and writes no report.

mod again;
mod confirm;
mod discover;
mod drive;
mod error;
mod group;
mod judge;
mod options;
mod reduce;
mod reproduce;
mod run;
mod selection;
mod stop;
mod task;

pub use again::judge_again;
pub use error::CampaignError;
pub use options::{Options, Revisions};
pub use run::{Delivery, Profile, Run, RunEvent, Sessions, SubjectFacts, Together};
#[cfg(feature = "cli")]
pub(crate) use selection::distance;
pub use stop::Stop;

use std::time::Instant;

use crate::catalogue::{Catalogue, Requirement};
use crate::check::Reading;
use crate::protocol::{Era, Protocol, mcp};
use crate::scenario::{Scenario, asked_versions};
use crate::session::end_orphans;
use crate::subject::Subject;
use crate::transcript::Transcript;
use crate::verdict::{CheckResult, ExitStatus, Scope, Verdict, conclude};
use confirm::Follow;
use discover::Discovered;
use drive::{Drive, Patience};
use group::Group;
use judge::Bench;
use selection::Selection;
use task::Task;

/// Certifies a subject. What it does wrong stands in the results; `events` is told of everything as it happens.
///
/// After `stop` is thrown the sessions are ended at once, and the run holds what was judged until then.
///
/// # Errors
///
/// When the subject cannot be started, or a pattern or a revision of the options matches nothing.
pub async fn certify(
    subject: &Subject,
    options: &Options,
    stop: &Stop,
    events: &mut dyn FnMut(RunEvent<'_>),
) -> Result<Run, CampaignError> {
    let selection = Selection::new(options, Catalogue::built_in())?;
    options.check_revision()?;
    let clock = Instant::now();
    let started = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let command = subject.command();
    events(RunEvent::Started { command: &command, seed: options.seed, profile: options.profile });

    let drive = Drive::new(subject, options, stop, events);
    let Discovered { protocol, mut groups, mut found, aside } =
        discover::discover(options.protocol, &options.revisions, &drive).await?;
    let mut facts = SubjectFacts {
        command,
        protocol: protocol.name().into(),
        eras: found.eras.clone(),
        revisions: found.revisions.clone(),
        name: found.name.clone(),
        version: found.version.clone(),
    };
    drive.tell(RunEvent::EraFound { subject: &facts });
    for group in &mut groups {
        record(&drive, &selection, options, group).await?;
    }
    for reading in groups.iter().flat_map(|group| &group.readings) {
        discover::tell(reading, &mut found);
    }
    facts.revisions = found.revisions;
    if options.revisions == Revisions::All && protocol == Protocol::Mcp {
        for revision in others(&groups, &facts.revisions) {
            let mut group = Group::new(revision);
            record(&drive, &selection, options, &mut group).await?;
            groups.push(group);
        }
    }

    let eras = facts.eras.clone();
    let judge = Judge {
        subject,
        options,
        selection: &selection,
        protocol,
        eras: &eras,
        follow: Follow::Live(&drive),
    };
    let mut results = Vec::new();
    for group in &mut groups {
        for result in judge.group(group).await? {
            drive.tell(RunEvent::Judged { result: &result });
            results.push(result);
        }
    }

    let interrupted = stop.is_stopped();
    let verdict = Verdicts::new(&results, options, &selection, interrupted);
    let starts = drive.starts();
    let sessions = sessions(&groups, &aside);
    let run = Run {
        conformance: verdict.judgement.conformance,
        robustness: verdict.judgement.robustness,
        gate: verdict.judgement.gate,
        scope: verdict.scope,
        exit: verdict.exit,
        interrupted,
        subject: facts,
        seed: options.seed,
        profile: options.profile,
        fail_on: options.fail_on.clone(),
        strict: options.strict,
        started,
        duration: clock.elapsed(),
        starts,
        delivery: delivery(&groups),
        results,
        sessions,
        transcripts: transcripts(groups, aside),
    };
    drive.tell(RunEvent::Finished { run: &run });
    Ok(run)
}

/// Drives the scenarios of the profile in the dialect of a group, and asks for the other revisions of its era.
async fn record(
    drive: &Drive<'_>,
    selection: &Selection,
    options: &Options,
    group: &mut Group,
) -> Result<(), CampaignError> {
    let (protocol, era, revision) = (group.dialect.protocol, group.era(), group.revision());
    let rows = || Catalogue::built_in().binding(protocol, era, &revision);
    let serves = |scenario: &&Scenario| scenario.serves(protocol, era);
    let mut tasks = Vec::new();
    for scenario in Scenario::ALL.iter().filter(serves) {
        if selection.needs(scenario, rows()) {
            tasks.push(Task::new(*scenario, &group.dialect));
        }
    }
    for plan in task::plans(options) {
        if selection.needs_plan(&plan, rows()) {
            for scenario in Scenario::PLANNED.iter().filter(serves) {
                tasks.push(Task::new(*scenario, &group.dialect).cut(plan.clone()));
            }
        }
    }
    let version = Scenario::VERSION;
    if version.serves(protocol, era) && selection.needs(&version, rows()) {
        tasks.extend(asked_versions().map(|revision| Task::new(version, &mcp::legacy(revision))));
    }
    for reading in drive.all(tasks).await?.into_iter().flatten() {
        group.keep(reading);
    }
    let first = Scenario::PLANNED.iter().find(|scenario| serves(scenario));
    if end_orphans()
        && !drive.is_stopped()
        && let Some(scenario) = first
    {
        // Whose they were shows in a session that is held alone.
        let task = Task::new(*scenario, &group.dialect);
        let label = format!("{}-alone", task.label());
        group.keep(drive.alone(&task, &label, Patience::Usual).await?.reading);
    }
    Ok(())
}

/// The dialects of the revisions that the subject was seen to accept and that no group judges.
fn others(groups: &[Group], accepted: &[String]) -> Vec<crate::protocol::Dialect> {
    let judged = |revision: &&String| groups.iter().any(|group| group.revision() == **revision);
    let others = accepted.iter().filter(|revision| !judged(revision));
    others.filter_map(|revision| mcp::dialect(revision)).collect()
}

/// What is needed to judge, beside the evidence.
struct Judge<'a> {
    subject: &'a Subject,
    options: &'a Options,
    selection: &'a Selection,
    protocol: Protocol,
    eras: &'a [Era],
    follow: Follow<'a>,
}

impl Judge<'_> {
    /// Judges every requirement that binds in the dialect of a group.
    async fn group(&self, group: &mut Group) -> Result<Vec<CheckResult>, CampaignError> {
        let (era, revision) = (group.era(), group.revision());
        let wanted = match &self.options.revisions {
            Revisions::One(wanted) => wanted,
            Revisions::Preferred | Revisions::All => &revision,
        };
        let refused = (*wanted != revision)
            .then(|| format!("the subject does not speak {wanted}: it answered {revision}"));
        let bench = Bench { subject: self.subject, options: self.options, era, revision: wanted };
        let rows = || Catalogue::built_in().binding(self.protocol.name(), era, wanted);
        let excluded = |row: &Requirement| refused.clone().or_else(|| row.excluded_by(self.eras));
        let is_judged =
            |row: &&Requirement| self.selection.left_out(row).is_none() && excluded(row).is_none();
        self.follow.together(&bench, group, rows().filter(is_judged)).await?;
        let mut results = Vec::new();
        for requirement in rows() {
            let excluded = excluded(requirement);
            results.push(match (self.selection.left_out(requirement), excluded) {
                (Some(why), _) => bench.unjudged(requirement, Verdict::Skip, why),
                (None, Some(why)) => bench.unjudged(requirement, Verdict::NotApplicable, &why),
                (None, None) => self.follow.judge(&bench, group, requirement).await?,
            });
        }
        Ok(results)
    }
}

/// What all results come to.
struct Verdicts {
    judgement: crate::verdict::Judgement,
    scope: Scope,
    exit: ExitStatus,
}

impl Verdicts {
    fn new(
        results: &[CheckResult],
        options: &Options,
        selection: &Selection,
        interrupted: bool,
    ) -> Self {
        let core = |result: &CheckResult| {
            let row = Catalogue::built_in().get(&result.id);
            result.verdict != Verdict::Skip
                && row.is_some_and(|row: &Requirement| row.is_core(&result.revision))
        };
        let judgement = conclude(results, core, &options.fail_on, options.strict);
        let partial = selection.is_partial() || interrupted;
        let scope = if partial { Scope::Partial } else { Scope::Full };
        let exit = if interrupted { ExitStatus::INTERRUPTED } else { judgement.exit };
        Self { judgement, scope, exit }
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

/// Which sessions were judged together, and which were not judged.
fn sessions(groups: &[Group], aside: &[Transcript]) -> Sessions {
    let name = |reading: &Reading| reading.transcript.header.session.clone();
    Sessions {
        groups: groups
            .iter()
            .map(|group| run::Together {
                era: group.era(),
                asked: group.dialect.revision.clone(),
                sessions: group.readings.iter().map(name).collect(),
                again: group.again.iter().map(|(of, again)| (of.clone(), name(again))).collect(),
                reduced: group
                    .reduced
                    .iter()
                    .map(|(id, reading)| (id.clone(), name(reading)))
                    .collect(),
            })
            .collect(),
        aside: aside.iter().map(|transcript| transcript.header.session.clone()).collect(),
    }
}

/// Everything that was recorded, in the order of the sessions' start.
fn transcripts(groups: Vec<Group>, aside: Vec<Transcript>) -> Vec<Transcript> {
    let readings = groups.into_iter().flat_map(|group| {
        let followed = group.again.into_values().chain(group.reduced.into_values());
        group.readings.into_iter().chain(followed)
    });
    let judged = readings.map(|reading| reading.transcript);
    let mut all: Vec<Transcript> = judged.chain(aside).collect();
    all.sort_by(|one, other| one.header.session.cmp(&other.header.session));
    all
}
