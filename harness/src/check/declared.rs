//! What the subject declares, held against what it does.

use serde_json::Value;

use super::reply::shown;
use super::stdout::push_bounded;
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{Facts, Shape};

pub(super) const JUDGES: &[(&str, Judge)] = &[
    ("declared", declared),
    ("undeclared", undeclared),
    ("log-capability", log_capability),
    ("log-unasked", log_unasked),
    ("level-kept", level_kept),
    ("codes", codes),
];

const METHOD_NOT_FOUND: i64 = -32601;
const LOG: &str = "notifications/message";

/// A list of what is declared is not refused as a method that does not exist.
fn declared(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        for number in &stimulus.calls {
            let call = &reading.ledger.calls()[*number];
            let Some((frame, facts)) = reading.answers(call).next() else { continue };
            // A list wants no parameters, so that any error is a refusal.
            let is_list = call.method.ends_with("/list");
            let refused = facts.shape == Shape::Error
                && (is_list || facts.error_code() == Some(METHOD_NOT_FOUND));
            let when = if refused { "refused" } else { "served" };
            let observation = Observation::new(when, index)
                .observed(format!("{}: {}", call.method, shown(facts)))
                .at(reading.request(*number));
            push_bounded(&mut seen, observation, || reading.received(frame));
        }
    }
    if seen.is_empty() && evidence.stimuli(requirement).next().is_none() {
        excuse(&mut seen, evidence, "the subject declares no capability with a list");
    }
    seen
}

/// What is not declared is refused.
fn undeclared(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        for number in &stimulus.calls {
            let call = &reading.ledger.calls()[*number];
            let Some((frame, facts)) = reading.answers(call).next() else { continue };
            let when = match (facts.shape, facts.error_code()) {
                (Shape::Error, Some(METHOD_NOT_FOUND)) => "-32601",
                (Shape::Error, _) => "error",
                _ if offers(&facts.result_value().unwrap_or_default()) => "offers",
                _ => "result",
            };
            let observation = Observation::new(when, index)
                .observed(format!("{}: {}", call.method, shown(facts)))
                .at(reading.request(*number));
            push_bounded(&mut seen, observation, || reading.received(frame));
        }
    }
    if seen.is_empty() && evidence.stimuli(requirement).next().is_none() {
        excuse(&mut seen, evidence, "the subject declares every capability that there is");
    }
    seen
}

/// Whether a list holds anything.
fn offers(result: &Value) -> bool {
    let lists = ["tools", "resources", "prompts"];
    lists.iter().any(|name| result[name].as_array().is_some_and(|items| !items.is_empty()))
}

/// Says that nothing of what a requirement is about is there, where a session shows as much.
fn excuse(seen: &mut Vec<Observation>, evidence: &Evidence<'_>, why: &str) {
    // A session that did not come to its end says nothing of what it did not reach.
    let whole =
        |reading: &Reading| reading.capabilities().is_some() && reading.ledger.stopped().is_none();
    if evidence.readings.iter().any(whole) {
        seen.push(Observation::new(super::EXCUSED, 0).observed(why));
    }
}

/// Whoever logs has declared it.
fn log_capability(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        let Some(declared) = reading.capabilities() else { continue };
        let logs = || notifications(reading, LOG);
        let when = match (logs().next(), declared.get("logging").is_some()) {
            (None, _) => "none",
            (Some(_), true) => "declared",
            (Some(_), false) => "undeclared",
        };
        let mut observation = Observation::new(when, index);
        observation.evidence.extend(logs().take(2).map(|frame| reading.received(frame)));
        seen.push(observation);
    }
    seen
}

/// Nobody asked for logs in these sessions, but for the calls that say so.
fn log_unasked(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions().filter(|(_, one)| one.ledger.received_len() > 0) {
        let asked: Vec<_> = reading
            .ledger
            .stimuli_named("call-with-level")
            .map(|one| one.received.clone())
            .collect();
        let frames = reading.ledger.received().iter().enumerate();
        let mut logs = frames
            .filter(|(number, _)| !asked.iter().any(|range| range.contains(number)))
            .filter(|(_, frame)| tells(frame, LOG))
            .map(|(_, frame)| frame);
        seen.push(match logs.next() {
            Some(frame) => Observation::new("unasked", index).at(reading.received(frame)),
            None => Observation::new("none", index),
        });
    }
    seen
}

/// Whoever asks for errors is told of nothing less.
fn level_kept(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    const LESS: &[&str] = &["debug", "info", "notice", "warning"];
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        // What comes after the answer may be of the next request.
        let answered = stimulus.calls.iter().filter_map(|call| {
            reading.ledger.calls()[*call].answers.first().map(|answer| answer.frame)
        });
        let Some(last) = answered.max() else { continue };
        let frames = &reading.ledger.received()[stimulus.received.start.min(last)..last];
        let logs = frames.iter().flat_map(|frame| {
            let logs = frame.messages().iter().filter(|facts| facts.method.as_deref() == Some(LOG));
            logs.map(move |facts| (frame, level(facts)))
        });
        let mut logs = logs.peekable();
        let when = if logs.peek().is_none() { "none" } else { "kept" };
        let less = logs.find(|(_, level)| LESS.contains(&level.as_str()));
        let observation = match less {
            Some((frame, level)) => Observation::new("less", index)
                .observed(format!("the level {level}, for {}", stimulus.variant))
                .at(reading.request(stimulus.calls[0]))
                .at(reading.received(frame)),
            None => Observation::new(when, index),
        };
        push_bounded(&mut seen, observation, || reading.request(stimulus.calls[0]));
    }
    if seen.is_empty() && evidence.stimuli(requirement).next().is_none() {
        excuse(
            &mut seen,
            evidence,
            "the subject declares no logging, or has no tool that may be called",
        );
    }
    seen
}

/// The level of a log message; empty where it has none.
fn level(facts: &Facts) -> String {
    let params = facts.params.as_deref().and_then(|raw| serde_json::from_str::<Value>(raw).ok());
    let level = params.as_ref().and_then(|params| params.get("level")?.as_str());
    level.unwrap_or_default().to_string()
}

/// The frames that hold a notification of this method.
fn notifications<'a>(
    reading: &'a Reading,
    method: &'a str,
) -> impl Iterator<Item = &'a crate::ledger::Frame> {
    let frames = reading.ledger.received().iter();
    frames.filter(move |frame| tells(frame, method))
}

/// Whether a frame holds a notification of this method.
fn tells(frame: &crate::ledger::Frame, method: &str) -> bool {
    frame
        .messages()
        .iter()
        .any(|facts| facts.shape == Shape::Notification && facts.method.as_deref() == Some(method))
}

/// No error has a code that the revision has retired or keeps for itself.
fn codes(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    const DEFINED: &[i64] = &[-32020, -32021, -32022];
    let mut seen = Vec::new();
    for (index, reading, frame, facts) in evidence.messages() {
        if facts.shape == Shape::Response {
            push_bounded(&mut seen, Observation::new("others", index), || reading.received(frame));
        }
        let Some(code) = facts.error_code().filter(|_| facts.shape == Shape::Error) else {
            continue;
        };
        let when = match code {
            -32002 | -32042 => "retired",
            -32099..=-32020 if !DEFINED.contains(&code) => "reserved",
            _ => "others",
        };
        let observation = Observation::new(when, index).observed(format!("the code {code}"));
        push_bounded(&mut seen, observation, || reading.received(frame));
    }
    seen
}
