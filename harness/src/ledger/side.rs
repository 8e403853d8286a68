//! One stream cut into frames, and each frame read.
//!
//! A reader that only wants messages would drop what is no message; here it is kept, and what was meant as a message
//! but framed wrongly (spread over several lines, two on one line) is recognised, so that the finding names the
//! framing and not forty missing answers.

use std::ops::Range;

use pipeproof_transport::line::{Ending, Item, LineDecoder};
use pipeproof_transport::message::{self, Envelope, Parsed, SyntaxErrorKind};

use serde_json::value::RawValue;

use super::{Facts, Frame, Kind, Shape};

/// How many bytes of a frame that is no message are kept.
const KEPT_OF_STRAY: usize = 512;
/// How many lines, and bytes, a message spread over lines may have to be recognised.
const SPREAD_LINES: usize = 4096;
const SPREAD_BYTES: usize = 1 << 20;

/// The frames of one direction.
#[derive(Debug, Default)]
pub(super) struct Side {
    decoder: LineDecoder,
    frames: Vec<Frame>,
    spread: Option<Spread>,
    len: u64,
    finished: bool,
}

/// Lines that may be one message, printed over several.
#[derive(Debug)]
struct Spread {
    first: usize,
    text: Vec<u8>,
}

impl Side {
    pub(super) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    pub(super) fn unfinished(&self) -> usize {
        self.decoder.pending()
    }

    pub(super) fn stray(&self) -> u64 {
        self.frames.iter().filter(|frame| frame.is_stray()).map(|frame| frame.len).sum()
    }

    /// Takes in a chunk; the frames that it completed. A message spread over lines replaces its lines, so the
    /// range may begin before the frames that were known until now.
    pub(super) fn push(&mut self, chunk: &[u8], at: u64, stimulus: Option<usize>) -> Range<usize> {
        self.len += chunk.len() as u64;
        let mut decoder = std::mem::take(&mut self.decoder);
        let mut rest = chunk;
        let mut first_new = self.frames.len();
        while let Some(item) = decoder.decode(&mut rest) {
            let from = self.take(&item, at, stimulus);
            first_new = first_new.min(from);
        }
        self.decoder = decoder;
        first_new..self.frames.len()
    }

    /// The stream has ended.
    pub(super) fn finish(&mut self, at: u64, stimulus: Option<usize>) -> Range<usize> {
        let mut first_new = self.frames.len();
        if !std::mem::replace(&mut self.finished, true) {
            let mut decoder = std::mem::take(&mut self.decoder);
            if let Some(item) = decoder.finish() {
                first_new = first_new.min(self.take(&item, at, stimulus));
            }
            self.decoder = decoder;
        }
        first_new..self.frames.len()
    }

    /// Takes in an item; the index of the first frame that is new or replaced.
    fn take(&mut self, item: &Item<'_>, at: u64, stimulus: Option<usize>) -> usize {
        let new = self.frames.len();
        let frame = |offset, len, bytes: &[u8], ended, kind| Frame {
            offset,
            len,
            at,
            stimulus,
            bytes: bytes.to_vec(),
            lines: 1,
            glued: false,
            ended,
            carriage_return: false,
            not_utf8: None,
            bom: false,
            kind,
        };
        match item {
            Item::Line(line) => {
                let end = line.ending.len();
                let len = (line.bytes.len() + end) as u64;
                let Read { kind, not_utf8, bom } = read(line.bytes);
                if let (Kind::NotJson { .. }, Some(parts)) = (&kind, glued(line.bytes)) {
                    self.frames.extend(parts.into_iter().map(|(start, part, facts)| {
                        let kind = Kind::Message(Box::new(facts));
                        let offset = line.offset + start as u64;
                        Frame {
                            glued: true,
                            ..frame(offset, part.len() as u64, part, end > 0, kind)
                        }
                    }));
                    return self.end_spread(new);
                }
                let part = !is_message(&kind) || (self.spread.is_some() && is_bare(&kind));
                let kept =
                    if part { line.bytes.len().min(KEPT_OF_STRAY) } else { line.bytes.len() };
                let carriage_return = line.ending == Ending::CrLf;
                let kept = frame(line.offset, len, &line.bytes[..kept], end > 0, kind);
                self.frames.push(Frame { carriage_return, not_utf8, bom, ..kept });
                if part { self.spread_over(new, line.bytes) } else { self.end_spread(new) }
            }
            Item::Blank(span) => {
                self.frames.push(frame(span.offset, span.len + 1, b"", true, Kind::Blank));
                new
            }
            Item::TooLong(span) => {
                self.frames.push(frame(span.offset, span.len + 1, b"", true, Kind::TooLong));
                self.end_spread(new)
            }
            // The default policy delivers an unterminated line as a line.
            _ => new,
        }
    }

    fn end_spread(&mut self, new: usize) -> usize {
        self.spread = None;
        new
    }

