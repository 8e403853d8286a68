//! Why a text is not JSON, and at which byte.
//!
//! Turns the lines and columns of `serde_json` into byte offsets.

use std::fmt;

use memchr::memchr_iter;

/// Why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// At which byte: the first that cannot stand there, or the length of a text that ends early.
    pub offset: usize,
}

/// What keeps a text from being JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// The text is not UTF-8 after this many bytes.
    InvalidUtf8 {
        /// How many bytes are UTF-8.
        valid_up_to: usize,
    },
    /// The text begins with a byte order mark.
    ByteOrderMark,
    /// There is nothing but whitespace.
    Empty,
    /// The text ends inside a value.
    UnexpectedEnd,
    /// A complete value is followed by something else.
    TrailingCharacters,
    /// A comma is followed by the end of its list or object.
    TrailingComma,
    /// A raw control character stands in a string.
    ControlCharacter,
    /// An escape that JSON does not know.
    InvalidEscape,
    /// A number that JSON does not allow.
    InvalidNumber,
    /// The name of a member is not a string.
    NameNotAString,
    /// A value has to stand here.
    ExpectedValue,
    /// A comma or the end of the list or object has to stand here.
    ExpectedCommaOrEnd,
    /// A colon has to stand here.
    ExpectedColon,
    /// Any other byte that cannot stand here.
    UnexpectedByte,
}

/// The words of `serde_json`, which does not show its codes, and ours.
const WORDS: [(&str, SyntaxErrorKind); 13] = [
    ("trailing characters", SyntaxErrorKind::TrailingCharacters),
    ("trailing comma", SyntaxErrorKind::TrailingComma),
    ("control character", SyntaxErrorKind::ControlCharacter),
    ("invalid escape", SyntaxErrorKind::InvalidEscape),
    ("unexpected end of hex escape", SyntaxErrorKind::InvalidEscape),
    ("lone leading surrogate", SyntaxErrorKind::InvalidEscape),
    ("invalid unicode code point", SyntaxErrorKind::InvalidEscape),
    ("invalid number", SyntaxErrorKind::InvalidNumber),
    ("key must be a string", SyntaxErrorKind::NameNotAString),
    ("expected `,` or ", SyntaxErrorKind::ExpectedCommaOrEnd),
    ("expected `:`", SyntaxErrorKind::ExpectedColon),
    ("expected value", SyntaxErrorKind::ExpectedValue),
    ("expected ident", SyntaxErrorKind::ExpectedValue),
];

impl SyntaxError {
    pub(super) const fn new(kind: SyntaxErrorKind, offset: usize) -> Self {
        Self { kind, offset }
    }

    pub(super) fn from_json(error: &serde_json::Error, text: &str) -> Self {
        let behind = offset_behind(text, error.line(), error.column());
        if error.is_eof() {
            // Too few characters for the digits of an escape are taken for the end.
            let mut last = text.len().saturating_sub(5)..text.len();
            return match last.find_map(|start| bad_digit(text.as_bytes(), start)) {
                Some(at) => Self::new(SyntaxErrorKind::InvalidEscape, at),
                None => Self::new(SyntaxErrorKind::UnexpectedEnd, text.len()),
            };
        }
        let words = error.to_string();
        let kind = WORDS
            .iter()
            .find(|(start, _)| words.starts_with(start))
            .map_or(SyntaxErrorKind::UnexpectedByte, |(_, kind)| *kind);
        if kind == SyntaxErrorKind::InvalidNumber && behind == text.len() && is_cut(text) {
            return Self::new(SyntaxErrorKind::UnexpectedEnd, text.len());
        }
        Self::new(kind, first_wrong(text.as_bytes(), kind, behind))
    }

    /// The same error seen from a text in which this one begins at `base`.
    pub(super) const fn moved(mut self, base: usize) -> Self {
        self.offset += base;
        self
    }
}

/// `serde_json` counts lines from 1 and, as columns, the bytes of the line up to and with the
/// offending one.
fn offset_behind(text: &str, line: usize, column: usize) -> usize {
    let line_start = match line {
        0 | 1 => 0,
        _ => memchr_iter(b'\n', text.as_bytes()).nth(line - 2).map_or(text.len(), |at| at + 1),
    };
    (line_start + column).min(text.len())
}

/// The first byte that cannot stand there, near where `serde_json` gave up.
fn first_wrong(text: &[u8], kind: SyntaxErrorKind, behind: usize) -> usize {
    let last = behind.saturating_sub(1);
    match kind {
        // It is told before or after it is consumed.
        SyntaxErrorKind::ControlCharacter if text.get(last).is_some_and(|byte| *byte >= 0x20) => {
            behind
        }
        SyntaxErrorKind::InvalidEscape => {
            // Four digits are consumed before they are looked at.
            behind.checked_sub(6).and_then(|start| bad_digit(text, start)).unwrap_or(last)
        }
        _ => last,
    }
}

/// Whether a text that ends with an invalid number may go on to a valid one.
fn is_cut(text: &str) -> bool {
    let mut behind = text.bytes().rev();
    match (behind.next(), behind.next()) {
        (Some(b'.' | b'e' | b'E'), Some(before)) => before.is_ascii_digit(),
        (Some(b'+'), Some(before)) => matches!(before, b'e' | b'E'),
        (Some(b'-'), before) => !matches!(before, Some(b'.' | b'+' | b'-')),
        _ => false,
    }
}

/// The first of the up to four characters of the `\u` escape at `start` that is no digit.
fn bad_digit(text: &[u8], start: usize) -> Option<usize> {
    let run = text[..=start].iter().rev().take_while(|byte| **byte == b'\\').count();
    if run % 2 == 0 || text.get(start + 1) != Some(&b'u') {
        return None;
    }
    let mut digits = text[start + 2..].iter().take(4);
    digits.position(|byte| !byte.is_ascii_hexdigit()).map(|at| start + 2 + at)
}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidUtf8 { .. } => "invalid UTF-8",
            Self::ByteOrderMark => "byte order mark before JSON",
            Self::Empty => "no JSON value",
            Self::UnexpectedEnd => "JSON ends early",
            Self::TrailingCharacters => "characters after the JSON value",
            Self::TrailingComma => "trailing comma",
            Self::ControlCharacter => "raw control character in string",
            Self::InvalidEscape => "invalid escape in string",
            Self::InvalidNumber => "invalid number",
            Self::NameNotAString => "member name is not a string",
            Self::ExpectedValue => "expected a JSON value",
            Self::ExpectedCommaOrEnd => "expected a comma or the end of the list or object",
            Self::ExpectedColon => "expected a colon",
            Self::UnexpectedByte => "unexpected byte in JSON",
        })
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)
    }
}

impl std::error::Error for SyntaxError {}
