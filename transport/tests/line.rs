//! Line framing: the table, every cut of it, and generated streams against the naive reading.

mod support;

use pipeproof_transport::Policy;
use pipeproof_transport::line::{Ending, Item, LineDecoder};
use pipeproof_transport::policy::{FinalLine, Limit, Trim, Utf8};
use proptest::prelude::*;
use support::cases::{Case, table};
use support::{Owned, decode, line, naive};

#[test]
fn every_case_holds_for_the_whole_stream() {
    for Case { rule, policy, stream, items } in table() {
        assert_eq!(decode([stream], &policy), items, "{rule}");
    }
}

#[test]
fn the_naive_reading_agrees_with_the_table() {
    for Case { rule, policy, stream, items } in table() {
        assert_eq!(naive(stream, &policy), items, "{rule}");
    }
}

#[test]
fn every_case_holds_byte_by_byte() {
    for Case { rule, policy, stream, items } in table() {
        assert_eq!(decode(stream.chunks(1), &policy), items, "{rule}");
    }
}

#[test]
fn every_case_holds_for_every_two_cuts() {
    for Case { rule, policy, stream, items } in table() {
        for first in 0..=stream.len() {
            for second in first..=stream.len() {
                let chunks = [&stream[..first], &stream[first..second], &stream[second..]];
                assert_eq!(decode(chunks, &policy), items, "{rule}, cut at {first}, {second}");
            }
        }
    }
}

#[test]
fn a_line_that_lies_whole_in_a_chunk_is_not_copied() {
    let mut decoder = LineDecoder::new();
    let chunk = b"{\"a\":1}\r\n{}\n[1,2,3]\n{\"rest\":";
    let range = chunk.as_ptr_range();
    let mut input = &chunk[..];
    let mut lines = 0;
    while let Some(item) = decoder.decode(&mut input) {
        let Item::Line(line) = item else { panic!("only lines") };
        assert!(range.contains(&line.bytes.as_ptr()), "borrowed from the chunk");
        lines += 1;
    }
    assert_eq!(lines, 3);
}

#[test]
fn only_the_straddling_line_is_carried() {
    let mut decoder = LineDecoder::new();
    let mut input = &b"{}\n{\"a"[..];
    while decoder.decode(&mut input).is_some() {}
    assert_eq!((decoder.pending(), decoder.offset()), (3, 6));
    let chunk = b"\":1}\n{}\n";
    let mut input = &chunk[..];
    let straddling = decoder.decode(&mut input).map(Owned::from);
    assert_eq!(straddling, Some(line(3, b"{\"a\":1}", Ending::Lf)));
    let Some(Item::Line(whole)) = decoder.decode(&mut input) else { panic!("a line") };
    assert!(chunk.as_ptr_range().contains(&whole.bytes.as_ptr()));
}

#[test]
fn one_call_takes_one_item() {
    let mut decoder = LineDecoder::new();
    let mut input = &b"a\nb\nc"[..];
    assert!(decoder.decode(&mut input).is_some());
    assert_eq!(input, b"b\nc");
    assert_eq!(decoder.offset(), 2);
}

#[test]
fn the_limit_is_checked_before_anything_is_copied() {
    let limit = 1000;
    let mut decoder = LineDecoder::with_policy(&Policy::default().with_max_line(limit));
    for size in [1, 7, 999, 1001, 5000] {
        for _ in 0..5000 / size + 2 {
            let chunk = vec![b'x'; size];
            assert!(decoder.decode(&mut &chunk[..]).is_none());
            assert!(decoder.buffered() <= limit, "{} bytes held", decoder.buffered());
        }
        assert_eq!(decoder.buffered(), 0, "nothing is held of a line that is dropped");
        assert!(matches!(decoder.decode(&mut &b"\n"[..]), Some(Item::TooLong(_))));
    }
}

#[test]
fn the_carry_never_grows_beyond_the_limit() {
    let limit = 100_000;
    let mut decoder = LineDecoder::with_policy(&Policy::default().with_max_line(limit));
    for _ in 0..100 {
        decoder.decode(&mut &[b'x'; 1000][..]);
        assert!(decoder.buffered() <= limit);
    }
    let Some(Item::Line(line)) = decoder.decode(&mut &b"\n"[..]) else { panic!("just fits") };
    assert_eq!(line.bytes.len(), limit);
}

#[test]
fn the_carry_of_a_huge_line_is_given_back_with_the_next_call() {
    let mut decoder = LineDecoder::with_policy(&Policy::default().with_max_line(Limit::Unlimited));
    decoder.decode(&mut &vec![b'x'; 4 << 20][..]);
    assert!(matches!(decoder.decode(&mut &b"\n"[..]), Some(Item::Line(_))));
    assert!(decoder.buffered() >= 4 << 20);
    decoder.decode(&mut &b"y"[..]);
    assert!(decoder.buffered() <= 64 << 10, "{} bytes held", decoder.buffered());
}

#[test]
fn a_decoder_goes_on_after_finish() {
    let mut decoder = LineDecoder::new();
    decoder.decode(&mut &b"ab"[..]);
    assert!(decoder.finish().is_some());
    let item = decoder.decode(&mut &b"c\n"[..]).map(Owned::from);
    assert_eq!(item, Some(line(2, b"c", Ending::Lf)));
}

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"a"[..],
        b"{\"k\":[1,2]}",
        b"\n",
        b"\n",
        b"\r\n",
        b"\r",
        b" ",
        b"\t",
        b"\x0b",
        b"\xff",
        b"\xe2\x80",
        b"\xe2",
        "\u{e9}".as_bytes(),
        "\u{2028}".as_bytes(),
        "\u{feff}".as_bytes(),
        "\u{1f600}".as_bytes(),
        b"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn policies() -> impl Strategy<Value = Policy> {
    (
        prop::sample::select(vec![
            Limit::Bytes(0),
            Limit::Bytes(1),
            Limit::Bytes(7),
            Limit::Bytes(40),
            Limit::DEFAULT,
            Limit::Unlimited,
        ]),
        prop::sample::select(vec![FinalLine::Deliver, FinalLine::Discard, FinalLine::Error]),
        prop::sample::select(vec![Trim::CarriageReturn, Trim::Unicode]),
        prop::sample::select(vec![Utf8::Strict, Utf8::Lossy]),
    )
        .prop_map(|(limit, final_line, trim, utf8)| {
            Policy::default()
                .with_max_line(limit)
                .with_final_line(final_line)
                .with_trim(trim)
                .with_utf8(utf8)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_cutting_equals_the_naive_reading(
        stream in pieces(),
        policy in policies(),
        sizes in prop::collection::vec(1_usize..20, 1..10),
    ) {
        let mut chunks = Vec::new();
        let mut rest = &stream[..];
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (chunk, after) = rest.split_at((*size).min(rest.len()));
            chunks.push(chunk);
            rest = after;
        }
        prop_assert_eq!(decode(chunks, &policy), naive(&stream, &policy));
    }
}
