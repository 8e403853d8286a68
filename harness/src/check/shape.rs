//! The shape of JSON-RPC messages, wherever they stand in a session.

use super::stdout::push_bounded;
use super::{Evidence, Judge, Observation};
use crate::catalogue::Requirement;
use crate::ledger::{Code, Facts, Shape};

pub(super) const JUDGES: &[(&str, Judge)] = &[
    ("version-member", version_member),
    ("result-xor-error", result_xor_error),
    ("result-object", result_object),
    ("error-shape", error_shape),
    ("error-code-integer", error_code_integer),
];

/// Goes through every message; `see` says what it shows, if anything.
fn each(
    evidence: &Evidence<'_>,
    see: impl Fn(&Facts) -> Option<(&'static str, String)>,
) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, frame, facts) in evidence.messages() {
        if let Some((when, observed)) = see(facts) {
            let observation = Observation::new(when, index).observed(observed);
            push_bounded(&mut seen, observation, || reading.received(frame));
        }
    }
    seen
}

fn version_member(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    each(evidence, |facts| match facts.version.as_deref() {
        Some("\"2.0\"") => Some(("right", String::new())),
        Some(other) => Some(("wrong", format!("jsonrpc is {other}"))),
        None => Some(("missing", String::new())),
    })
}

fn result_xor_error(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    each(evidence, |facts| match facts.shape {
        Shape::Both => Some(("both", String::new())),
        Shape::Neither => Some(("neither", String::new())),
        Shape::Response | Shape::Error => Some(("one", String::new())),
        Shape::Request | Shape::Notification => None,
    })
}

fn result_object(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    each(evidence, |facts| {
        let result = facts.result.as_deref()?;
        if result.starts_with('{') {
            return Some(("object", String::new()));
        }
        let shown: String = result.chars().take(60).collect();
        Some(("not-object", format!("the result is {shown}")))
    })
}

fn error_shape(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    each(evidence, |facts| {
        // `error: null` beside a result is the business of `result-xor-error`.
        let error = facts.error.as_ref().filter(|_| facts.shape == Shape::Error)?;
        Some(match (&error.code, &error.message) {
            (Code::Absent, _) => ("no-code", format!("the error is {}", error.raw)),
            (_, None) => ("no-message", format!("the error is {}", error.raw)),
            _ => ("whole", String::new()),
        })
    })
}

fn error_code_integer(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    each(evidence, |facts| {
        let error = facts.error.as_ref().filter(|_| facts.shape == Shape::Error)?;
        match &error.code {
            Code::Absent => None,
            Code::Integer(_) => Some(("integer", String::new())),
            Code::Odd(raw) => Some(("not-integer", format!("the code is {raw}"))),
        }
    })
}
