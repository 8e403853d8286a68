//! Requests and their answers: the right id, exactly once, the right refusal.

use super::stdout::push_bounded;
use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{Call, End, Facts, Frame, Match, Shape, Stimulus};
use crate::transcript::Expect;
use crate::transcript::PLANNED;
use crate::verdict::EvidenceRef;

pub(super) const JUDGES: &[(&str, Judge)] =
    &[("id-echo", id_echo), ("exactly-one", exactly_one), ("method-not-found", method_not_found)];

/// How a request that was not answered came to stay so.
pub(super) enum Silence {
    /// The process ended; how, and when.
    Ended(End, u64),
    /// Stdout was closed while the process lived, at this time.
    Closed(u64),
    /// So much was written that we stopped reading.
    Flooded(String),
    /// A later request was answered.
    Passed,
    /// Nothing was answered any more, for this many milliseconds.
    Deaf(u64),
    /// Stdin was closed by the subject while it lived, so that nothing could be asked.
    Unread,
}

/// Why a call of this stimulus has no answer; `None` when it has one, or when nobody waited for it.
pub(super) fn silence(reading: &Reading, stimulus: &Stimulus, call: &Call) -> Option<Silence> {
    let ledger = &reading.ledger;
    // An answer that came under an id that nobody sent is judged as that, and not as a silence.
    if !call.answers.is_empty() || has_stray_answer(reading, stimulus) {
        return None;
    }
    let barrier = stimulus.barrier.map(|barrier| &ledger.calls()[barrier]);
    if barrier.is_some_and(|barrier| !barrier.answers.is_empty()) {
        return stimulus.waited.filter(|waited| waited.expired).map(|_| Silence::Passed);
    }
    let next = ledger.stimuli().iter().map(|one| one.at).find(|at| *at > stimulus.at);
    let ended_later = ledger
        .process()
        .ended_early()
        .is_some_and(|(_, at)| next.is_some_and(|next| at > next) && !stimulus.write_failed);
    // Whoever ends at a later stimulus was silent at this one, and not gone.
    let gone = if ended_later { None } else { gone(reading, stimulus) };
    gone.or_else(|| {
        let waits = [stimulus.waited, stimulus.barrier_waited];
        let expired = waits.into_iter().flatten().filter(|waited| waited.expired);
        let millis: u64 = expired.map(|waited| waited.millis).sum();
        (millis > 0).then_some(Silence::Deaf(millis))
    })
}

/// Whether an answer came for a stimulus that belongs to no request.
fn has_stray_answer(reading: &Reading, stimulus: &Stimulus) -> bool {
    let ledger = &reading.ledger;
    let first = stimulus.received.start;
    let last = first + stimulus.received(ledger.received()).len();
    let of_unread = |facts: &Facts| {
        facts.shape == Shape::Error
            && facts.id.valid().is_none()
            && matches!(facts.error_code(), None | Some(-32700 | -32600))
    };
    let is_stray = |frame: &usize| {
        let messages = ledger.received()[*frame].messages();
        (first..last).contains(frame)
            && messages.iter().any(|facts| facts.is_answer() && !of_unread(facts))
    };
    stimulus.expect != Expect::Silence && ledger.unmatched().iter().any(is_stray)
}

/// Why nothing could come from the subject any more, at this stimulus.
fn gone(reading: &Reading, stimulus: &Stimulus) -> Option<Silence> {
    let process = reading.ledger.process();
    if let Some(limit) = &process.capped {
        return Some(Silence::Flooded(limit.clone()));
    }
    if let Some((end, at)) = process.ended_early() {
        return Some(Silence::Ended(end, at));
    }
    let ours = process.shutdown.unwrap_or(u64::MAX);
    if let Some(at) = process.stdout_ended.filter(|at| *at < ours) {
        return Some(Silence::Closed(at));
    }
    stimulus.write_failed.then_some(Silence::Unread)
}

/// What became of the request that follows a stimulus: `None` when it was answered, or nobody waited for it.
pub(super) fn silence_after(reading: &Reading, stimulus: &Stimulus) -> Option<Silence> {
    match stimulus.barrier {
        Some(barrier) => {
            let waited = stimulus.barrier_waited;
            let alone = Stimulus { waited, barrier: None, ..stimulus.clone() };
            silence(reading, &alone, &reading.ledger.calls()[barrier])
        }
        None => unsent(reading, stimulus),
    }
}

/// Why a stimulus, or its barrier, could not be sent at all.
pub(super) fn unsent(reading: &Reading, stimulus: &Stimulus) -> Option<Silence> {
    if stimulus.write_failed { gone(reading, stimulus) } else { None }
}

