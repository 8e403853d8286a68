//! What kind of reply a request got, for every requirement whose outcome table says what each kind earns.
//!
//! A reply is named from the most particular to the most general: an error by its code, such as `-32602`, else as
//! `error`; a result as `tool-error` (`isError`), `empty-contents`, `input-required` or `empty-result`, else as `result`;
//! silence as `signal`, `exited` or `hang`, else as `silence`. The first name that the table has is the observation;
//! silence that the table does not have is none of the requirement's business.

use serde_json::{Value, json};

use super::answer::{Silence, describe, silence, unsent};
use super::stdout::push_bounded;
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{End, Facts, Match, Shape, Stimulus};

pub(super) const JUDGES: &[(&str, Judge)] = &[("reply", reply), ("big-id", big_id)];

fn reply(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        for number in &stimulus.calls {
            let call = &reading.ledger.calls()[*number];
            let what = if stimulus.variant.is_empty() { &call.method } else { &stimulus.variant };
            if let Some((frame, facts)) = reading.answers(call).next() {
                // A code that is no code, and an answer that is none, are judged as that.
                let odd = facts.shape == Shape::Error && facts.error_code().is_none();
                if odd || facts.shape == Shape::Neither {
                    continue;
                }
                let names = names(facts);
                let known = names.iter().find(|name| requirement.has_row(name));
                let when = known.or(names.last()).cloned().unwrap_or_default();
                let observation = Observation::new(when, index)
                    .observed(format!("{what}: {}", shown(facts)))
                    .at(reading.request(*number));
                push_bounded(&mut seen, observation, || reading.received(frame));
            } else if let Some(silence) = silence(reading, stimulus, call) {
                let request = Some(*number);
                seen.extend(silent(requirement, index, reading, what, request, &silence));
            }
        }
        if stimulus.calls.is_empty()
            && let Some(silence) = unsent(reading, stimulus)
        {
            let what = &stimulus.variant;
            seen.extend(silent(requirement, index, reading, what, None, &silence));
        }
    }
    seen
}

/// An observation of a silence that the requirement's table knows.
fn silent(
    requirement: &Requirement,
    index: usize,
    reading: &Reading,
    what: &str,
    request: Option<usize>,
    silence: &Silence,
) -> Option<Observation> {
    let names: &[&str] = match silence {
        Silence::Ended(End::Signal(_), _) => &["signal", "exited", "silence"],
        Silence::Ended(End::Code(_), _) => &["exited", "silence"],
        Silence::Deaf(_) | Silence::Unread => &["hang", "silence"],
        Silence::Passed | Silence::Closed(_) => &["silence"],
        // We stopped reading: that says nothing of the request.
        Silence::Flooded(_) => &[],
    };
    let when = *names.iter().find(|name| requirement.has_row(name))?;
    let (text, event) = describe(reading, silence);
    let mut observation = Observation::new(when, index).observed(format!("{what}: {text}"));
    observation
        .evidence
        .extend(request.map(|number| reading.request(number)).into_iter().chain(event));
    Some(observation)
}

/// The names of a reply, most particular first.
fn names(facts: &Facts) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    match facts.shape {
        Shape::Error => {
            names.extend(facts.error_code().map(|code| code.to_string()));
            names.push("error".into());
        }
        _ => {
            let result = facts.result_value().unwrap_or_default();
            // Whether a call failed that says so in another type is anybody's guess.
            if result.get("isError").is_some_and(|failed| !failed.is_boolean()) {
                return names;
            }
            let particular = [
                ("tool-error", result.get("isError") == Some(&Value::Bool(true))),
                ("empty-contents", result.get("contents") == Some(&json!([]))),
                ("input-required", result.get("resultType") == Some(&json!("input_required"))),
                ("empty-result", result.as_object().is_some_and(serde_json::Map::is_empty)),
                ("no-object", !result.is_object()),
            ];
            let met = particular.iter().filter(|(_, met)| *met);
            names.extend(met.map(|(name, _)| (*name).to_string()));
            names.push("result".into());
        }
    }
    names
}

/// A reply in a few words.
pub(super) fn shown(facts: &Facts) -> String {
    const MOST: usize = 120;
    let short = |text: &str| -> String {
        let mut short: String = text.chars().take(MOST).collect();
        if short.len() < text.len() {
            short.push('…');
        }
        short
    };
    match (&facts.error, &facts.result) {
        (Some(error), _) => match facts.error_code() {
            Some(code) => {
                format!("the error {code}, {}", short(error.message.as_deref().unwrap_or("")))
            }
            None => format!("the error {}", short(&error.raw)),
        },
        (None, Some(result)) => format!("the result {}", short(result)),
        (None, None) => "neither a result nor an error".into(),
    }
}

/// An id beyond 2^53 comes back digit for digit.
fn big_id(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let ledger = &reading.ledger;
        // Where other ids do not come back either, this one is no news.
        let others = ledger.calls().iter().flat_map(|call| {
            call.answers
                .iter()
                .filter(move |_| call.stimulus != Some(stimulus_index(reading, stimulus)))
        });
        if others.clone().any(|answer| answer.matched != Match::Exact) {
            continue;
        }
        for number in &stimulus.calls {
            let call = &ledger.calls()[*number];
            if let Some((frame, facts)) = reading.answers(call).next() {
                let same = facts.id.valid() == Some(&call.id);
                let observation = Observation::new("whole", index);
                if same || facts.shape == Shape::Error {
                    seen.push(observation);
                } else {
                    let id = super::answer::shown(&facts.id);
                    seen.push(rounded(index, reading, *number, &id).at(reading.received(frame)));
                }
            } else if let Some((frame, id)) = neighbour(reading, stimulus) {
                seen.push(rounded(index, reading, *number, &id).at(reading.received(frame)));
            } else if let Some(silence) = silence(reading, stimulus, call) {
                let what = "an id beyond 2^53";
                seen.extend(silent(requirement, index, reading, what, Some(*number), &silence));
            }
        }
    }
    seen
}

/// The number of a stimulus in its session.
fn stimulus_index(reading: &Reading, stimulus: &Stimulus) -> usize {
    let all = reading.ledger.stimuli();
    all.iter()
        .position(|own| own.at == stimulus.at && own.name == stimulus.name)
        .unwrap_or(all.len())
}

fn rounded(index: usize, reading: &Reading, number: usize, id: &str) -> Observation {
    let sent = &reading.ledger.calls()[number].id;
    Observation::new("rounded", index)
        .observed(format!("sent {sent}, answered as {id}"))
        .at(reading.request(number))
}

/// A response of this stimulus under an id that nobody sent.
fn neighbour<'a>(
    reading: &'a Reading,
    stimulus: &Stimulus,
) -> Option<(&'a crate::ledger::Frame, String)> {
    let ledger = &reading.ledger;
    let first = stimulus.received.start;
    let last = first + stimulus.received(ledger.received()).len();
    let frame = ledger.unmatched().iter().find(|frame| (first..last).contains(*frame))?;
    let frame = &ledger.received()[*frame];
    let facts = frame.messages().first().filter(|facts| facts.id.valid().is_some())?;
    Some((frame, super::answer::shown(&facts.id)))
}
