//! Subscriptions of the stateless era: acknowledged before anything else, and kept to what was asked for.

use serde_json::Value;

use super::answer::{Silence, describe, silence};
use super::reply::shown;
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{Frame, Shape};

pub(super) const JUDGES: &[(&str, Judge)] =
    &[("acknowledged", acknowledged), ("requested", requested)];

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
/// The member of `_meta` that says which listening a notification is for.
const SUBSCRIPTION: &str = "/_meta/io.modelcontextprotocol~1subscriptionId";

/// What can be listened for, and the notification that tells of it.
const KINDS: &[(&str, &str)] = &[
    ("toolsListChanged", "notifications/tools/list_changed"),
    ("promptsListChanged", "notifications/prompts/list_changed"),
    ("resourcesListChanged", "notifications/resources/list_changed"),
    ("resourceSubscriptions", "notifications/resources/updated"),
];

/// The notifications of a session that name a listening, each with its frame, method and parameters.
fn told<'a>(
    reading: &'a Reading,
    id: &'a Value,
) -> impl Iterator<Item = (&'a Frame, String, Value)> {
    reading.ledger.received().iter().flat_map(move |frame| {
        let notifications =
            frame.messages().iter().filter(|facts| facts.shape == Shape::Notification);
        notifications.filter_map(move |facts| {
            let params: Value = serde_json::from_str(facts.params.as_deref()?).ok()?;
            let named = params.pointer(SUBSCRIPTION) == Some(id);
            named.then(|| (frame, facts.method.clone().unwrap_or_default(), params))
        })
    })
}

/// What is acknowledged and told of keeps to what was asked for.
fn requested(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let Some(number) = stimulus.calls.first() else { continue };
        let call = &reading.ledger.calls()[*number];
        let id: Value = serde_json::from_str(&call.id.to_json()).unwrap_or_default();
        let frame = &reading.ledger.sent()[call.frame];
        let params = frame.messages().first().and_then(|facts| facts.params.as_deref());
        let params: Value =
            params.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        let asked = |name: &str| is_wanted(params.pointer(&format!("/notifications/{name}")));
        let mut all = told(reading, &id).peekable();
        if all.peek().is_none() {
            continue;
        }
        let more = all.find_map(|(frame, method, params)| {
            if method == ACKNOWLEDGED {
                let filter = params.get("notifications").and_then(Value::as_object)?;
                let name =
                    filter.iter().find(|(name, value)| is_wanted(Some(value)) && !asked(name));
                return name.map(|(name, _)| ("acknowledged-more", name.clone(), frame));
            }
            let (name, _) = KINDS.iter().find(|(_, own)| *own == method)?;
            (!asked(name)).then_some(("unrequested", method, frame))
        });
        let request = reading.request(*number);
        seen.push(match more {
            Some((when, what, frame)) => Observation::new(when, index)
                .observed(format!("`{what}`"))
                .at(request)
                .at(reading.received(frame)),
            None => Observation::new("within", index),
        });
    }
    seen
}

/// Whether a member of a filter asks for anything.
fn is_wanted(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(wanted)) => *wanted,
        Some(Value::Array(items)) => !items.is_empty(),
        _ => false,
    }
}

fn acknowledged(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let Some(number) = stimulus.calls.first() else { continue };
        let call = &reading.ledger.calls()[*number];
        let id: Value = serde_json::from_str(&call.id.to_json()).unwrap_or_default();
        let request = reading.request(*number);
        let frames = stimulus.received(reading.ledger.received()).iter();
        let mut notifications = frames.flat_map(|frame| {
            frame.messages().iter().filter(|facts| facts.shape == Shape::Notification).map(
                move |facts| {
                    let params = facts.params.as_deref();
                    let params: Value =
                        params.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
                    (frame, facts.method.clone().unwrap_or_default(), params)
                },
            )
        });
        // What names no listening, such as a log, is none of it.
        let first = notifications.find(|(_, method, params)| {
            method == ACKNOWLEDGED || params.pointer(SUBSCRIPTION).is_some()
        });
        let observation = if let Some((frame, method, params)) = first {
            let named = params.pointer(SUBSCRIPTION);
            let when = match method.as_str() {
                ACKNOWLEDGED if named == Some(&id) => "acknowledged",
                ACKNOWLEDGED => "other-id",
                _ => "other-first",
            };
            let named = named.map_or_else(|| "none".into(), ToString::to_string);
            Observation::new(when, index)
                .observed(format!("{method} with the subscription id {named}"))
                .at(request)
                .at(reading.received(frame))
        } else if let Some((frame, facts)) =
            reading.answers(call).find(|(_, facts)| facts.shape == Shape::Error)
        {
            let observation = Observation::new("refused", index).observed(shown(facts));
            observation.at(request).at(reading.received(frame))
        } else {
            let silence = silence(reading, stimulus, call);
            let when = match silence {
                Some(Silence::Ended(..)) => "exited",
                Some(Silence::Flooded(_)) => continue,
                _ => "silence",
            };
            let told = silence.map(|silence| describe(reading, &silence));
            let (text, event) = told.unwrap_or_default();
            let mut observation = Observation::new(when, index).observed(text).at(request);
            observation.evidence.extend(event);
            observation
        };
        seen.push(observation);
    }
    seen
}
