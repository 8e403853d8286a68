//! What several test files share: items that own their bytes, and the naive reading of lines.
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod cases;

use pipeproof_transport::Policy;
use pipeproof_transport::line::{Ending, Item, LineDecoder, Span};
use pipeproof_transport::policy::{FinalLine, Limit, Trim, Utf8};

/// An item that owns its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owned {
    Line { offset: u64, bytes: Vec<u8>, ending: Ending },
    Blank(Span),
    TooLong(Span),
    Unterminated(Span),
}

impl From<Item<'_>> for Owned {
    fn from(item: Item<'_>) -> Self {
        match item {
            Item::Line(line) => {
                Self::Line { offset: line.offset, bytes: line.bytes.to_vec(), ending: line.ending }
            }
            Item::Blank(span) => Self::Blank(span),
            Item::TooLong(span) => Self::TooLong(span),
            Item::Unterminated(span) => Self::Unterminated(span),
        }
    }
}

pub(crate) fn line(offset: u64, bytes: &(impl AsRef<[u8]> + ?Sized), ending: Ending) -> Owned {
    Owned::Line { offset, bytes: bytes.as_ref().to_vec(), ending }
}

/// What the decoder makes of the chunks.
pub(crate) fn decode<'a>(
    chunks: impl IntoIterator<Item = &'a [u8]>,
    policy: &Policy,
) -> Vec<Owned> {
    let mut decoder = LineDecoder::with_policy(policy);
    let mut items = Vec::new();
    for mut chunk in chunks {
        while let Some(item) = decoder.decode(&mut chunk) {
            items.push(item.into());
        }
        assert!(chunk.is_empty(), "all of a chunk is taken");
    }
    items.extend(decoder.finish().map(Owned::from));
    assert!(decoder.finish().is_none(), "an end comes once");
    items
}

/// The same with the whole stream in hand and no care for speed.
pub(crate) fn naive(stream: &[u8], policy: &Policy) -> Vec<Owned> {
    let mut items = Vec::new();
    let mut offset = 0;
    let pieces: Vec<&[u8]> = stream.split(|byte| *byte == b'\n').collect();
    for (index, piece) in pieces.iter().enumerate() {
        let terminated = index + 1 < pieces.len();
        if !terminated && piece.is_empty() {
            break;
        }
        items.push(naive_item(piece, offset, terminated, policy));
        offset += piece.len() as u64 + 1;
    }
    items
}

fn naive_item(piece: &[u8], offset: u64, terminated: bool, policy: &Policy) -> Owned {
    let span = Span { offset, len: piece.len() as u64 };
    if let Limit::Bytes(limit) = policy.max_line
        && piece.len() > limit
    {
        return Owned::TooLong(span);
    }
    let mut bytes = match policy.utf8 {
        Utf8::Lossy => String::from_utf8_lossy(piece).into_owned().into_bytes(),
        Utf8::Strict => piece.to_vec(),
    };
    let mut ending = if terminated { Ending::Lf } else { Ending::None };
    if terminated && bytes.ends_with(b"\r") {
        bytes.pop();
        ending = Ending::CrLf;
    }
    if policy.trim == Trim::Unicode {
        naive_trim(&mut bytes);
    }
    if bytes.iter().all(|byte| b" \t\r".contains(byte)) {
        return Owned::Blank(span);
    }
    if !terminated && policy.final_line != FinalLine::Deliver {
        return Owned::Unterminated(span);
    }
    Owned::Line { offset, bytes, ending }
}

fn naive_trim(bytes: &mut Vec<u8>) {
    let space = |bytes: &[u8]| {
        std::str::from_utf8(bytes).is_ok_and(|text| {
            let mut chars = text.chars();
            let first = chars.next();
            let stripped = |c: char| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}');
            first.is_some_and(stripped) && chars.next().is_none()
        })
    };
    while let Some(len) = (1..=bytes.len().min(3)).find(|len| space(&bytes[..*len])) {
        bytes.drain(..len);
    }
    while let Some(len) = (1..=bytes.len().min(3)).find(|len| space(&bytes[bytes.len() - len..])) {
        bytes.truncate(bytes.len() - len);
    }
}
