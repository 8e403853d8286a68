//! Subscriptions of the stateless era: acknowledged before anything else.

use serde_json::Value;

use super::answer::{Silence, describe, silence};
use super::reply::shown;
use super::{Evidence, Judge, Observation};
use crate::catalogue::Requirement;
use crate::ledger::Shape;

pub(super) const JUDGES: &[(&str, Judge)] = &[("acknowledged", acknowledged)];

const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
/// The member of `_meta` that says which listening a notification is for.
const SUBSCRIPTION: &str = "/_meta/io.modelcontextprotocol~1subscriptionId";

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
