//! Following up a finding: what only time has proven is looked for again, alone, in a fresh process, with more patience.
//!
//! What is not seen again is no finding: our fault where our own scheduling had fallen behind, else a warning that says so.

use super::CampaignError;
use super::drive::{Drive, Patience};
use super::group::Group;
use super::judge::{Bench, Place};
use super::task::Task;
use crate::catalogue::Requirement;
use crate::check::{Evidence, Reading};
use crate::ledger::Stimulus;
use crate::verdict::{Cause, CheckResult, Verdict};

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
        let finding = matches!(result.verdict, Verdict::Fail | Verdict::Warn);
        let by_time = result.cause.is_some_and(Cause::proven_by_time);
        let Some(place) = place.filter(|_| finding) else { return Ok(result) };
        let result = if by_time {
            self.confirm(bench, group, requirement, result, place).await?
        } else {
            result
        };
        self.reduce(bench, group, requirement, result, place).await
    }

    async fn confirm(
        &self,
        bench: &Bench<'_>,
        group: &mut Group,
        requirement: &Requirement,
        mut result: CheckResult,
        Place { session, at }: Place,
    ) -> Result<CheckResult, CampaignError> {
        let lagged = group.readings[session].ledger.lagged() > 0;
        let stimulus = stimulus_at(&group.readings[session], at);
        // A session is held again for each of its steps at most once.
        let step = stimulus.map(|stimulus| format!("/{}", stimulus.step)).unwrap_or_default();
        let name = format!("{}{step}", group.header(session).session);
        let task = Task::of(group.header(session), stimulus);
        self.again(group, task, &name).await?;
        let judged = group.again.remove(&name).map(|reading| {
            let (seen_again, reading) = group.with(reading, |readings| {
                let second = bench.judge_first(requirement, readings);
                second.is_some_and(|second| second.outcome == result.outcome)
            });
            let lagged = reading.ledger.lagged() > 0;
            group.again.insert(name.clone(), reading);
            (seen_again, lagged)
        });
        let Some((seen_again, lagged_again)) = judged else {
            result.verdict = Verdict::Error;
            result.cause = None;
            result.observed.push_str("; not confirmed, because the session was not held again");
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

/// The stimulus that was on at a time of a session; none where it is the end of the session that matters.
pub(super) fn stimulus_at(reading: &Reading, at: Option<u64>) -> Option<&Stimulus> {
    let at = at?;
    let last = reading.ledger.stimuli().iter().rev().find(|stimulus| stimulus.at <= at)?;
    (last.name != "end-of-input").then_some(last)
}
