//! From evidence to results: each requirement is judged, and what it came to is written down.

use super::{Options, reproduce};
use crate::catalogue::{Outcome, Requirement};
use crate::check::{Evidence, Judged, Observation, Reading, judge_requirement};
use crate::protocol::Era;
use crate::subject::Subject;
use crate::transcript::escape;
use crate::verdict::{Cause, CheckResult, Verdict};

/// How many lines of stderr stand beside a finding, and how long each may be.
const STDERR_LINES: usize = 12;
const STDERR_LINE: usize = 300;
/// How many pieces of evidence stand beside a finding.
const PIECES: usize = 6;

/// What is needed to write a result, beside the evidence.
pub(super) struct Bench<'a> {
    pub(super) subject: &'a Subject,
    pub(super) options: &'a Options,
    pub(super) era: Era,
    pub(super) revision: &'a str,
}

/// Where an observation was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The session: an index into the evidence.
    pub(super) session: usize,
    /// When, in microseconds, where a piece of evidence says so.
    pub(super) at: Option<u64>,
}

impl Bench<'_> {
    /// A result without a judge's word.
    pub(super) fn unjudged(
        &self,
        requirement: &Requirement,
        verdict: Verdict,
        why: &str,
    ) -> CheckResult {
        CheckResult {
            id: requirement.id.clone(),
            level: requirement.level,
            verdict,
            cause: None,
            flaky: false,
            era: self.era,
            revision: self.revision.into(),
            clause: requirement.clause(self.era, self.revision),
            summary: requirement.title.clone(),
            outcome: String::new(),
            expected: requirement.requirement.clone(),
            observed: why.into(),
            evidence: Vec::new(),
            stderr: None,
            reproduce: None,
        }
    }

    /// Judges a requirement, and says where the deciding observation was made.
    pub(super) fn judge(
        &self,
        requirement: &Requirement,
        evidence: &Evidence<'_>,
    ) -> (CheckResult, Option<Place>) {
        match judge_requirement(requirement, evidence) {
            Judged::Met(row, observations) => {
                let place = observations.first().map(|first| Place {
                    session: first.reading,
                    at: first.evidence.first().map(|piece| piece.at),
                });
                (self.met(requirement, evidence, row, &observations), place)
            }
            Judged::NotApplicable(why) => {
                (self.unjudged(requirement, Verdict::NotApplicable, &why), None)
            }
            Judged::Untestable(why) => {
                (self.unjudged(requirement, Verdict::Untestable, &why), None)
            }
            Judged::Fault(why) => (self.unjudged(requirement, Verdict::Error, &why), None),
        }
    }

    /// Judges a requirement on sessions of which only the first matters, and the others are there to compare it with;
    /// `None` where another decides, or it shows nothing.
    pub(super) fn judge_first(
        &self,
        requirement: &Requirement,
        readings: &[Reading],
    ) -> Option<CheckResult> {
        let (result, place) = self.judge(requirement, &Evidence { readings });
        place.filter(|place| place.session == 0).map(|_| result)
    }

    fn met(
        &self,
        requirement: &Requirement,
        evidence: &Evidence<'_>,
        row: &Outcome,
        observations: &[Observation],
    ) -> CheckResult {
        let verdict = row.verdict(requirement.level, self.options.strict);
        let mut result = self.unjudged(requirement, verdict, &row.text);
        result.outcome.clone_from(&row.when);
        let finding = matches!(verdict, Verdict::Fail | Verdict::Warn);
        result.cause = row.cause.filter(|_| finding);
        let Some(first) = observations.first() else { return result };
        if !first.expected.is_empty() {
            result.expected.clone_from(&first.expected);
        }
        if !first.observed.is_empty() {
            result.observed = format!("{}: {}", row.text, first.observed);
        }
        if !finding {
            return result;
        }
        if observations.len() > 1 {
            let more = observations.len() - 1;
            result.observed.push_str(&format!(" (and {more} more like it)"));
        }
        if let Some(why) = &row.tolerated {
            result.observed.push_str(&format!("; tolerated: {why}"));
        }
        result.evidence = first.evidence.iter().take(PIECES).cloned().collect();
        let reading = &evidence.readings[first.reading];
        let at = first.evidence.first().map_or(u64::MAX, |piece| piece.at);
        let id = &requirement.id;
        result.reproduce = Some(reproduce::commands(self.subject, self.options, id, reading, at));
        let telling = [Cause::Exited, Cause::Signal, Cause::NoAnswer, Cause::Hang, Cause::Resource];
        if result.cause.is_some_and(|cause| telling.contains(&cause)) {
            result.stderr = stderr(reading.ledger.log_tail());
        }
        result
    }
}

/// The last lines of stderr, made printable.
fn stderr(tail: &[u8]) -> Option<String> {
    let lines: Vec<&[u8]> = tail.trim_ascii_end().split(|byte| *byte == b'\n').collect();
    let from = lines.len().saturating_sub(STDERR_LINES);
    let shown: Vec<String> = lines[from..].iter().map(|line| escape(line, STDERR_LINE)).collect();
    let text = shown.join("\n");
    (!text.is_empty()).then_some(text)
}
