//! Oracles of line framing: cuts carry no meaning, and the decoder agrees with a reader written for plainness.

use pipeproof_transport::Policy;
use pipeproof_transport::line::{Item, Line, LineDecoder};
use pipeproof_transport::policy::Limit;

/// An item without its borrow, so that two readings can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owned {
    /// A line: offset, bytes, how many bytes of line end followed.
    Line(u64, Vec<u8>, u64),
    /// A blank line: offset and length.
    Blank(u64, u64),
    /// A line over the limit: offset and length.
    TooLong(u64, u64),
}

/// Decodes a stream that arrives in these chunks.
#[must_use]
pub fn decode<'a>(limit: Limit, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Owned> {
    let mut decoder = LineDecoder::with_policy(&Policy::default().with_max_line(limit));
    let mut items = Vec::new();
    for chunk in chunks {
        let mut rest = chunk;
        while let Some(item) = decoder.decode(&mut rest) {
            items.extend(owned(&item));
        }
        assert!(
            rest.is_empty(),
            "the decoder said that it needs more, but left {} bytes",
            rest.len()
        );
    }
    items.extend(decoder.finish().and_then(|item| owned(&item)));
    items
}

fn owned(item: &Item<'_>) -> Option<Owned> {
    match item {
        Item::Line(Line { bytes, offset, ending, .. }) => {
            Some(Owned::Line(*offset, bytes.to_vec(), ending.len() as u64))
        }
        Item::Blank(span) => Some(Owned::Blank(span.offset, span.len)),
        Item::TooLong(span) => Some(Owned::TooLong(span.offset, span.len)),
        _ => None,
    }
}

/// Reads a whole stream in the plainest way: split at every newline, then look at each line.
#[must_use]
pub fn naive(limit: Limit, stream: &[u8]) -> Vec<Owned> {
    let mut items = Vec::new();
    let mut offset = 0u64;
    let mut lines = stream.split(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let terminated = lines.peek().is_some();
        let len = line.len() as u64;
        let text = if terminated { line.strip_suffix(b"\r").unwrap_or(line) } else { line };
        let end = u64::from(terminated) + (len - text.len() as u64);
        let blank = line.iter().all(|byte| b" \t\r".contains(byte));
        if terminated || !line.is_empty() {
            items.push(match limit {
                Limit::Bytes(most) if line.len() > most => Owned::TooLong(offset, len),
                _ if blank => Owned::Blank(offset, len),
                _ => Owned::Line(offset, text.to_vec(), end),
            });
        }
        offset += len + 1;
    }
    items
}

/// However a stream is cut, the same items come out of it, and they are those of the naive reader.
///
/// # Panics
///
/// When they are not.
pub fn cuts_carry_no_meaning(limit: Limit, stream: &[u8], cuts: &[usize]) {
    let plan = crate::split::SplitPlan::At(cuts.to_vec());
    let cut = decode(limit, plan.chunks(stream));
    let whole = decode(limit, [stream]);
    assert_eq!(cut, whole, "the plan {plan} changes what is read");
    assert_eq!(whole, naive(limit, stream), "the decoder and the naive reader disagree");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_naive_reader_reads_what_the_rules_say() {
        let read = naive(Limit::Bytes(3), b"ab\r\n\nabcd\nx");
        let expected = [
            Owned::Line(0, b"ab".to_vec(), 2),
            Owned::Blank(4, 0),
            Owned::TooLong(5, 4),
            Owned::Line(10, b"x".to_vec(), 0),
        ];
        assert_eq!(read, expected);
    }

    /// Bytes that matter to framing come often, others sometimes.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            3 => Just(b'\n'), 2 => Just(b'\r'), 1 => Just(b' '), 1 => Just(0xc3), 1 => Just(0xa9),
            6 => any::<u8>(),
        ];
        prop::collection::vec(byte, 0..80)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn cuts_carry_no_meaning_to_lines(
            stream in stream(),
            cuts in prop::collection::vec(0usize..80, 0..12),
            limit in prop_oneof![Just(Limit::Unlimited), (0usize..12).prop_map(Limit::Bytes)],
        ) {
            cuts_carry_no_meaning(limit, &stream, &cuts);
        }
    }
}
