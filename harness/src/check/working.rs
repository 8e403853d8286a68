//! Work that takes its time: its progress, its cancellation, and what is answered meanwhile.

use serde_json::Value;

use super::answer::lost_after;
use super::stdout::push_bounded;
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{Answer, Frame, Match, Shape, Stimulus};

pub(super) const JUDGES: &[(&str, Judge)] = &[
    ("progress-token", token),
    ("progress-grows", grows),
    ("progress-stops", stops),
    ("cancel-race", race),
    ("cancelled", cancelled),
    ("concurrency", concurrency),
];

const PROGRESS: &str = "notifications/progress";
/// What is sent within this time of a cancellation, in microseconds, had not heard of it.
const GRACE: u64 = 150_000;
/// Calls that are done within this time, in microseconds, are too quick to tell anything.
const QUICK: u64 = 50_000;

/// A progress notification.
struct Progress<'a> {
    frame: &'a Frame,
    token: Value,
    value: Option<f64>,
}

fn progress(reading: &Reading) -> Vec<Progress<'_>> {
    let mut all = Vec::new();
    for frame in reading.ledger.received() {
        for facts in frame.messages() {
            if facts.shape != Shape::Notification || facts.method.as_deref() != Some(PROGRESS) {
                continue;
            }
            let params: Value = facts
                .params
                .as_deref()
                .and_then(|raw| serde_json::from_str(raw).ok())
                .unwrap_or_default();
            let token = params.get("progressToken").cloned().unwrap_or_default();
            all.push(Progress {
                frame,
                token,
                value: params.get("progress").and_then(Value::as_f64),
            });
        }
    }
    all
}

/// The token that each request gave, with the request.
fn tokens(reading: &Reading) -> Vec<(Value, usize)> {
    let calls = reading.ledger.calls().iter().enumerate();
    calls
        .filter_map(|(number, call)| {
            let facts = reading.ledger.sent()[call.frame].messages().first()?;
            let params: Value = serde_json::from_str(facts.params.as_deref()?).ok()?;
            Some((params.pointer("/_meta/progressToken")?.clone(), number))
        })
        .collect()
}

/// Whether a session gave anybody a reason to tell of progress.
fn asked_for_progress(reading: &Reading) -> bool {
    !tokens(reading).is_empty()
}

/// Every progress names a token that a request gave.
fn token(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        let given = tokens(reading);
        for progress in progress(reading) {
            let known = given.iter().any(|(token, _)| *token == progress.token);
            let when = if known { "known" } else { "unknown" };
            let observed = format!("the token {}", progress.token);
            let observation = Observation::new(when, index).observed(observed);
            push_bounded(&mut seen, observation, || reading.received(progress.frame));
        }
        if seen.is_empty() && asked_for_progress(reading) {
            seen.push(Observation::new("none", index));
        }
    }
    seen
}

/// The progress under each token grows.
fn grows(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        let given = tokens(reading);
        let is_known = |one: &Progress<'_>| given.iter().any(|(token, _)| *token == one.token);
        let all: Vec<Progress<'_>> = progress(reading).into_iter().filter(is_known).collect();
        for (number, one) in all.iter().enumerate() {
            let before = all[..number].iter().rev().find(|other| other.token == one.token);
            let Some((before, (was, is))) =
                before.and_then(|before| Some((before, (before.value?, one.value?))))
            else {
                continue;
            };
            let when = if is > was { "grows" } else { "back" };
            let observation = Observation::new(when, index)
                .observed(format!("{was}, then {is}"))
                .at(reading.received(before.frame));
            push_bounded(&mut seen, observation, || reading.received(one.frame));
        }
        if seen.is_empty() && asked_for_progress(reading) {
            seen.push(Observation::new("none", index));
        }
    }
    seen
}

/// No progress comes after the answer.
fn stops(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        let given = tokens(reading);
        for progress in progress(reading) {
            let call = given.iter().find(|(token, _)| *token == progress.token);
            let Some((_, call)) = call else { continue };
            let answers = &reading.ledger.calls()[*call].answers;
            let answer = answers.first().filter(|answer| answer.matched == Match::Exact);
            let answer = answer.map(|answer| &reading.ledger.received()[answer.frame]);
            // By the place on stdout, which is the order of sending.
            let late = answer.filter(|answer| answer.offset < progress.frame.offset);
            let when = if late.is_some() { "late" } else { "before" };
            let mut observation = Observation::new(when, index);
            observation.evidence.extend(late.map(|answer| reading.received(answer)));
            push_bounded(&mut seen, observation, || reading.received(progress.frame));
        }
        if seen.is_empty() && asked_for_progress(reading) {
            seen.push(Observation::new("none", index));
        }
    }
    seen
}

