//! Following up a finding: what only time has proven is looked for again, alone, in a fresh process, with more patience.
//!
//! What is not seen again is no finding: our fault where our own scheduling had fallen behind, else a warning that says so.

use std::collections::{BTreeMap, BTreeSet};

use super::CampaignError;
use super::drive::{Drive, Patience};
use super::group::Group;
use super::judge::{Bench, Place};
use super::task::Task;
use crate::catalogue::Requirement;
use crate::check::{Evidence, Reading};
use crate::ledger::Stimulus;
use crate::verdict::{Cause, CheckResult, Verdict};

/// What stands for the stimuli in the name of a session that repeats several.
const ALL: &str = "all";

/// Where a session that repeats another comes from.
pub(super) enum Follow<'a> {
    /// From the subject.
    Live(&'a Drive<'a>),
    /// Only from the store.
    Stored,
}

impl Follow<'_> {
    /// Judges a requirement on the sessions of a group, and confirms what only time has proven.
    pub(super) async fn judge(
        &self,
        bench: &Bench<'_>,
        group: &mut Group,
        requirement: &Requirement,
    ) -> Result<CheckResult, CampaignError> {
        let (result, place) = bench.judge(requirement, &Evidence { readings: &group.readings });
        let Some(place) = place else { return Ok(result) };
        let result = if is_by_time(&result) {
            self.confirm(bench, group, requirement, result, place).await?
        } else {
            result
        };
        self.reduce(bench, group, requirement, result, place).await
    }

    /// Holds one session for all that has to be confirmed of another, where that is more than one stimulus: each costs a
    /// start, and a silence that may end together with others.
    pub(super) async fn together<'r>(
        &self,
        bench: &Bench<'_>,
        group: &mut Group,
        requirements: impl Iterator<Item = &'r Requirement>,
    ) -> Result<(), CampaignError> {
        if matches!(self, Self::Stored) {
            return Ok(());
        }
        let mut wanted: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for requirement in requirements {
            let (result, place) = bench.judge(requirement, &Evidence { readings: &group.readings });
            let Some(Place { session, at }) = place.filter(|_| is_by_time(&result)) else {
                continue;
            };
            let reading = &group.readings[session];
            let stimulus = stimulus_at(reading, at);
            // Nothing follows a stimulus at which the session stopped.
            let last = reading.ledger.stopped().map(|_| reading.ledger.stimuli().len() - 1);
            if reading.transcript.header.plan.is_empty()
                && let Some(stimulus) = stimulus.filter(|stimulus| Some(*stimulus) != last)
            {
                wanted.entry(session).or_default().insert(stimulus);
            }
        }
        for (session, stimuli) in wanted.into_iter().filter(|(_, stimuli)| stimuli.len() > 1) {
            let header = group.header(session);
            let all = group.readings[session].ledger.stimuli();
            let stimuli: Vec<&Stimulus> = stimuli.into_iter().map(|one| &all[one]).collect();
            let name = format!("{}/{ALL}", header.session);
            let task = Task::of(header, &stimuli);
            self.again(group, task, &name).await?;
        }
        Ok(())
    }

    async fn confirm(
        &self,
        bench: &Bench<'_>,
        group: &mut Group,
        requirement: &Requirement,
        mut result: CheckResult,
        Place { session, at }: Place,
    ) -> Result<CheckResult, CampaignError> {
        let reading = &group.readings[session];
        let (header, lagged) = (&reading.transcript.header, reading.ledger.lagged() > 0);
        let stimulus = stimulus_at(reading, at).map(|number| &reading.ledger.stimuli()[number]);
        let all = format!("{}/{ALL}", header.session);
        // A session is held again for each of its stimuli at most once.
        let name = match stimulus {
            Some(one) => format!("{}/{}/{}/{}", header.session, one.step, one.name, one.variant),
            None => header.session.clone(),
        };
        let task = Task::of(header, stimulus.as_slice());
        if seen_again(bench, group, requirement, &result, &all).is_some_and(|(seen, _)| seen) {
            return Ok(result);
        }
        self.again(group, task, &name).await?;
        let Some((seen, lagged_again)) = seen_again(bench, group, requirement, &result, &name)
        else {
            result.verdict = Verdict::Error;
            result.cause = None;
            result.observed.push_str("; not confirmed, because the session was not held again");
            return Ok(result);
        };
        if seen {
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

    /// Holds a session again, unless that was done already or the user does not wait for it.
    async fn again(
        &self,
        group: &mut Group,
        task: Option<Task>,
        name: &str,
    ) -> Result<(), CampaignError> {
        let (Self::Live(drive), Some(task)) = (self, task) else { return Ok(()) };
        if group.again.contains_key(name) || drive.is_stopped() {
            return Ok(());
        }
        let label = format!("{}-again", task.label());
        let held = drive.alone(&task, &label, Patience::Long).await?;
        if !drive.is_stopped() {
            group.again.insert(name.to_string(), held.reading);
        }
        Ok(())
    }
}

/// Whether a finding was made again in the session that repeats where it was made, and whether we fell behind there;
/// `None` where there is none.
fn seen_again(
    bench: &Bench<'_>,
    group: &mut Group,
    requirement: &Requirement,
    result: &CheckResult,
    name: &str,
) -> Option<(bool, bool)> {
    let reading = group.again.remove(name)?;
    let (seen, reading) = group.with(reading, |readings| {
        let second = bench.judge_first(requirement, readings);
        second.is_some_and(|second| second.outcome == result.outcome)
    });
    let lagged = reading.ledger.lagged() > 0;
    group.again.insert(name.to_string(), reading);
    Some((seen, lagged))
}

/// Whether only time has proven a finding.
fn is_by_time(result: &CheckResult) -> bool {
    let finding = matches!(result.verdict, Verdict::Fail | Verdict::Warn);
    finding && result.cause.is_some_and(Cause::proven_by_time)
}

/// The stimulus that was on at a time of a session, by its number; none where it is the end of the session that matters.
pub(super) fn stimulus_at(reading: &Reading, at: Option<u64>) -> Option<usize> {
    let at = at?;
    let stimuli = reading.ledger.stimuli();
    let last = stimuli.iter().rposition(|stimulus| stimulus.at <= at)?;
    (stimuli[last].name != "end-of-input").then_some(last)
}
