//! The state of a reader: buffer, decoder, policy and counters.
//!
//! It never reads; a face fills its buffer and asks for the next item. All that a cancelled read
//! may leave half done stands here.

use crate::error::{Error, ErrorKind};
use crate::line::{Item, Line, LineDecoder, Span};
use crate::message::{Message, MessageError};
use crate::policy::{FinalLine, OnMalformed, Policy};

use crate::line::Found;

/// What one read asks for. A pipe holds 64 KiB by default.
pub(crate) const READ_BUFFER: usize = 64 * 1024;

/// How much of a malformed line is shown.
const EXCERPT: usize = 256;

/// How many items of each sort a reader has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Lines with something in them that were delivered.
    pub lines: u64,
    /// Blank lines.
    pub blank: u64,
    /// Lines over the limit.
    pub too_long: u64,
    /// Last lines without a line end that were not delivered.
    pub unterminated: u64,
    /// Of the lines, those that held no message; counted only where messages are read.
    pub malformed: u64,
}

/// What a reader of messages receives.
#[derive(Clone, Debug)]
pub enum Incoming<'a> {
    /// A message and the line that it stood in.
    Message(Message<'a>, Line<'a>),
    /// A line that holds no message.
    Malformed(Malformed<'a>),
}

/// A line that holds no message: where it stood, why, and how it began.
#[derive(Clone, Debug)]
pub struct Malformed<'a> {
    /// Where it stands in the stream.
    pub span: Span,
    /// What is wrong with it.
    pub reason: MalformedReason,
    /// Its first 256 bytes; nothing if they were not kept.
    pub excerpt: &'a [u8],
}

/// Why a line holds no message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedReason {
    /// It is no JSON, or no JSON-RPC. Offsets count from the start of the line.
    Message(MessageError),
    /// It is over the limit.
    TooLong,
    /// The stream ended before its line end.
    Unterminated,
}

#[derive(Debug)]
pub(crate) struct Inbox {
    decoder: LineDecoder,
    policy: Policy,
    counts: Counts,
    buffer: Box<[u8]>,
    /// Unread bytes of the buffer.
    unread: (usize, usize),
    /// Where the piece began in which the last item was found.
    piece: usize,
    /// The last item, found at the end of the stream.
    last: Option<Found>,
}

impl Inbox {
    pub(crate) fn new(policy: Policy) -> Self {
        Self {
            decoder: LineDecoder::with_policy(&policy),
            policy,
            counts: Counts::default(),
            buffer: vec![0; READ_BUFFER].into_boxed_slice(),
            unread: (0, 0),
            piece: 0,
            last: None,
        }
    }

    /// The next item, if the buffer or the end of the stream holds one.
    pub(crate) fn next(&mut self) -> Option<Found> {
        let (from, to) = self.unread;
        let found = if from < to {
            let (used, found) = self.decoder.advance(&self.buffer[from..to]);
            self.piece = from;
            self.unread = (from + used, to);
            found?
        } else {
            self.last.take()?
        };
        match self.view(found) {
            Item::Line(_) => self.counts.lines += 1,
            Item::Blank(_) => self.counts.blank += 1,
            Item::TooLong(_) => self.counts.too_long += 1,
            Item::Unterminated(_) => self.counts.unterminated += 1,
        }
        Some(found)
    }

    /// Room for the next read. Only to be asked when `next` gave nothing.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        debug_assert!(self.unread.0 == self.unread.1, "unread bytes would be lost");
        &mut self.buffer
    }

    /// The first `count` bytes of the room were filled.
    pub(crate) fn filled(&mut self, count: usize) {
        self.unread = (0, count);
    }

    /// What was filled last.
    pub(crate) fn chunk(&self) -> &[u8] {
        &self.buffer[self.unread.0..self.unread.1]
    }

    /// The stream has ended.
    pub(crate) fn finish(&mut self) {
        self.last = self.decoder.end(self.policy.final_line);
    }

    /// The stream has failed: what is pending is not complete under any policy.
    pub(crate) fn abandon(&mut self) {
        self.last = self.decoder.end(FinalLine::Discard);
    }

    /// Forgets everything unread.
    pub(crate) fn clear(&mut self) {
        self.unread = (0, 0);
        self.last = None;
    }

    pub(crate) fn view(&self, found: Found) -> Item<'_> {
        self.decoder.view(found, &self.buffer[self.piece..])
    }

    /// The item as a line reader gives it.
    pub(crate) fn item(&self, found: Found) -> Result<Item<'_>, Error> {
        if found.is_unterminated() && self.policy.final_line == FinalLine::Error {
            return Err(Error::new(ErrorKind::Unterminated).at(found.span().offset));
        }
        Ok(self.view(found))
    }

    /// Whether a reader of messages passes over the item.
    pub(crate) fn passes_over(&mut self, found: Found) -> bool {
        if found.is_blank() {
            return true;
        }
        if self.policy.on_malformed != OnMalformed::Skip {
            return false;
        }
        // The message cannot be kept: it would borrow what the next step needs.
        let skipped = matches!(self.receive(found), Incoming::Malformed(_));
        if skipped && found.is_line() {
            self.counts.malformed += 1;
        }
        skipped
    }

    /// The item as a reader of messages gives it; not for blank lines.
    pub(crate) fn incoming(&mut self, found: Found) -> Result<Incoming<'_>, Error> {
        // A failed parse is counted before the borrow that is handed out begins.
        let fails = self.policy.on_malformed == OnMalformed::Fail;
        if found.is_unterminated() && self.policy.final_line == FinalLine::Error {
            return Err(Error::new(ErrorKind::Unterminated).at(found.span().offset));
        }
        let Self { decoder, policy, counts, buffer, piece, .. } = self;
        let incoming = receive(decoder.view(found, &buffer[*piece..]), policy);
        let Incoming::Malformed(malformed) = &incoming else { return Ok(incoming) };
        if found.is_line() {
            counts.malformed += 1;
        }
        if !fails {
            return Ok(incoming);
        }
        let offset = malformed.span.offset;
        Err(match &malformed.reason {
            MalformedReason::Message(error) => Error::malformed(error.clone(), offset),
            MalformedReason::TooLong => Error::new(ErrorKind::TooLong).at(offset),
            MalformedReason::Unterminated => Error::new(ErrorKind::Unterminated).at(offset),
        })
    }

    pub(crate) const fn counts(&self) -> Counts {
        self.counts
    }

    /// Bytes of the stream that were decoded.
    pub(crate) const fn offset(&self) -> u64 {
        self.decoder.offset()
    }

    fn receive(&self, found: Found) -> Incoming<'_> {
        receive(self.view(found), &self.policy)
    }
}

fn receive<'a>(item: Item<'a>, policy: &Policy) -> Incoming<'a> {
    let malformed =
        |span, reason, excerpt| Incoming::Malformed(Malformed { span, reason, excerpt });
    match item {
        Item::Line(line) => match Message::parse(line.bytes, policy) {
            Ok(message) => Incoming::Message(message, line),
            Err(error) => {
                let span = Span { offset: line.offset, len: line.bytes.len() as u64 };
                let excerpt = &line.bytes[..line.bytes.len().min(EXCERPT)];
                malformed(span, MalformedReason::Message(error), excerpt)
            }
        },
        Item::TooLong(span) => malformed(span, MalformedReason::TooLong, &[]),
        Item::Unterminated(span) | Item::Blank(span) => {
            malformed(span, MalformedReason::Unterminated, &[])
        }
    }
}
