//! The shape of every message that the subject writes, at the revision that is in force.
//!
//! What a message has to look like stands in [`crate::shape`]. A requirement names the shapes and the places in them that
//! it is about; one that names no places gets what no other claims.

use super::stdout::push_bounded;
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::{Catalogue, Requirement};
use crate::ledger::{Answer, Facts, Frame, Match, Shape};
use crate::shape::{self, Problem};

pub(super) const JUDGES: &[(&str, Judge)] = &[("shape", shapes)];

/// How many problems of one message are told.
const TOLD: usize = 3;

/// A message and the shape that it has to have.
struct Held<'a> {
    frame: &'a Frame,
    shape: Option<&'static str>,
    value: serde_json::Value,
    /// What it is, in a few words.
    what: String,
}

fn shapes(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        let revision = reading.revision();
        for held in messages(reading, &revision) {
            let Some(shape) = held.shape else {
                if requirement.has_row("unknown-method") {
                    let observation = Observation::new("unknown-method", index).observed(held.what);
                    push_bounded(&mut seen, observation, || reading.received(held.frame));
                }
                continue;
            };
            if !is_about(requirement, shape) {
                continue;
            }
            let problems = shape::problems(&revision, shape, &held.value);
            let own: Vec<&Problem> =
                problems.iter().filter(|problem| is_own(requirement, shape, problem)).collect();
            if own.is_empty() {
                let observation = Observation::new("shaped", index);
                push_bounded(&mut seen, observation, || reading.received(held.frame));
                continue;
            }
            let told: Vec<String> = own.iter().take(TOLD).map(|problem| told(problem)).collect();
            let observation = Observation::new("misshapen", index).observed(format!(
                "{}: {}",
                held.what,
                told.join("; ")
            ));
            push_bounded(&mut seen, observation, || reading.received(held.frame));
        }
    }
    if seen.is_empty()
        && requirement.has_row("none")
        && evidence.stimuli(requirement).next().is_some()
    {
        seen.push(Observation::new("none", 0));
    }
    seen
}

fn told(problem: &Problem) -> String {
    match problem.path.as_str() {
        "" => problem.text.clone(),
        path => format!("{path}: {}", problem.text),
    }
}

/// Every result, error, notification and request of a session; a result only where its request is known.
fn messages<'a>(reading: &'a Reading, revision: &str) -> Vec<Held<'a>> {
    let ledger = &reading.ledger;
    let mut all = Vec::new();
    for call in ledger.calls() {
        // Whose result it is has to be known, and not guessed.
        let guessed = |answer: &Answer| answer.matched == Match::ByOrder;
        if call.answers.iter().any(guessed) {
            continue;
        }
        for (frame, facts) in reading.answers(call) {
            let Some(value) = result(facts) else { continue };
            let Some(shape) = shape::of_result(revision, &call.method) else { continue };
            let shape = meant(shape, &value);
            let what = format!("the result of {}", call.method);
            all.push(Held { frame, shape: Some(shape), value, what });
        }
    }
    for frame in ledger.received() {
        for facts in frame.messages() {
            if let Some(value) = error(facts).filter(|_| shape::knows(revision)) {
                let what = format!("the error {}", value["code"]);
                all.push(Held { frame, shape: Some("Error"), value, what });
            }
            let Some(method) = &facts.method else { continue };
            let (shape, kind) = match facts.shape {
                // A revision without requests of the server has a check for that.
                Shape::Request if revision >= "2026-07-28" => continue,
                Shape::Request => (shape::of_request(revision, method), "request"),
                _ => (shape::of_notification(revision, method), "notification"),
            };
            let params = facts.params.as_deref().unwrap_or("{}");
            let value = serde_json::from_str(params).unwrap_or_default();
            all.push(Held { frame, shape, value, what: format!("the {kind} {method}") });
        }
    }
    all
}

/// The one of two shapes that a result means to have: a question and a task say of themselves that they are one.
fn meant(shape: &'static str, value: &serde_json::Value) -> &'static str {
    let asks = value.get("resultType").is_some_and(|kind| kind == "input_required");
    match shape {
        "CallToolOrCreateTaskResult" if value.get("task").is_none() => "CallToolResult",
        "CallToolOrInputRequiredResult" if !asks => "CallToolResult",
        "GetPromptOrInputRequiredResult" if !asks => "GetPromptResult",
        "ReadResourceOrInputRequiredResult" if !asks => "ReadResourceResult",
        other => other,
    }
}

/// The result, where it is an object: what is none is judged as that.
fn result(facts: &Facts) -> Option<serde_json::Value> {
    facts.result_value().filter(|value| value.is_object() && facts.shape == Shape::Response)
}

/// The error, where it has a code and a message: what lacks them is judged as that.
fn error(facts: &Facts) -> Option<serde_json::Value> {
    let raw = &facts.error.as_ref().filter(|_| facts.shape == Shape::Error)?.raw;
    let value: serde_json::Value = serde_json::from_str(raw).ok()?;
    (value["code"].is_i64() && value["message"].is_string()).then_some(value)
}

/// Whether a requirement is about a shape at all.
fn is_about(requirement: &Requirement, shape: &str) -> bool {
    let named = &requirement.shapes;
    named.iter().any(|own| own == shape || own == "*") || named.is_empty()
}

/// Whether a problem belongs to a requirement: it claims the place, or claims none and no other does.
fn is_own(requirement: &Requirement, shape: &str, problem: &Problem) -> bool {
    if !requirement.places.is_empty() {
        return claims(requirement, shape, problem);
    }
    let others = || Catalogue::built_in().requirements().iter();
    let by_place = others().any(|row| !row.places.is_empty() && claims(row, shape, problem));
    // Whoever names the shape comes before whoever takes what is left.
    let by_shape = || {
        requirement.shapes.is_empty()
            && others()
                .any(|row| row.places.is_empty() && row.shapes.iter().any(|own| own == shape))
    };
    !by_place && !by_shape()
}

fn claims(row: &Requirement, shape: &str, problem: &Problem) -> bool {
    is_about(row, shape) && row.places.iter().any(|place| covers(place, &problem.place()))
}

/// Whether a place covers a path: `*` stands for one step, and a last `**` for any, none among them.
fn covers(place: &str, path: &str) -> bool {
    let mut steps = path.split('/').skip(1);
    for own in place.split('/').skip(1) {
        if own == "**" {
            return true;
        }
        match steps.next() {
            Some(step) if own == "*" || own == step => {}
            _ => return false,
        }
    }
    steps.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn a_place_covers_paths_step_by_step() {
        let table = [
            ("/nextCursor", "/nextCursor", true),
            ("/nextCursor", "/nextCursor/x", false),
            ("/tools/*/inputSchema/**", "/tools/0/inputSchema", true),
            ("/tools/*/inputSchema/**", "/tools/12/inputSchema/type", true),
            ("/tools/*/inputSchema/**", "/tools/0/name", false),
            ("/tools/*", "/tools", false),
        ];
        for (place, path, covered) in table {
            assert_eq!(covers(place, path), covered, "{place} {path}");
        }
    }
}
