//! Bytes to lines, with no I/O.
//!
//! The decoder searches each byte once for a line end. A line that lies whole in a chunk is
//! handed out where it lies; only a line that straddles chunks is copied, into the carry.

use memchr::memchr;

use super::{Ending, Item, Line, Span, trim};
use crate::policy::{FinalLine, Policy, Trim, Utf8};

/// A carry no larger than this is kept for the next line.
const CARRY_KEPT: usize = 64 * 1024;

/// The first carry is at least this large, if the limit allows.
const LEAST_CARRY: usize = 256;

/// Cuts a byte stream into lines.
///
/// Guarantees, for every way of cutting the stream into chunks:
///
/// - The items are the same, with the same offsets.
/// - No byte is searched twice for a line end, so the work is linear.
/// - A line that lies whole in a chunk is not copied (unless `Utf8::Lossy` has to repair it).
/// - Not more than the limit is ever buffered: a longer line is dropped while it arrives and
///   reported once, when its end is known. The buffer of a huge line is given back with the next
///   call.
///
/// Deviations from NDJSON: a CR before the LF is stripped and noted in [`Line::ending`], a lone
/// CR is data, and blank lines are a class of their own.
///
/// # Example
///
/// ```
/// use pipeproof_transport::line::{Ending, Item, LineDecoder};
///
/// let mut decoder = LineDecoder::new();
/// let mut lines = Vec::new();
/// for mut chunk in [&b"{\"a\""[..], b":1}\r\n{}\n{"] {
///     while let Some(item) = decoder.decode(&mut chunk) {
///         if let Item::Line(line) = item {
///             lines.push((line.offset, line.bytes.to_vec(), line.ending));
///         }
///     }
/// }
/// assert_eq!(lines[0], (0, b"{\"a\":1}".to_vec(), Ending::CrLf));
/// assert_eq!(lines[1], (9, b"{}".to_vec(), Ending::Lf));
/// assert_eq!(decoder.pending(), 1);
/// let Some(Item::Line(last)) = decoder.finish() else { panic!("delivered by default") };
/// assert_eq!((last.bytes, last.ending), (&b"{"[..], Ending::None));
/// ```
#[derive(Clone, Debug)]
pub struct LineDecoder {
    limit: u64,
    final_line: FinalLine,
    trim: Trim,
    utf8: Utf8,
    /// Whether nothing but a CR is ever taken off or repaired.
    plain: bool,
    /// The unfinished line as far as it is kept, or the line that was handed out last.
    carry: Vec<u8>,
    /// Whether the carry holds a line that was handed out.
    spent: bool,
    /// Where the unfinished line begins.
    start: u64,
    /// Bytes of the unfinished line so far, dropped ones included.
    seen: u64,
}

/// An item without its bytes, so that a caller may decide before it borrows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    what: What,
    span: Span,
    ending: Ending,
    /// Where the delivered bytes lie.
    place: Place,
    from: usize,
    to: usize,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Line,
    Blank,
    TooLong,
    Unterminated,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Input,
    Carry,
}

impl Default for LineDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl LineDecoder {
    /// A decoder with the strict default policy.
    #[must_use]
    pub fn new() -> Self {
        Self::with_policy(&Policy::default())
    }

    /// A decoder with the limit, final-line, trim and UTF-8 rules of `policy`.
    #[must_use]
    pub fn with_policy(policy: &Policy) -> Self {
        Self {
            limit: policy.max_line.bytes(),
            final_line: policy.final_line,
            trim: policy.trim,
            utf8: policy.utf8,
            plain: policy.trim == Trim::CarriageReturn && policy.utf8 == Utf8::Strict,
            carry: Vec::new(),
            spent: false,
            start: 0,
            seen: 0,
        }
    }

