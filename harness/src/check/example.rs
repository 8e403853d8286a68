//! The examples of the JSON-RPC 2.0 specification: each line is answered as the specification shows.

use serde_json::Value;

use super::answer::{Silence, describe, silence_after};
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{Shape, Stimulus};
use crate::protocol::jsonrpc::{EXAMPLES, Example};

pub(super) const JUDGES: &[(&str, Judge)] = &[("example", examples)];

const METHOD_NOT_FOUND: i64 = -32601;

fn examples(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let group = requirement.id.rsplit('.').next().unwrap_or_default();
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let example = EXAMPLES.iter().find(|example| example.name == stimulus.variant);
        let Some(example) = example.filter(|example| example.group == group) else { continue };
        seen.extend(judged(index, reading, stimulus, example));
    }
    seen
}

fn judged(
    index: usize,
    reading: &Reading,
    stimulus: &Stimulus,
    example: &Example,
) -> Option<Observation> {
    let ledger = &reading.ledger;
    let barrier = stimulus.barrier.map(|barrier| &ledger.calls()[barrier]);
    let of_barrier: Vec<usize> =
        barrier.iter().flat_map(|call| call.answers.iter().map(|answer| answer.frame)).collect();
    let first = stimulus.received.start;
    let frames = stimulus.received(ledger.received()).iter().enumerate();
    let answers: Vec<_> = frames
        .filter(|(number, frame)| {
            !of_barrier.contains(&(first + number))
                && frame.messages().iter().any(|one| one.is_answer())
        })
        .map(|(_, frame)| frame)
        .collect();
    let lacks = |facts: &crate::ledger::Facts| {
        facts.shape == Shape::Error && facts.error_code() == Some(METHOD_NOT_FOUND)
    };
    let missing = !example.needs.is_empty()
        && answers.iter().flat_map(|frame| frame.messages()).filter(|facts| lacks(facts)).count()
            > usize::from(example.request.contains("foo.get"));
    if missing {
        let why = format!("the subject has not all of the methods {}", example.needs.join(", "));
        return Some(Observation::new(super::EXCUSED, index).observed(why));
    }
    let got: Vec<Value> = answers
        .iter()
        .filter_map(|frame| serde_json::from_slice(&frame.bytes).ok())
        .map(|value| plain(&value))
        .collect();
    // That something was answered twice is judged elsewhere.
    let mut got = got;
    got.dedup();
    let wanted = example.answer.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let wanted: Option<Value> = wanted.map(|value| plain(&value));
    let shown =
        |values: &[Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let silence = silence_after(reading, stimulus);
    let when = match (&wanted, got.as_slice()) {
        (None, []) => "as-shown",
        (Some(wanted), [got]) if wanted == got => "as-shown",
        (_, []) if matches!(silence, Some(Silence::Ended(..))) => "exited",
        (_, []) => "silence",
        _ => "otherwise",
    };
    let mut observation = Observation::new(when, index)
        .expected(wanted.map_or_else(|| "nothing".into(), |wanted| wanted.to_string()))
        .observed(format!(
            "{}: {}",
            example.name,
            if got.is_empty() { "nothing".into() } else { shown(&got) }
        ));
    let sent = ledger.sent().iter().find(|frame| frame.at >= stimulus.at);
    observation.evidence.extend(sent.map(|frame| reading.sent(frame)));
    observation.evidence.extend(answers.iter().take(2).map(|frame| reading.received(frame)));
    observation.evidence.extend(silence.and_then(|silence| describe(reading, &silence).1));
    Some(observation)
}

/// A response without what is free: messages and data of errors, the order of a batch, the kind of a number.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(all) => {
            let mut all: Vec<Value> = all.iter().map(plain).collect();
            all.sort_by_key(ToString::to_string);
            Value::Array(all)
        }
        Value::Object(members) => {
            let mut members = members.clone();
            // Judged for every message.
            members.remove("jsonrpc");
            if let Some(error) = members.get_mut("error").and_then(Value::as_object_mut) {
                error.retain(|name, _| name == "code");
            }
            // 19.0 is 19.
            if let Some(number) = members.get("result").and_then(Value::as_f64) {
                members.insert("result".into(), serde_json::json!(number));
            }
            Value::Object(members)
        }
        other => other.clone(),
    }
}