/// What happened, as evidence, and in words.
pub(super) fn describe(reading: &Reading, silence: &Silence) -> (String, Option<EvidenceRef>) {
    match silence {
        Silence::Ended(end, at) => {
            let text = format!("the process ended with {end} after {}", time(*at));
            (text.clone(), Some(reading.happened(*at, text)))
        }
        Silence::Closed(at) => {
            let text = format!("stdout was closed after {}, and the process lived", time(*at));
            (text.clone(), Some(reading.happened(*at, text)))
        }
        Silence::Flooded(limit) => (format!("reading was stopped: {limit}"), None),
        Silence::Passed => ("a later request was answered, this one was not".into(), None),
        Silence::Deaf(millis) => (format!("nothing was answered for {millis} ms"), None),
        Silence::Unread => ("stdin was closed by the process, which lived".into(), None),
    }
}

/// Whether a subject was lost at a stimulus, so that nothing was answered after it: then what that is, `exited` or `deaf`;
/// nothing where we stopped reading, which says nothing of the subject.
pub(super) fn lost_after(
    index: usize,
    reading: &Reading,
    stimulus: &Stimulus,
) -> Option<Option<Observation>> {
    let silence = silence_after(reading, stimulus)?;
    let when = match silence {
        Silence::Ended(..) => "exited",
        Silence::Flooded(_) => return Some(None),
        _ => "deaf",
    };
    let (text, event) = describe(reading, &silence);
    let mut observation = Observation::new(when, index).observed(text);
    observation.evidence.extend(event);
    Some(Some(observation))
}

/// A time of a session in words.
pub(super) fn time(micros: u64) -> String {
    if micros < 1000 { format!("{micros} µs") } else { format!("{} ms", micros / 1000) }
}

/// Every answer carries the id of its request.
fn id_echo(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        let ledger = &reading.ledger;
        for (number, call) in ledger.calls().iter().enumerate() {
            for answer in &call.answers {
                let frame = &ledger.received()[answer.frame];
                if is_judged_elsewhere(reading, call, frame) {
                    continue;
                }
                let when = match answer.matched {
                    Match::Exact => "echoed",
                    Match::OtherType => "other-type",
                    Match::ByOrder => "wrong-id",
                };
                let id = frame.messages()[answer.element].id.clone();
                let observation = Observation::new(when, index)
                    .expected(format!("the id {}", call.id))
                    .observed(format!("sent {}, answered as {}", call.id, shown(&id)))
                    .at(reading.request(number));
                push_bounded(&mut seen, observation, || reading.received(frame));
            }
        }
        // Where the pieces are odd, an answer may come before its request is whole.
        let whole = reading.transcript.header.plan.is_empty();
        for unmatched in ledger.unmatched().iter().filter(|_| whole) {
            let frame = &ledger.received()[*unmatched];
            let expect = frame.stimulus.map(|stimulus| ledger.stimuli()[stimulus].expect);
            if matches!(expect, Some(Expect::Silence | Expect::Free)) || frame.not_utf8.is_some() {
                // An answer to what must not, or may not, be answered, or in the wrong encoding: judged as such.
                continue;
            }
            if frame.stimulus.is_some_and(|own| ledger.stimuli()[own].name == "big-id") {
                continue;
            }
            for facts in frame.messages() {
                if facts.shape == Shape::Error && facts.id.valid().is_none() {
                    continue;
                }
                let observation = Observation::new("unknown-id", index)
                    .observed(format!("a response with the id {}", shown(&facts.id)));
                push_bounded(&mut seen, observation, || reading.received(frame));
            }
        }
    }
    seen
}

/// Whether an id that is not the request's has a cause that a check of its own looks for: cuts, or the encoding.
fn is_judged_elsewhere(reading: &Reading, call: &Call, frame: &Frame) -> bool {
    let stimuli = reading.ledger.stimuli();
    let own = call.stimulus.map(|stimulus| &stimuli[stimulus]);
    let cut = own.is_some_and(|own| own.cuts > 0 || own.name.starts_with(PLANNED));
    let tried = own.is_some_and(|own| own.name == "big-id");
    cut || tried || frame.not_utf8.is_some()
}

/// An id as a finding shows it.
pub(super) fn shown(id: &crate::ledger::IdFacts) -> String {
    use crate::ledger::IdFacts;
    match id {
        IdFacts::Absent => "that is missing".into(),
        IdFacts::Null => "null".into(),
        IdFacts::Valid(id) => id.to_string(),
        IdFacts::Odd(raw) => raw.clone(),
    }
}

