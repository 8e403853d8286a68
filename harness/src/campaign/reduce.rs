//! Following up a finding about cuts: the fewest cuts that show it.
//!
//! The search is bounded in time; what it ends with was seen to fail with the usual patience. Where fewer cuts do not
//! show the finding (it may take pauses too), it stays as it was found.

use std::time::{Duration, Instant};

use super::CampaignError;
use super::confirm::{Follow, stimulus_at};
use super::drive::Patience;
use super::group::Group;
use super::judge::{Bench, Place};
use super::task::Task;
use crate::catalogue::Requirement;
use crate::check::Reading;
use crate::ledger::Stimulus;
use crate::split::Shrink;
use crate::transcript::{Fact, Mark};
use crate::verdict::{CheckResult, Verdict};

/// How long is searched for one finding. Each question starts the subject.
const SEARCH: Duration = Duration::from_secs(12);
/// How many questions are asked for one finding.
const QUESTIONS: usize = 40;

impl Follow<'_> {
    /// Shows a finding with as few cuts as will do; the finding as it was where it has nothing to do with cuts, or no
    /// fewer show it.
    pub(super) async fn reduce(
        &self,
        bench: &Bench<'_>,
        group: &mut Group,
        requirement: &Requirement,
        result: CheckResult,
        place: Place,
    ) -> Result<CheckResult, CampaignError> {
        let finding = matches!(result.verdict, Verdict::Fail | Verdict::Warn) && !result.flaky;
        if finding {
            self.search(bench, group, requirement, place).await?;
        }
        let Some(reading) = group.reduced.remove(&requirement.id) else { return Ok(result) };
        let header = &reading.transcript.header;
        let plan = match header.plan.as_str() {
            "" => String::new(),
            plan => format!(", out of {plan}"),
        };
        let places: Vec<String> = header.cuts.iter().map(ToString::to_string).collect();
        let cuts = format!("; the smallest plan that shows it: cuts={}{plan}", places.join(","));
        let (second, reading) =
            group.with(reading, |readings| bench.judge_first(requirement, readings));
        group.reduced.insert(requirement.id.clone(), reading);
        let mut result = second.filter(|second| second.outcome == result.outcome).unwrap_or(result);
        result.observed.push_str(&cuts);
        Ok(result)
    }

    /// Looks for fewer cuts that show a finding, and keeps the session in which they do.
    async fn search(
        &self,
        bench: &Bench<'_>,
        group: &mut Group,
        requirement: &Requirement,
        Place { session, at }: Place,
    ) -> Result<(), CampaignError> {
        let Self::Live(drive) = self else { return Ok(()) };
        let reading = &group.readings[session];
        let Some(number) = stimulus_at(reading, at) else { return Ok(()) };
        let stimulus = reading.ledger.stimuli()[number].clone();
        let header = reading.transcript.header.clone();
        let begun = Instant::now();
        let mut shrink = Shrink::new(cuts(reading, &stimulus));
        let mut asked = 0;
        while let Some(cuts) = shrink.candidate() {
            asked += 1;
            if asked > QUESTIONS || begun.elapsed() > SEARCH || drive.is_stopped() {
                break;
            }
            let Some(task) = Task::reduced(&header, &stimulus, cuts) else { return Ok(()) };
            let label = format!("{}-fewer", task.label());
            let held = drive.alone(&task, &label, Patience::Short).await?;
            let (result, _) =
                group.with(held.reading, |readings| bench.judge_first(requirement, readings));
            shrink.answer(result.is_some_and(|result| is_finding(&result)));
        }
        let cuts = shrink.smallest().to_vec();
        if cuts.len() >= stimulus.cuts || drive.is_stopped() {
            return Ok(());
        }
        let Some(task) = Task::reduced(&header, &stimulus, cuts) else { return Ok(()) };
        let label = format!("{}-fewest", task.label());
        let held = drive.alone(&task, &label, Patience::Usual).await?;
        let (result, reading) =
            group.with(held.reading, |readings| bench.judge_first(requirement, readings));
        if result.is_some_and(|result| is_finding(&result)) {
            group.reduced.insert(requirement.id.clone(), reading);
        }
        Ok(())
    }
}

fn is_finding(result: &CheckResult) -> bool {
    matches!(result.verdict, Verdict::Fail | Verdict::Warn)
}

/// Where the bytes of a stimulus were cut: in bytes from its first one.
fn cuts(reading: &Reading, stimulus: &Stimulus) -> Vec<usize> {
    let events = reading.transcript.events.iter().skip_while(|event| event.at < stimulus.at);
    let of_stimulus = events
        .skip_while(|event| !matches!(event.fact, Fact::Mark(Mark::Stimulus { .. })))
        .skip(1)
        .take_while(|event| !matches!(event.fact, Fact::Mark(_)));
    let mut sent = 0;
    let mut cuts: Vec<usize> = of_stimulus
        .filter_map(|event| match &event.fact {
            Fact::Sent(bytes) => {
                sent += bytes.0.len();
                Some(sent)
            }
            _ => None,
        })
        .collect();
    // After the last byte there is no cut.
    cuts.pop();
    cuts.truncate(stimulus.cuts);
    cuts
}
