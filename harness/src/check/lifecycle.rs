//! The end of a session: the process goes when its input ends, and leaves nothing behind.

use super::answer::time;
use super::{Evidence, Judge, Observation};
use crate::catalogue::Requirement;
use crate::ledger::{Call, End};

pub(super) const JUDGES: &[(&str, Judge)] =
    &[("exit-on-eof", exit_on_eof), ("no-orphans", no_orphans), ("pending", pending)];

/// A wait for the exit that was shorter proves nothing.
const EXIT_MILLIS: u64 = 5000;

/// Requests whose work has no end of its own.
const ENDLESS: &[&str] = &["subscriptions/listen"];

/// The process exits by itself after the end of its input.
fn exit_on_eof(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let process = reading.ledger.process();
        let Some(closed) = process.stdin_closed else { continue };
        // Whoever still works on a call may finish it first.
        let is_worked_on =
            |call: &Call| call.answers.is_empty() && !ENDLESS.contains(&call.method.as_str());
        if reading.ledger.calls().iter().any(is_worked_on) {
            continue;
        }
        if let Some(waited) = stimulus.waited.filter(|waited| waited.expired) {
            if waited.millis < EXIT_MILLIS {
                continue;
            }
            let text = format!("it still ran {} ms after the end of its input", waited.millis);
            seen.push(
                Observation::new("stayed", index)
                    .expected("an exit without a signal from us")
                    .observed(format!("{}: {text}", stimulus.variant))
                    .at(reading.happened(closed + waited.millis * 1000, text)),
            );
        } else if let Some((end, at)) = process.end {
            if at < closed || process.signalled.is_some_and(|signalled| signalled < at) {
                continue;
            }
            let text = format!("{end}, {} after the end of its input", time(at - closed));
            let when = if matches!(end, End::Signal(_)) { "crashed" } else { "exited" };
            let mut observation = Observation::new(when, index).observed(text.clone());
            if when == "crashed" {
                observation = observation.at(reading.happened(at, text));
            }
            seen.push(observation);
        }
    }
    seen
}

/// Nothing that the process had started runs after its exit.
fn no_orphans(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        let process = reading.ledger.process();
        // A process that we had to end could not tidy up.
        if process.signalled.is_some() {
            continue;
        }
        match &process.left {
            Some(left) if left.is_empty() => seen.push(Observation::new("nothing", index)),
            Some(left) => {
                let names: Vec<String> =
                    left.iter().map(|one| format!("{} (pid {})", one.name, one.pid)).collect();
                let text = format!("left running: {}", names.join(", "));
                let at = process.last_at();
                seen.push(
                    Observation::new("left", index)
                        .observed(text.clone())
                        .at(reading.happened(at, text)),
                );
            }
            None => {}
        }
    }
    seen
}

/// Requests that were written just before the end of input are answered before the exit.
fn pending(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let process = reading.ledger.process();
        let calls = reading.ledger.calls();
        let lost: Vec<usize> =
            stimulus.calls.iter().copied().filter(|call| calls[*call].answers.is_empty()).collect();
        let (Some(first), Some((end, at))) = (lost.first(), process.end) else {
            if lost.is_empty() && !stimulus.calls.is_empty() {
                seen.push(Observation::new("answered", index));
            }
            continue;
        };
        // A process that we had to end was perhaps still at work.
        if process.signalled.is_some_and(|signalled| signalled < at) || process.capped.is_some() {
            seen.push(Observation::new("stayed", index));
            continue;
        }
        let text =
            format!("{end} with {} of {} requests unanswered", lost.len(), stimulus.calls.len());
        seen.push(
            Observation::new("lost", index)
                .observed(text.clone())
                .at(reading.request(*first))
                .at(reading.happened(at, text)),
        );
    }
    seen
}