/// Every valid request is answered exactly once.
fn exactly_one(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        let ledger = &reading.ledger;
        for (number, call) in ledger.calls().iter().enumerate() {
            if call.answers.len() > 1 {
                let mut observation = Observation::new("twice", index)
                    .observed(format!(
                        "{} answers to {} with id {}",
                        call.answers.len(),
                        call.method,
                        call.id
                    ))
                    .at(reading.request(number));
                for answer in call.answers.iter().take(3) {
                    observation =
                        observation.at(reading.received(&ledger.received()[answer.frame]));
                }
                seen.push(observation);
            } else if call.answers.len() == 1 {
                let observation = Observation::new("once", index);
                push_bounded(&mut seen, observation, || reading.request(number));
            }
        }
        for stimulus in ledger.stimuli() {
            seen.extend(unanswered(index, reading, stimulus));
        }
    }
    seen
}

/// The requests of a stimulus that should have been answered and were not.
fn unanswered(index: usize, reading: &Reading, stimulus: &Stimulus) -> Vec<Observation> {
    let calls = reading.ledger.calls();
    let is_open = |call: &usize| calls[*call].answers.is_empty();
    let mut seen = Vec::new();
    if stimulus.expect == Expect::Answer {
        for number in &stimulus.calls {
            if let Some(silence) = silence(reading, stimulus, &calls[*number]) {
                seen.push(unanswered_call(index, reading, Some(*number), &silence));
            }
        }
        if stimulus.calls.is_empty()
            && let Some(silence) = unsent(reading, stimulus)
        {
            seen.push(unanswered_call(index, reading, None, &silence));
        }
    }
    // A silence that the stimulus itself shows is told once, here or by the check that it belongs to.
    let told = !seen.is_empty()
        || stimulus.expect == Expect::Free
        || (stimulus.expect == Expect::Judged
            && (stimulus.write_failed || stimulus.calls.iter().any(is_open)));
    let deadly =
        |seen: &Silence| stimulus.expect == Expect::Silence && matches!(seen, Silence::Ended(..));
    if !told && let Some(silence) = silence_after(reading, stimulus).filter(|seen| !deadly(seen)) {
        seen.push(unanswered_call(index, reading, stimulus.barrier, &silence));
    }
    seen
}

fn unanswered_call(
    index: usize,
    reading: &Reading,
    number: Option<usize>,
    silence: &Silence,
) -> Observation {
    let when = match silence {
        Silence::Ended(End::Signal(_), _) => "signal",
        Silence::Ended(End::Code(_), _) => "exited",
        Silence::Closed(_) => "closed",
        Silence::Passed => "unanswered",
        Silence::Flooded(_) => "flooded",
        Silence::Deaf(_) | Silence::Unread => "hang",
    };
    let (text, event) = describe(reading, silence);
    let observation = Observation::new(when, index).expected("an answer while stdin is open");
    let mut observation = match number {
        Some(number) => {
            let call = &reading.ledger.calls()[number];
            observation
                .observed(format!("{} with id {}: {text}", call.method, call.id))
                .at(reading.request(number))
        }
        None => observation.observed(format!("a request could not be written: {text}")),
    };
    observation.evidence.extend(event);
    observation
}

/// An unknown method is refused with -32601.
fn method_not_found(evidence: &Evidence<'_>, requirement: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    let expected = "an error with code -32601 and the same id";
    for (index, reading, stimulus) in evidence.stimuli(requirement) {
        let ledger = &reading.ledger;
        let unanswered = |silence: &Silence, request: Option<EvidenceRef>| {
            let when = match silence {
                Silence::Ended(End::Signal(_), _) => "signal",
                Silence::Ended(End::Code(_), _) => "exited",
                _ => "silence",
            };
            let (text, event) = describe(reading, silence);
            let mut observation = Observation::new(when, index).expected(expected).observed(text);
            observation.evidence.extend(request.into_iter().chain(event));
            observation
        };
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
            let (when, observed) = match (facts.shape, facts.error_code()) {
                (Shape::Error, Some(-32601)) => ("not-found", String::new()),
                (Shape::Error, Some(code)) => ("other-code", format!("the code {code}")),
                // Judged as that.
                (Shape::Error, None) => continue,
                (Shape::Neither, _) => ("other-code", "neither a result nor an error".into()),
                // What has both is judged as that; here it is no refusal.
                _ => ("result", "a result".into()),
            };
            seen.push(
                Observation::new(when, index)
                    .expected(expected)
                    .observed(observed)
                    .at(reading.request(*number))
                    .at(reading.received(frame)),
            );
        }
        if stimulus.calls.is_empty() {
            seen.extend(unsent(reading, stimulus).map(|silence| unanswered(&silence, None)));
        }
    }
    seen
}
