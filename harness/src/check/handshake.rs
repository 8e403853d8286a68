//! The beginning of a session: the opening request is answered, and the probe of newer clients does no harm.

use serde_json::Value;

use super::answer::{Silence, describe, silence, unsent};
use super::{Evidence, Judge, Observation};
use crate::catalogue::Requirement;
use crate::ledger::{End, Facts, Shape};
use crate::verdict::EvidenceRef;

pub(super) const JUDGES: &[(&str, Judge)] =
    &[("handshake", handshake), ("probe", probe), ("early", early)];

/// The opening request is answered with all that its answer must hold.
fn handshake(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let ledger = &reading.ledger;
        let unanswered = |silence: &Silence, request: Option<EvidenceRef>| {
            let when = match silence {
                Silence::Ended(End::Signal(_), _) => "signal",
                Silence::Ended(End::Code(_), _) => "exited",
                Silence::Closed(_) => "closed",
                Silence::Flooded(_) => "flooded",
                Silence::Passed | Silence::Deaf(_) | Silence::Unread => "silence",
            };
            let (text, event) = describe(reading, silence);
            let mut observation = Observation::new(when, index).observed(text);
            observation.evidence.extend(request.into_iter().chain(event));
            observation
        };
        if stimulus.calls.is_empty() {
            seen.extend(unsent(reading, stimulus).map(|silence| unanswered(&silence, None)));
        }
        for number in &stimulus.calls {
            let call = &ledger.calls()[*number];
            let Some(answer) = call.answers.first() else {
                let silence = silence(reading, stimulus, call);
                seen.extend(
                    silence.map(|silence| unanswered(&silence, Some(reading.request(*number)))),
                );
                continue;
            };
            let frame = &ledger.received()[answer.frame];
            let facts = &frame.messages()[answer.element];
            let (when, observed) = match facts.shape {
                Shape::Error => ("refused", error_text(facts)),
                _ => match missing(&call.method, facts, &reading.transcript.header.revision) {
                    Some(missing) => ("incomplete", missing),
                    None => ("answered", String::new()),
                },
            };
            seen.push(
                Observation::new(when, index)
                    .observed(observed)
                    .at(reading.request(*number))
                    .at(reading.received(frame)),
            );
        }
    }
    seen
}

fn error_text(facts: &Facts) -> String {
    match &facts.error {
        Some(error) => format!("the error {}", error.raw.chars().take(200).collect::<String>()),
        None => "an error".into(),
    }
}

/// What the result of an opening request lacks.
fn missing(method: &str, facts: &Facts, revision: &str) -> Option<String> {
    let Some(result) = facts.result_value() else { return Some("result is missing".into()) };
    let is_text = |value: Option<&Value>| value.is_some_and(Value::is_string);
    let problem = if method == "initialize" {
        if !is_text(result.get("protocolVersion")) {
            "protocolVersion, a string, is missing"
        } else if !result.get("capabilities").is_some_and(Value::is_object) {
            "capabilities, an object, is missing"
        } else if !is_text(result.pointer("/serverInfo/name")) {
            "serverInfo.name, a string, is missing"
        } else if !is_text(result.pointer("/serverInfo/version")) {
            "serverInfo.version, a string, is missing"
        } else {
            return None;
        }
    } else {
        let versions = result.get("supportedVersions").and_then(Value::as_array);
        let holds = |versions: &Vec<Value>| versions.iter().any(|version| version == revision);
        if versions.is_none() {
            "supportedVersions, a list, is missing"
        } else if !versions.is_some_and(holds) {
            "supportedVersions does not hold the version of the request"
        } else if !result.get("capabilities").is_some_and(Value::is_object) {
            "capabilities, an object, is missing"
        } else {
            return None;
        }
    };
    Some(problem.into())
}

/// A request before the opening is refused or passed over, and the opening is answered after it.
fn early(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    // A subject that answers `initialize` in no session has another fault.
    let opens = evidence.readings.iter().any(|reading| reading.ledger.opened());
    for (index, reading, stimulus) in evidence.stimuli(requirement).filter(|_| opens) {
        let ledger = &reading.ledger;
        let Some(number) = stimulus.calls.first() else { continue };
        let request = reading.request(*number);
        if let Some((frame, facts)) = reading.answers(&ledger.calls()[*number]).next() {
            let when = if facts.shape == Shape::Error { "error" } else { "result" };
            let observation = Observation::new(when, index).observed(super::reply::shown(facts));
            seen.push(observation.at(request).at(reading.received(frame)));
            continue;
        }
        // What was answered after it shows that it did no harm.
        let later = ledger.calls()[*number + 1..].iter().any(|call| !call.answers.is_empty());
        let opening = ledger.stimuli_named("initialize-late").next();
        if later {
            seen.push(Observation::new("silence", index).at(request));
        } else if let Some((end, at)) = ledger.process().ended_early() {
            let text = format!("the process ended with {end}");
            let observation = Observation::new("exited", index).observed(text.clone());
            seen.push(observation.at(request).at(reading.happened(at, text)));
        } else if opening.is_some() {
            seen.push(Observation::new("deaf", index).at(request));
        }
    }
    seen
}

/// A server of the handshake era answers `initialize` after `server/discover`.
fn probe(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    // A subject that answers `initialize` in no session has another fault than the probe.
    let opens = evidence.readings.iter().any(|reading| reading.ledger.opened());
    for (index, reading, stimulus) in evidence.stimuli(requirement).filter(|_| opens) {
        let ledger = &reading.ledger;
        // What the probe did shows in the session that goes on with `initialize`, or cannot.
        let opening = ledger.stimuli_named("initialize-after-probe").next();
        let answered = opening.is_some_and(|opening| {
            opening.calls.iter().any(|call| !ledger.calls()[*call].answers.is_empty())
        });
        let process = ledger.process();
        let observation = if answered {
            Observation::new("survived", index)
        } else if let Some((end, at)) = process.ended_early() {
            Observation::new("exited", index)
                .observed(format!("the process ended with {end}"))
                .at(reading.happened(at, format!("the process ended with {end}")))
        } else if opening.is_some_and(|opening| opening.waited.is_some_and(|waited| waited.expired))
        {
            Observation::new("deaf", index)
        } else {
            continue;
        };
        let request = stimulus.calls.first().map(|call| reading.request(*call));
        seen.push(Observation {
            evidence: request.into_iter().chain(observation.evidence).collect(),
            ..observation
        });
    }
    seen
}
