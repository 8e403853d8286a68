//! Revisions: which were asked for, which were answered.

use serde_json::Value;

use super::answer::{Silence, describe, silence};
use super::reply::shown;
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{Call, Frame, Shape};
use crate::protocol::mcp::{LEGACY, MODERN};

pub(super) const JUDGES: &[(&str, Judge)] = &[
    ("version-same", same),
    ("version-other", other),
    ("version-latest", latest),
    ("version-known", known),
    ("unsupported-version", unsupported),
];

/// The pre-release that SDKs still accept.
const PRE_RELEASE: &str = "2024-10-07";

/// One `initialize` that was answered with a result.
struct Agreed<'a> {
    session: usize,
    reading: &'a Reading,
    call: usize,
    frame: &'a Frame,
    asked: String,
    answered: String,
}

/// Every `initialize` that was answered with a revision.
fn agreed<'a>(evidence: &Evidence<'a>) -> Vec<Agreed<'a>> {
    let mut all = Vec::new();
    for (session, reading) in evidence.sessions() {
        for (call, frame, result) in reading.results("initialize") {
            let asked = asked(reading, &reading.ledger.calls()[call]);
            let answered = result.get("protocolVersion").and_then(Value::as_str);
            if let (Some(asked), Some(answered)) = (asked, answered) {
                let answered = answered.to_string();
                all.push(Agreed { session, reading, call, frame, asked, answered });
            }
        }
    }
    all
}

/// The revision that an `initialize` asked for.
fn asked(reading: &Reading, call: &Call) -> Option<String> {
    let facts = reading.ledger.sent()[call.frame].messages().first()?;
    let params: Value = serde_json::from_str(facts.params.as_deref()?).ok()?;
    Some(params.get("protocolVersion")?.as_str()?.to_string())
}

impl Agreed<'_> {
    fn seen(&self, when: &'static str) -> Observation {
        Observation::new(when, self.session)
            .observed(format!("asked for {}, answered {}", self.asked, self.answered))
            .at(self.reading.request(self.call))
            .at(self.reading.received(self.frame))
    }
}

/// A revision that the subject speaks, by one of its own answers, is agreed to.
fn same(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let all = agreed(evidence);
    let speaks = |revision: &str| {
        LEGACY.contains(&revision) && all.iter().any(|one| one.answered == revision)
    };
    let asked = all.iter().filter(|one| speaks(&one.asked));
    asked.map(|one| one.seen(if one.asked == one.answered { "same" } else { "changed" })).collect()
}

/// A revision that there is not gets another one.
fn other(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        for number in &stimulus.calls {
            let call = &reading.ledger.calls()[*number];
            let Some(asked) = asked(reading, call).filter(|asked| !is_released(asked)) else {
                continue;
            };
            let request = reading.request(*number);
            if let Some((frame, facts)) = reading.answers(call).next() {
                let result = facts.result_value();
                let version = result.as_ref().and_then(|result| result.get("protocolVersion"));
                let when = match facts.shape {
                    Shape::Error => "refused",
                    _ if version.and_then(Value::as_str) == Some(asked.as_str()) => "echoed",
                    _ => "offered",
                };
                let observed = format!("asked for {asked}: {}", shown(facts));
                let observation = Observation::new(when, index).observed(observed);
                seen.push(observation.at(request).at(reading.received(frame)));
            } else if let Some(silence) = silence(reading, stimulus, call) {
                let when = if matches!(silence, Silence::Ended(..)) { "exited" } else { "silence" };
                let (text, event) = describe(reading, &silence);
                let mut observation = Observation::new(when, index)
                    .observed(format!("asked for {asked}: {text}"))
                    .at(request);
                observation.evidence.extend(event);
                seen.push(observation);
            }
        }
    }
    seen
}

/// What is offered in place of a revision that there is not is the latest that the subject speaks.
fn latest(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let all = agreed(evidence);
    let spoken = all.iter().map(|one| one.answered.as_str());
    let Some(latest) = spoken.filter(|revision| LEGACY.contains(revision)).max() else {
        return Vec::new();
    };
    let offered = all.iter().filter(|one| !is_released(&one.asked) && one.asked != one.answered);
    offered
        .map(|one| one.seen(if one.answered.as_str() < latest { "older" } else { "latest" }))
        .collect()
}

/// The revision in an answer is one that was released.
fn known(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    // An echo of a revision that there is not is another check's.
    let all = agreed(evidence)
        .into_iter()
        .filter(|one| one.asked != one.answered || is_released(&one.asked));
    all.map(|one| {
        let known = is_released(&one.answered) || one.answered == PRE_RELEASE;
        one.seen(if known { "known" } else { "unknown" })
    })
    .collect()
}

fn is_released(revision: &str) -> bool {
    LEGACY.contains(&revision) || MODERN.contains(&revision)
}

/// A stateless request of a revision that there is not is refused with the revisions that there are.
fn unsupported(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    const UNSUPPORTED_VERSION: i64 = -32022;
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        for number in &stimulus.calls {
            let call = &reading.ledger.calls()[*number];
            let Some((frame, facts)) = reading.answers(call).next() else { continue };
            if facts.shape == Shape::Error && facts.error_code().is_none() {
                continue;
            }
            let names_some = facts.error.as_ref().is_some_and(|error| {
                let error: Value = serde_json::from_str(&error.raw).unwrap_or_default();
                let supported = error.pointer("/data/supported").and_then(Value::as_array);
                let requested = error.pointer("/data/requested");
                supported.is_some_and(|list| !list.is_empty() && list.iter().all(Value::is_string))
                    && requested.is_some_and(Value::is_string)
            });
            let when = match (facts.shape, facts.error_code()) {
                (Shape::Error, Some(UNSUPPORTED_VERSION)) if names_some => "refused",
                (Shape::Error, Some(UNSUPPORTED_VERSION)) => "no-list",
                (Shape::Error, _) => "other-code",
                _ => "result",
            };
            seen.push(
                Observation::new(when, index)
                    .observed(shown(facts))
                    .at(reading.request(*number))
                    .at(reading.received(frame)),
            );
        }
    }
    seen
}
