//! Stdout as a stream of bytes: purity, one message a line, UTF-8.

use super::{Evidence, Judge, Observation, Reading};
use crate::catalogue::Requirement;
use crate::ledger::{Frame, Kind};

pub(super) const JUDGES: &[(&str, Judge)] =
    &[("stdout-purity", purity), ("newline-delimited", newline_delimited), ("utf8", utf8)];

/// How many findings of one kind are shown.
const SHOWN: usize = 3;

/// Nothing but messages stands on stdout.
fn purity(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        let strays = || reading.ledger.received().iter().filter(|frame| is_foreign(frame, reading));
        let (blank, stray): (Vec<&Frame>, Vec<&Frame>) =
            strays().partition(|frame| matches!(frame.kind, Kind::Blank));
        for (when, frames) in [("stray", stray), ("blank", blank)] {
            let Some(first) = frames.first() else { continue };
            let bytes: u64 = frames.iter().map(|frame| frame.len).sum();
            let mut observation = Observation::new(when, index).observed(format!(
                "{} in {}, {bytes} bytes in all, the first at offset {} {}",
                count(frames.len(), "line"),
                reading.transcript.header.session,
                first.offset,
                place(first, reading),
            ));
            for frame in frames.iter().take(SHOWN) {
                observation = observation.at(reading.received(frame));
            }
            seen.push(observation);
        }
        if reading.ledger.received_len() > 0 {
            seen.push(Observation::new("clean", index));
        }
    }
    seen
}

/// Whether a frame is no message and not a message that was cut off when we ended the process.
fn is_foreign(frame: &Frame, reading: &Reading) -> bool {
    frame.is_stray()
        && !(is_beginning(frame) && cut_off(frame, reading))
        && !is_torn(frame, reading)
}

/// Whether the end of the stream came in the middle of this line.
fn is_last(frame: &Frame, reading: &Reading) -> bool {
    !frame.ended && reading.ledger.received().last().is_some_and(|last| last.offset == frame.offset)
}

/// Whether a frame begins like a message.
fn is_beginning(frame: &Frame) -> bool {
    frame.bytes.first().is_some_and(|byte| matches!(byte, b'{' | b'['))
}

/// Whether we had stopped reading, or ended the process, before the line came to its end.
fn cut_off(frame: &Frame, reading: &Reading) -> bool {
    let process = reading.ledger.process();
    is_last(frame, reading)
        && (process.capped.is_some() || process.signalled.is_some() || process.end.is_none())
}

/// Whether the subject itself stopped in the middle of a message.
fn is_torn(frame: &Frame, reading: &Reading) -> bool {
    frame.is_stray() && is_beginning(frame) && is_last(frame, reading) && !cut_off(frame, reading)
}

fn place(frame: &Frame, reading: &Reading) -> String {
    let ledger = &reading.ledger;
    let process = ledger.process();
    if process.shutdown.is_some_and(|shutdown| frame.at >= shutdown) {
        return "(while the session was being ended)".into();
    }
    let received = ledger.received();
    let before = received.iter().take_while(|other| other.offset < frame.offset);
    if before.clone().all(|other| other.messages().is_empty()) {
        return "(before the first message)".into();
    }
    match frame.stimulus.map(|index| &ledger.stimuli()[index]) {
        Some(stimulus) if stimulus.variant.is_empty() => format!("(after `{}`)", stimulus.name),
        Some(stimulus) => format!("(after `{}`, {})", stimulus.name, stimulus.variant),
        None => String::new(),
    }
}

/// Every message is one line with its line end.
fn newline_delimited(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        for frame in reading.ledger.received() {
            let message = !frame.messages().is_empty();
            let (when, observed) = if message && frame.lines > 1 {
                (
                    "spread",
                    format!("a message over {} lines at offset {}", frame.lines, frame.offset),
                )
            } else if message && frame.glued {
                ("glued", format!("a message that shares its line, at offset {}", frame.offset))
            } else if message && !frame.ended && !cut_off(frame, reading) {
                (
                    "unended",
                    format!("the last message, at offset {}, has no line end", frame.offset),
                )
            } else if is_torn(frame, reading) {
                (
                    "torn",
                    format!("stdout ends in the middle of the line at offset {}", frame.offset),
                )
            } else if message && frame.carriage_return {
                ("crlf", String::new())
            } else if message {
                ("lines", String::new())
            } else {
                continue;
            };
            push_bounded(&mut seen, Observation::new(when, index).observed(observed), || {
                reading.received(frame)
            });
        }
    }
    seen
}

/// Every message is UTF-8 and begins without a byte order mark.
fn utf8(evidence: &Evidence<'_>, _: &Requirement) -> Vec<Observation> {
    let mut seen = Vec::new();
    for (index, reading) in evidence.sessions() {
        for frame in reading.ledger.received() {
            if frame.messages().is_empty() {
                continue;
            }
            let (when, observed) = if let Some(valid) = frame.not_utf8 {
                let at = frame.offset + valid as u64;
                ("not-utf8", format!("the byte at offset {at} begins no character of UTF-8"))
            } else if frame.bom {
                ("bom", format!("the bytes EF BB BF stand at offset {}", frame.offset))
            } else {
                ("utf8", String::new())
            };
            push_bounded(&mut seen, Observation::new(when, index).observed(observed), || {
                reading.received(frame)
            });
        }
    }
    seen
}

/// Keeps the first findings of each kind and forgets the rest, so that a flood stays small.
pub(super) fn push_bounded(
    seen: &mut Vec<Observation>,
    observation: Observation,
    evidence: impl FnOnce() -> crate::verdict::EvidenceRef,
) {
    if seen.iter().filter(|other| other.when == observation.when).count() < SHOWN {
        seen.push(observation.at(evidence()));
    }
}

/// A number with its noun.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