    /// Takes bytes from the front of `input` until one item is complete.
    ///
    /// `input` is advanced past what was taken. `None` means that all of it was taken and the
    /// line goes on in the next chunk.
    #[inline]
    pub fn decode<'s, 'i: 's>(&'s mut self, input: &mut &'i [u8]) -> Option<Item<'s>> {
        let chunk = *input;
        let (used, found) = self.advance(chunk);
        *input = &chunk[used..];
        found.map(|found| self.view(found, chunk))
    }

    /// Ends the stream: decides on an unterminated last line.
    ///
    /// A last line of nothing but whitespace is blank under every policy. A CR at its end stays,
    /// as no LF follows. After this the decoder has nothing pending: a second call gives `None`.
    pub fn finish(&mut self) -> Option<Item<'_>> {
        let found = self.end(self.final_line)?;
        Some(self.view(found, &[]))
    }

    /// Bytes consumed so far.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.start + self.seen
    }

    /// Bytes of the unfinished line seen so far, dropped ones included.
    #[must_use]
    pub const fn pending(&self) -> usize {
        self.seen as usize
    }

    /// Bytes of memory that the decoder holds for the unfinished line.
    #[must_use]
    pub fn buffered(&self) -> usize {
        self.carry.capacity()
    }

    /// As `decode`, without the borrow: how much was taken, and what was found.
    ///
    /// The common line goes the short way: whole in the input, with something in it.
    #[inline]
    pub(crate) fn advance(&mut self, input: &[u8]) -> (usize, Option<Found>) {
        if self.spent {
            self.release();
        }
        let Some(end) = search(input) else {
            self.keep(input);
            return (input.len(), None);
        };
        let line = &input[..end];
        let span = Span { offset: self.start, len: self.seen + end as u64 };
        let found = if self.seen == 0 && self.plain && span.len <= self.limit && begins_json(line) {
            Found::whole(line, span)
        } else {
            self.close(line, span)
        };
        self.start += span.len + 1;
        self.seen = 0;
        (end + 1, Some(found))
    }

    /// Ends a line with its last piece.
    fn close(&mut self, piece: &[u8], span: Span) -> Found {
        if span.len > self.limit {
            self.carry = Vec::new();
            Found::without_bytes(What::TooLong, span)
        } else if self.seen > 0 {
            self.push(piece);
            self.spent = true;
            self.classify(&[], span, Place::Carry, true)
        } else {
            self.classify(piece, span, Place::Input, true)
        }
    }

    /// As `finish`, without the borrow and with the rule given.
    pub(crate) fn end(&mut self, rule: FinalLine) -> Option<Found> {
        if self.spent {
            self.release();
        }
        if self.seen == 0 {
            return None;
        }
        let span = Span { offset: self.start, len: self.seen };
        self.start += span.len;
        self.seen = 0;
        if span.len > self.limit {
            self.carry = Vec::new();
            return Some(Found::without_bytes(What::TooLong, span));
        }
        self.spent = true;
        let found = self.classify(&[], span, Place::Carry, false);
        Some(match (found.what, rule) {
            (What::Line, FinalLine::Discard | FinalLine::Error) => {
                Found::without_bytes(What::Unterminated, span)
            }
            _ => found,
        })
    }

    /// The item for what `advance` found in `input`.
    #[inline]
    pub(crate) fn view<'s>(&'s self, found: Found, input: &'s [u8]) -> Item<'s> {
        match found.what {
            What::Line => {
                let bytes = match found.place {
                    Place::Input => &input[found.from..found.to],
                    Place::Carry => &self.carry[found.from..found.to],
                };
                Item::Line(Line { bytes, offset: found.span.offset, ending: found.ending })
            }
            What::Blank => Item::Blank(found.span),
            What::TooLong => Item::TooLong(found.span),
            What::Unterminated => Item::Unterminated(found.span),
        }
    }

    /// Decides what a line is. `line` is used when it lies in the input.
    #[inline]
    fn classify(&mut self, line: &[u8], span: Span, place: Place, terminated: bool) -> Found {
        if matches!(self.utf8, Utf8::Lossy) {
            return self.classify_lossy(line, span, place, terminated);
        }
        let line = match place {
            Place::Input => line,
            Place::Carry => &self.carry,
        };
        examine(line, span, place, self.trim, terminated)
    }

    fn classify_lossy(&mut self, line: &[u8], span: Span, place: Place, terminated: bool) -> Found {
        let bytes = match place {
            Place::Input => line,
            Place::Carry => &self.carry,
        };
        if simdutf8::basic::from_utf8(bytes).is_ok() {
            return examine(bytes, span, place, self.trim, terminated);
        }
        self.carry = String::from_utf8_lossy(bytes).into_owned().into_bytes();
        self.spent = true;
        examine(&self.carry, span, Place::Carry, self.trim, terminated)
    }

    /// Takes a piece that holds no line end; the limit is checked before anything is copied.
    #[inline]
    fn keep(&mut self, piece: &[u8]) {
        self.seen += piece.len() as u64;
        if self.seen <= self.limit {
            self.push(piece);
        } else if self.carry.capacity() > 0 {
            self.carry = Vec::new();
        }
    }

    /// Appends to the carry, growing by doubling but never beyond the limit.
    #[inline]
    fn push(&mut self, piece: &[u8]) {
        if piece.len() > self.carry.capacity() - self.carry.len() {
            self.grow(piece.len());
        }
        match piece {
            [byte] => self.carry.push(*byte),
            _ => self.carry.extend_from_slice(piece),
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let needed = self.carry.len() + more;
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let doubled = self.carry.capacity().max(LEAST_CARRY / 2).saturating_mul(2).min(limit);
        self.carry.reserve_exact(doubled.max(needed) - self.carry.len());
    }

    /// Forgets the line that was handed out, and its memory if it was huge.
    fn release(&mut self) {
        self.spent = false;
        if self.carry.capacity() > CARRY_KEPT {
            self.carry = Vec::new();
        } else {
            self.carry.clear();
        }
    }
}

