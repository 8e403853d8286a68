//! Lines: bytes to frames and back, for newline-delimited JSON.
//!
//! A line ends with LF. [`LineDecoder`] takes chunks cut anywhere and hands out lines;
//! [`encode`] makes one frame. Neither looks into the JSON, reads a source or knows a clock.

mod decoder;
mod encoder;
mod trim;

pub(crate) use decoder::Found;
pub use decoder::LineDecoder;
pub use encoder::{EncodeError, EncodeErrorKind, encode};

/// What a [`LineDecoder`] finds: a line, or why there is none.
///
/// Items come in the order of the stream, and every byte of the stream belongs to exactly one
/// item or to the LF that ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// A line with something in it.
    Line(Line<'a>),
    /// A line of nothing but JSON whitespace.
    Blank(Span),
    /// A line over the limit. Its bytes were dropped; reading goes on after its end.
    TooLong(Span),
    /// A last line without a line end that the policy does not deliver.
    Unterminated(Span),
}

impl Item<'_> {
    /// Where the item begins: bytes of the stream before it.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        match self {
            Self::Line(line) => line.offset,
            Self::Blank(span) | Self::TooLong(span) | Self::Unterminated(span) => span.offset,
        }
    }
}

/// One line without its line end.
///
/// The bytes are neither checked to be UTF-8 nor to be JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The bytes between the line ends. Under `Trim::Unicode` or `Utf8::Lossy` they may differ
    /// from what the stream holds.
    pub bytes: &'a [u8],
    /// Where the line begins: bytes of the stream before it, counted before any trimming.
    pub offset: u64,
    /// How the line ended.
    pub ending: Ending,
}

/// How a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// With LF.
    Lf,
    /// With CR LF; the CR is not part of the line.
    CrLf,
    /// With the end of the stream.
    None,
}

impl Ending {
    /// How many bytes the line end takes.
    #[must_use]
    pub const fn len(self) -> usize {
        match self {
            Self::Lf => 1,
            Self::CrLf => 2,
            Self::None => 0,
        }
    }

    /// Whether there is no line end.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        matches!(self, Self::None)
    }
}

/// A stretch of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// Bytes of the stream before it.
    pub offset: u64,
    /// Its length up to its LF, which is not counted; a CR before the LF is.
    pub len: u64,
}
