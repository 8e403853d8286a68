//! What is answered to lines that are no message: under which code, and under which id.

use super::answer::lost_after;
use super::stdout::push_bounded;
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{Facts, Frame, IdFacts, Shape, Stimulus};

pub(super) const JUDGES: &[(&str, Judge)] =
    &[("unread-code", code), ("unread-id", id), ("batch", batch)];

/// The answers that came for a stimulus and belong to no request.
fn answers<'a>(reading: &'a Reading, stimulus: &Stimulus) -> Vec<(&'a Frame, &'a Facts)> {
    let ledger = &reading.ledger;
    let first = stimulus.received.start;
    let of_calls: Vec<(usize, usize)> = ledger
        .calls()
        .iter()
        .flat_map(|call| call.answers.iter().map(|answer| (answer.frame, answer.element)))
        .collect();
    let frames = stimulus.received(ledger.received()).iter().enumerate();
    frames
        .flat_map(|(number, frame)| {
            let messages = frame.messages().iter().enumerate();
            messages.map(move |(element, facts)| (first + number, element, frame, facts))
        })
        .filter(|(number, element, _, facts)| {
            facts.is_answer() && !of_calls.contains(&(*number, *element))
        })
        .map(|(_, _, frame, facts)| (frame, facts))
        .collect()
}

fn code(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let answers = answers(reading, stimulus);
        if answers.is_empty() {
            push_bounded(&mut seen, Observation::new("silence", index), || {
                reading.happened(stimulus.at, stimulus.variant.clone())
            });
        }
        for (frame, facts) in answers {
            // A result under an id is meant for a request, and a code that is no code is judged as that.
            let meant = facts.shape == Shape::Response && facts.id.valid().is_some();
            if meant || (facts.shape == Shape::Error && facts.error_code().is_none()) {
                continue;
            }
            let code = facts.error_code().map(|code| code.to_string());
            let code = code.filter(|code| requirement.has_row(code));
            let when = match facts.shape {
                Shape::Response => "result".into(),
                _ => code.unwrap_or_else(|| "other-code".into()),
            };
            let shown = super::reply::shown(facts);
            let observation =
                Observation::new(when, index).observed(format!("{}: {shown}", stimulus.variant));
            push_bounded(&mut seen, observation, || reading.received(frame));
        }
    }
    seen
}

fn id(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let answers = answers(reading, stimulus);
        if answers.is_empty() {
            seen.push(Observation::new("silence", index));
        }
        for (frame, facts) in answers {
            let fine = match &facts.id {
                IdFacts::Absent | IdFacts::Null => true,
                // An id that could be read out of the line after all.
                IdFacts::Valid(id) => names_id(reading, stimulus, &id.to_json()),
                IdFacts::Odd(raw) => names_id(reading, stimulus, raw),
            };
            let when = if fine || facts.shape != Shape::Error { "no-id" } else { "other-id" };
            let shown = super::answer::shown(&facts.id);
            let observation = Observation::new(when, index)
                .observed(format!("{}: an error with the id {shown}", stimulus.variant));
            push_bounded(&mut seen, observation, || reading.received(frame));
        }
    }
    seen
}

/// Whether the line that a stimulus sent holds this id, as it stands there. The barrier after it is none of it.
fn names_id(reading: &Reading, stimulus: &Stimulus, id: &str) -> bool {
    let sent = reading.ledger.sent().iter().find(|frame| frame.at >= stimulus.at);
    let text = sent.map(|frame| String::from_utf8_lossy(&frame.bytes).replace(' ', ""));
    text.is_some_and(|text| text.contains(&format!("\"id\":{}", id.replace(' ', ""))))
}

/// What became of the requests in an array.
fn batch(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let ledger = &reading.ledger;
        let received = stimulus.received(ledger.received()).iter();
        let messages: Vec<(&Frame, &Facts)> = received
            .flat_map(|frame| frame.messages().iter().map(move |facts| (frame, facts)))
            .collect();
        let answered = |wanted: &str| {
            messages.iter().find(|(_, facts)| {
                facts.shape == Shape::Response
                    && facts.id.valid().is_some_and(|id| id.to_json() == format!("\"{wanted}\""))
            })
        };
        // An error under any id but that of the request after it is a refusal.
        let barrier = stimulus.barrier.map(|barrier| &ledger.calls()[barrier].id);
        let answers_call = |facts: &Facts| barrier.is_some() && facts.id.valid() == barrier;
        let (one, two) = (answered("batch-1"), answered("batch-2"));
        if let Some(lost) = lost_after(index, reading, stimulus) {
            seen.extend(lost);
            continue;
        }
        let refusal =
            messages.iter().find(|(_, facts)| facts.shape == Shape::Error && !answers_call(facts));
        let (when, frame) = match (one, two, refusal) {
            (Some(one), Some(_), _) => ("answered", Some(one)),
            (Some(one), None, _) | (None, Some(one), _) => ("partly", Some(one)),
            (None, None, Some(refusal)) => ("refused", Some(refusal)),
            (None, None, None) => ("silence", None),
        };
        let mut observation = Observation::new(when, index);
        let sent = ledger.sent().iter().find(|frame| frame.at >= stimulus.at);
        observation.evidence.extend(sent.map(|frame| reading.sent(frame)));
        observation.evidence.extend(frame.map(|(frame, _)| reading.received(frame)));
        seen.push(observation);
    }
    seen
}