    /// Sees whether this stray line begins, continues or completes a message spread over lines.
    fn spread_over(&mut self, index: usize, line: &[u8]) -> usize {
        if self.spread.is_none() {
            let opens =
                line.trim_ascii_start().first().is_some_and(|byte| matches!(byte, b'{' | b'['));
            if opens {
                self.spread = Some(Spread { first: index, text: line.to_vec() });
            }
            return index;
        }
        let Some(spread) = &mut self.spread else { return index };
        spread.text.push(b'\n');
        spread.text.extend_from_slice(line);
        let closes = line.trim_ascii_end().last().is_some_and(|byte| matches!(byte, b'}' | b']'));
        let first = spread.first;
        if closes {
            let whole = read(&spread.text);
            if is_message(&whole.kind) {
                let bytes = std::mem::take(&mut spread.text);
                self.join(first, bytes, whole);
                return first;
            }
        }
        if index - first >= SPREAD_LINES || spread.text.len() > SPREAD_BYTES {
            self.spread = None;
        }
        index
    }

    /// Replaces the lines from `first` on by the one message that they are.
    fn join(&mut self, first: usize, bytes: Vec<u8>, whole: Read) {
        self.spread = None;
        let lines = self.frames.split_off(first);
        if let (Some(head), Some(tail)) = (lines.first(), lines.last()) {
            self.frames.push(Frame {
                offset: head.offset,
                len: tail.offset + tail.len - head.offset,
                at: tail.at,
                stimulus: head.stimulus,
                bytes,
                lines: lines.len(),
                glued: false,
                ended: tail.ended,
                carriage_return: false,
                not_utf8: whole.not_utf8,
                bom: whole.bom,
                kind: whole.kind,
            });
        }
    }
}

/// What was read out of a line, and what had to be overlooked to do so.
struct Read {
    kind: Kind,
    not_utf8: Option<usize>,
    bom: bool,
}

fn is_message(kind: &Kind) -> bool {
    matches!(kind, Kind::Message(_) | Kind::Batch(_))
}

/// Whether an object has no member that makes a message, not even a bad one.
fn is_foreign(envelope: &Envelope<'_>) -> bool {
    let members = [envelope.jsonrpc, envelope.method, envelope.result, envelope.error];
    members.iter().all(Option::is_none)
}

/// Whether it is an object or array that says nothing, as lines inside a printed message can be.
fn is_bare(kind: &Kind) -> bool {
    match kind {
        Kind::Message(facts) => facts.shape == Shape::Neither,
        Kind::Batch(all) => all.iter().all(|facts| facts.shape == Shape::Neither),
        _ => false,
    }
}

/// Reads a line, also one that is in the wrong encoding or begins with a byte order mark: that is then the
/// finding, and not that its message is missing.
fn read(bytes: &[u8]) -> Read {
    const BOM: &[u8] = b"\xef\xbb\xbf";
    let (text, bom) = match bytes.strip_prefix(BOM) {
        Some(text) => (text, true),
        None => (bytes, false),
    };
    match read_text(text) {
        Ok(kind) => Read { kind, not_utf8: None, bom },
        Err(valid_up_to) => {
            let lossy = String::from_utf8_lossy(text);
            let kind = read_text(lossy.as_bytes())
                .unwrap_or_else(|_| unreachable!("the text was made valid"));
            Read { kind, not_utf8: Some(valid_up_to), bom }
        }
    }
}

/// What a line holds; the number of valid bytes when it is not UTF-8.
fn read_text(bytes: &[u8]) -> Result<Kind, usize> {
    Ok(match message::parse(bytes) {
        Ok(Parsed::Object(envelope)) if is_foreign(&envelope) => Kind::Foreign,
        Ok(Parsed::Object(envelope)) => Kind::Message(Box::new(Facts::read(&envelope))),
        Ok(Parsed::Array(elements)) => {
            let facts = |raw: &RawValue| match message::parse(raw.get().as_bytes()) {
                Ok(Parsed::Object(envelope)) => Facts::read(&envelope),
                _ => Facts::of_no_object(),
            };
            Kind::Batch(elements.into_iter().map(facts).collect())
        }
        Ok(Parsed::Scalar(_)) => Kind::Scalar,
        Err(error) => match error.kind {
            SyntaxErrorKind::InvalidUtf8 { valid_up_to } => return Err(valid_up_to),
            _ => Kind::NotJson { reason: error.to_string(), at: error.offset },
        },
    })
}

/// The messages on a line that holds several objects one after the other, each with its place; `None` when the
/// line is anything else.
fn glued(line: &[u8]) -> Option<Vec<(usize, &[u8], Facts)>> {
    let mut values = serde_json::Deserializer::from_slice(line).into_iter::<&RawValue>();
    let mut parts = Vec::new();
    let mut start = 0;
    while let Some(value) = values.next() {
        let text = value.ok()?.get().as_bytes();
        let end = values.byte_offset();
        let Ok(Parsed::Object(envelope)) = message::parse(text) else { return None };
        parts.push((end - text.len(), text, Facts::read(&envelope)));
        start = end;
    }
    (parts.len() > 1 && start > 0).then_some(parts)
}
