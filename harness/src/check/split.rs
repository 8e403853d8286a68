//! Requests that arrive in odd pieces, held against the same requests in one piece.
//!
//! There are single requests that are cut, each beside one that is not, and whole sessions that a split plan cuts, each
//! beside the session that is sent whole. Replies are compared by their kind: what a tool says may change from call to call.

use std::collections::BTreeMap;

use super::answer::{Silence, describe, shown, silence, unsent};
use super::stdout::push_bounded;
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{Call, Match, Shape, Stimulus};
use crate::transcript::PLANNED;

pub(super) const JUDGES: &[(&str, Judge)] = &[("cut", cut)];

/// The kind of a reply to a call; `None` where there is none.
fn kind(reading: &Reading, call: &Call) -> Option<String> {
    let answer = call.answers.first()?;
    let facts = &reading.ledger.received()[answer.frame].messages()[answer.element];
    if answer.matched != Match::Exact {
        return Some("an answer under another id".into());
    }
    let kind = match (facts.shape, facts.error_code()) {
        (Shape::Error, Some(code)) => format!("the error {code}"),
        (Shape::Error, None) => "an error".into(),
        _ => {
            let result = facts.result_value().unwrap_or_default();
            let failed = result.get("isError") == Some(&serde_json::Value::Bool(true));
            if failed { "a result with isError".into() } else { "a result".into() }
        }
    };
    Some(kind)
}

/// The kinds of the replies in the session that was sent whole, by stimulus, variant and number.
fn whole(evidence: &Evidence<'_>, scenario: &str) -> BTreeMap<(String, String, usize), String> {
    let mut kinds = BTreeMap::new();
    for (_, reading) in evidence.sessions() {
        let header = &reading.transcript.header;
        if header.scenario == scenario && header.plan.is_empty() {
            for (stimulus, number, call) in first_calls(reading) {
                if let Some(kind) = kind(reading, call) {
                    let name = stimulus.name.clone();
                    kinds.entry((name, stimulus.variant.clone(), number)).or_insert(kind);
                }
            }
        }
    }
    kinds
}

/// The first call of each stimulus, with the number of stimuli before it that are called the same.
fn first_calls(reading: &Reading) -> Vec<(&Stimulus, usize, &Call)> {
    let stimuli = reading.ledger.stimuli();
    let calls = reading.ledger.calls();
    let mut all = Vec::new();
    for (index, stimulus) in stimuli.iter().enumerate() {
        let same =
            |other: &&Stimulus| other.name == stimulus.name && other.variant == stimulus.variant;
        let number = stimuli[..index].iter().filter(same).count();
        all.extend(stimulus.calls.first().map(|call| (stimulus, number, &calls[*call])));
    }
    all
}

/// Sessions that a split plan cuts, held against the one that was sent whole.
fn planned(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        let header = &reading.transcript.header;
        if header.plan.is_empty() || !requirement.is_about_plan(&header.plan) {
            continue;
        }
        let whole = whole(evidence, &header.scenario);
        if reading.ledger.process().capped.is_some() {
            continue;
        }
        let before = seen.len();
        let stimuli = reading.ledger.stimuli().iter();
        let (planned, delivered) = stimuli.clone().fold((0, 0), |(planned, delivered), one| {
            (planned + one.cuts, delivered + one.delivered)
        });
        let mut compared = 0;
        for (stimulus, number, call) in first_calls(reading) {
            let name = stimulus.name.trim_start_matches(PLANNED).to_string();
            let Some(wanted) = whole.get(&(name, stimulus.variant.clone(), number)) else {
                continue;
            };
            compared += 1;
            let got = kind(reading, call);
            if got.as_ref() == Some(wanted) {
                continue;
            }
            let what = format!("{} {}", call.method, stimulus.variant);
            let expected = format!("{wanted}, as in one piece");
            let request = stimulus.calls[0];
            let observation = |when| {
                Observation::new(when, index).expected(expected).at(reading.request(request))
            };
            if let Some(got) = got {
                let text = format!("under the plan {}, {}: {got}", header.plan, what.trim_end());
                let frame = &reading.ledger.received()[call.answers[0].frame];
                push_bounded(&mut seen, observation("misread").observed(text), || {
                    reading.received(frame)
                });
            } else if let Some(silence) = silence(reading, stimulus, call) {
                let gone = matches!(silence, Silence::Ended(..));
                let (text, event) = describe(reading, &silence);
                let text = format!("under the plan {}, {}: {text}", header.plan, what.trim_end());
                let mut observation =
                    observation(if gone { "exited" } else { "unanswered" }).observed(text);
                observation.evidence.extend(event);
                seen.push(observation);
                break;
            }
        }
        // The process may end before a whole request was written.
        let broken = stimuli.clone().find(|one| one.name.starts_with(PLANNED) && one.write_failed);
        if seen.len() == before
            && !whole.is_empty()
            && let Some(silence) = broken.and_then(|stimulus| unsent(reading, stimulus))
        {
            let gone = matches!(silence, Silence::Ended(..));
            let (text, event) = describe(reading, &silence);
            let text = format!("under the plan {}: {text}", header.plan);
            let when = if gone { "exited" } else { "unanswered" };
            let mut observation = Observation::new(when, index).observed(text);
            observation.evidence.extend(event);
            seen.push(observation);
        }
        if seen.len() == before && compared > 0 {
            let when = if delivered == planned { "answered" } else { "undelivered" };
            let text = format!("{delivered} of {planned} cuts delivered");
            if requirement.has_row(when) {
                seen.push(Observation::new(when, index).observed(text));
            }
        }
    }
    seen
}

/// Requests that were cut, or joined, are answered as if they had come whole.
fn cut(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = planned(evidence, requirement);
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