impl Found {
    /// A line that lies whole in the input and is not blank.
    #[inline]
    fn whole(line: &[u8], span: Span) -> Self {
        let (to, ending) = match line {
            [head @ .., b'\r'] => (head.len(), Ending::CrLf),
            _ => (line.len(), Ending::Lf),
        };
        Self { what: What::Line, span, ending, place: Place::Input, from: 0, to }
    }

    const fn without_bytes(what: What, span: Span) -> Self {
        Self { what, span, ending: Ending::None, place: Place::Carry, from: 0, to: 0 }
    }

    pub(crate) const fn is_blank(&self) -> bool {
        matches!(self.what, What::Blank)
    }

    pub(crate) const fn is_line(&self) -> bool {
        matches!(self.what, What::Line)
    }

    pub(crate) const fn is_unterminated(&self) -> bool {
        matches!(self.what, What::Unterminated)
    }

    pub(crate) const fn span(&self) -> Span {
        self.span
    }
}

/// Where the first LF is. For a few bytes a loop beats the search over blocks.
#[inline]
fn search(input: &[u8]) -> Option<usize> {
    if input.len() < 8 {
        input.iter().position(|byte| *byte == b'\n')
    } else {
        memchr(b'\n', input)
    }
}

/// Whether a line has something in it at first sight.
#[inline]
fn begins_json(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'{' | b'['))
}

/// Strips the ends of a line and tells whether anything is left.
#[inline]
fn examine(line: &[u8], span: Span, place: Place, trim: Trim, terminated: bool) -> Found {
    let (mut from, mut to) = (0, line.len());
    let ending = match (terminated, line.last()) {
        (true, Some(b'\r')) => {
            to -= 1;
            Ending::CrLf
        }
        (true, _) => Ending::Lf,
        (false, _) => Ending::None,
    };
    if matches!(trim, Trim::Unicode) {
        (from, to) = trim::unicode(&line[..to]);
    }
    let what = if trim::is_blank(&line[from..to]) { What::Blank } else { What::Line };
    Found { what, span, ending, place, from, to }
}