/// Cancellations that cross answers do no harm. That nothing is answered twice is judged elsewhere.
fn race(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let answered = |barrier: usize| !reading.ledger.calls()[barrier].answers.is_empty();
        if stimulus.barrier.is_some_and(answered) {
            seen.push(Observation::new("borne", index));
        } else {
            seen.extend(lost_after(index, reading, stimulus).flatten());
        }
    }
    seen
}

/// What came for a request after it was cancelled.
fn cancelled(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let Some((call, cancel)) = cancellation(reading, stimulus) else { continue };
        if let Some(lost) = lost_after(index, reading, stimulus) {
            // Answers under ids that nobody sent are no silence.
            let stray = !reading.ledger.unmatched().is_empty();
            let lost = lost.filter(|lost| lost.when == "exited" || !stray);
            seen.extend(lost.map(|lost| lost.at(reading.sent(cancel))));
            continue;
        }
        // Whose answer it is has to be known, and not guessed.
        let guessed = |answer: &Answer| answer.matched != Match::Exact;
        if reading.ledger.calls()[call].answers.iter().any(guessed) {
            continue;
        }
        let answers = reading.answers(&reading.ledger.calls()[call]);
        let late: Vec<_> = answers.filter(|(frame, _)| frame.at > cancel.at + GRACE).collect();
        let token = tokens(reading).into_iter().find(|(_, number)| *number == call);
        let spoke = progress(reading).into_iter().find(|progress| {
            Some(&progress.token) == token.as_ref().map(|(token, _)| token)
                && progress.frame.at > cancel.at + GRACE
        });
        let (when, frame) = match (late.first(), spoke) {
            (Some((frame, facts)), _) if facts.shape == Shape::Error => ("error", Some(*frame)),
            (Some((frame, _)), _) => ("answered", Some(*frame)),
            (None, Some(spoke)) => ("spoke", Some(spoke.frame)),
            (None, None) => ("silent", None),
        };
        let observed = frame
            .map(|frame| format!("{} ms after the cancellation", (frame.at - cancel.at) / 1000));
        let mut observation = Observation::new(when, index)
            .observed(observed.unwrap_or_default())
            .at(reading.request(call))
            .at(reading.sent(cancel));
        observation.evidence.extend(frame.map(|frame| reading.received(frame)));
        seen.push(observation);
    }
    seen
}

/// The request of a stimulus and its cancellation, where it was cancelled before it was answered.
fn cancellation<'a>(reading: &'a Reading, stimulus: &Stimulus) -> Option<(usize, &'a Frame)> {
    let call = *stimulus.calls.first()?;
    let sent = reading.ledger.sent().iter().filter(|frame| frame.at >= stimulus.at);
    let cancel = sent.into_iter().find(|frame| {
        let methods = frame.messages().iter().filter_map(|facts| facts.method.as_deref());
        methods.into_iter().any(|method| method == "notifications/cancelled")
    })?;
    let early = reading.ledger.calls()[call].answers.first().is_some_and(|one| one.at < cancel.at);
    (!early).then_some((call, cancel))
}

/// The last request of a stimulus is answered while those before it are at work.
fn concurrency(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let calls = reading.ledger.calls();
        let [slow @ .., quick] = stimulus.calls.as_slice() else { continue };
        let guessed =
            |call: &usize| calls[*call].answers.iter().any(|answer| answer.matched != Match::Exact);
        if stimulus.calls.iter().any(guessed) {
            continue;
        }
        let at = |call: &usize| calls[*call].answers.first().map(|answer| answer.at);
        let Some(answered) = at(quick) else { continue };
        // A slow call that was not answered yet is at work.
        let works = slow.iter().any(|call| at(call).is_none_or(|done| done > answered));
        let started = calls[*quick].at;
        let when = if works {
            "meanwhile"
        } else if slow.iter().filter_map(at).all(|done| done < started + QUICK) {
            "quick"
        } else {
            "blocked"
        };
        let waited = answered.saturating_sub(started) / 1000;
        seen.push(
            Observation::new(when, index)
                .observed(format!("{} was answered after {waited} ms", calls[*quick].method))
                .at(reading.request(*quick)),
        );
    }
    seen
}
