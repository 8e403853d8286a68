//! What the subject makes of bad lines.

use super::answer::{Silence, describe, silence_after};
use super::{Evidence, Judge, Observation};
use crate::catalogue::Requirement;
use crate::ledger::End;

pub(super) const JUDGES: &[(&str, Judge)] = &[("survive", survive)];

/// After each bad line a request is answered.
fn survive(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let calls = reading.ledger.calls();
        if stimulus.barrier.is_some_and(|barrier| !calls[barrier].answers.is_empty()) {
            seen.push(Observation::new("survived", index));
            continue;
        }
        let Some(silence) = silence_after(reading, stimulus) else { continue };
        if matches!(silence, Silence::Flooded(_)) {
            // We stopped reading: that says nothing of the line.
            continue;
        }
        let when = match silence {
            Silence::Ended(End::Signal(_), _) => "signal",
            Silence::Ended(End::Code(_), _) => "exited",
            _ => "deaf",
        };
        let (text, event) = describe(reading, &silence);
        let mut observation = Observation::new(when, index)
            .expected("an answer to the request after it")
            .observed(format!("after {}: {text}", stimulus.variant));
        let sent = reading.ledger.sent().iter().filter(|frame| frame.at >= stimulus.at);
        for frame in sent.take(2) {
            observation = observation.at(reading.sent(frame));
        }
        observation.evidence.extend(event);
        seen.push(observation);
    }
    seen
}
