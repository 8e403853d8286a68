//! What the subject makes of bad lines, and of good ones that arrive in odd pieces.

use super::answer::{Silence, describe, shown, silence, silence_after, unsent};
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{End, Match};

pub(super) const JUDGES: &[(&str, Judge)] = &[("survive", survive), ("cut", cut)];

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

/// Requests that were cut, or joined, are answered as if they had come whole.
fn cut(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let ledger = &reading.ledger;
        if !is_read_whole(reading) || reading.ledger.process().capped.is_some() {
            continue;
        }
        let before = seen.len();
        for number in &stimulus.calls {
            let call = &ledger.calls()[*number];
            let expected = "the answer that the same request gets in one piece";
            let observation = |when| {
                Observation::new(when, index).expected(expected).at(reading.request(*number))
            };
            if let Some(answer) = call.answers.first() {
                if answer.matched != Match::Exact {
                    let frame = &ledger.received()[answer.frame];
                    let id = shown(&frame.messages()[answer.element].id);
                    let plan = &stimulus.variant;
                    let text =
                        format!("under the plan {plan} the id {} came back as {id}", call.id);
                    seen.push(observation("misread").observed(text).at(reading.received(frame)));
                }
            } else if let Some(silence) = silence(reading, stimulus, call) {
                let when =
                    if matches!(silence, Silence::Ended(..)) { "exited" } else { "unanswered" };
                let (text, event) = describe(reading, &silence);
                let mut observation =
                    observation(when).observed(format!("{}: {text}", stimulus.variant));
                observation.evidence.extend(event);
                seen.push(observation);
            }
        }
        if let Some(silence) = unsent(reading, stimulus).filter(|_| seen.len() == before) {
            let when = if matches!(silence, Silence::Ended(..)) { "exited" } else { "unanswered" };
            let (text, event) = describe(reading, &silence);
            let text = format!("{}: {text}", stimulus.variant);
            let mut observation = Observation::new(when, index).observed(text);
            observation.evidence.extend(event);
            seen.push(observation);
        }
        if seen.len() == before && !stimulus.calls.is_empty() {
            let all = stimulus.delivered == stimulus.cuts;
            let when = if all { "answered" } else { "undelivered" };
            let text = format!("{} of {} cuts delivered", stimulus.delivered, stimulus.cuts);
            seen.push(Observation::new(when, index).observed(text));
        }
    }
    seen
}

/// Whether the request that was sent in one piece got its answer: else the pieces are not to blame.
fn is_read_whole(reading: &Reading) -> bool {
    let ledger = &reading.ledger;
    let mut calls = ledger.stimuli_named("cut-whole").flat_map(|stimulus| &stimulus.calls);
    calls.all(|call| {
        let answer = ledger.calls()[*call].answers.first();
        answer.is_some_and(|answer| answer.matched == Match::Exact)
    })
}
