//! What the subject asks of its client, and when.

use super::stdout::push_bounded;
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{Facts, Frame, Shape};
use crate::protocol::Client;

pub(super) const JUDGES: &[(&str, Judge)] =
    &[("unasked", undeclared), ("asked-early", early), ("server-requests", requests)];

/// The requests that the subject wrote in a session, with their frames.
fn asked(reading: &Reading) -> impl Iterator<Item = (&Frame, &Facts)> {
    let frames = reading.ledger.received().iter();
    frames
        .flat_map(|frame| frame.messages().iter().map(move |facts| (frame, facts)))
        .filter(|(_, facts)| facts.shape == Shape::Request)
}

/// What the client declared in a session: by the parameters of the opening that was sent.
fn declares(reading: &Reading, capability: &str) -> bool {
    let sent = reading.ledger.sent().iter().flat_map(|frame| frame.messages());
    let openings = sent.filter(|facts| facts.method.as_deref() == Some("initialize"));
    openings
        .filter_map(|facts| {
            let params: serde_json::Value = serde_json::from_str(facts.params.as_deref()?).ok()?;
            params.get("capabilities").cloned()
        })
        .any(|declared| declared.get(capability).is_some())
}

/// Nothing is asked that the client did not declare.
fn undeclared(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions().filter(|(_, one)| one.ledger.opened()) {
        seen.push(Observation::new("none", index));
        for (frame, facts) in asked(reading) {
            let method = facts.method.as_deref().unwrap_or_default();
            let Some(capability) = Client::capability(method) else { continue };
            let when = if declares(reading, capability) { "declared" } else { "undeclared" };
            let observation = Observation::new(when, index)
                .observed(format!("{method}, and the client declares no `{capability}`"));
            push_bounded(&mut seen, observation, || reading.received(frame));
        }
    }
    seen
}

/// Nothing but `ping` is asked before the handshake is complete.
fn early(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        let sent = reading.ledger.sent().iter();
        let complete = sent.filter(|frame| {
            let methods = frame.messages().iter().filter_map(|facts| facts.method.as_deref());
            methods.into_iter().any(|method| method == "notifications/initialized")
        });
        let Some(complete) = complete.map(|frame| frame.at).next() else { continue };
        let paused = reading.ledger.stimuli_named("before-initialized").next().is_some();
        let early = asked(reading).filter(|(frame, facts)| {
            frame.at < complete && facts.method.as_deref() != Some("ping")
        });
        for (frame, facts) in early {
            let method = facts.method.clone().unwrap_or_default();
            let observation = Observation::new("asked", index).observed(method);
            push_bounded(&mut seen, observation, || reading.received(frame));
        }
        // Only a pause before the completion shows that nothing comes in it.
        if paused || !requirement.stimuli.iter().any(|own| own == "before-initialized") {
            seen.push(Observation::new("quiet", index));
        }
    }
    seen
}

/// There is no request on stdout at all.
fn requests(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions().filter(|(_, one)| one.ledger.received_len() > 0) {
        seen.push(Observation::new("none", index));
        for (frame, facts) in asked(reading) {
            let method = facts.method.clone().unwrap_or_default();
            let observation = Observation::new("asked", index).observed(method);
            push_bounded(&mut seen, observation, || reading.received(frame));
        }
    }
    seen
}
