//! Notifications: never answered, never deadly.

use super::answer::{Silence, describe, silence_after};
use super::stdout::push_bounded;
use super::{Evidence, Judge, Observation};
use crate::catalogue::Requirement;

pub(super) const JUDGES: &[(&str, Judge)] = &[("notification-silence", never_answered)];

/// No notification is answered; the request after each shows that it was read.
fn never_answered(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let ledger = &reading.ledger;
        let first = stimulus.received.start;
        let last = first + stimulus.received(ledger.received()).len();
        let answers = ledger.unmatched().iter().filter(|frame| (first..last).contains(*frame));
        for frame in answers {
            let observation = Observation::new("answered", index)
                .expected("nothing")
                .observed(format!("an answer to {}", stimulus.variant));
            push_bounded(&mut seen, observation, || reading.received(&ledger.received()[*frame]));
        }
        let answered = |barrier: usize| !ledger.calls()[barrier].answers.is_empty();
        if stimulus.barrier.is_some_and(answered) {
            seen.push(Observation::new("silence", index));
        } else if let Some(ended @ Silence::Ended(..)) = silence_after(reading, stimulus) {
            let (text, event) = describe(reading, &ended);
            let mut observation = Observation::new("exited", index)
                .observed(format!("after {}: {text}", stimulus.variant));
            observation.evidence.extend(event);
            seen.push(observation);
        }
    }
    seen
}
