//! The table of line cases: a policy, a stream, and the items that it is.

use pipeproof_transport::Policy;
use pipeproof_transport::line::{Ending, Span};
use pipeproof_transport::policy::{FinalLine, Trim, Utf8};

use super::{Owned, line};

pub(crate) struct Case {
    pub(crate) rule: &'static str,
    pub(crate) policy: Policy,
    pub(crate) stream: &'static [u8],
    pub(crate) items: Vec<Owned>,
}

fn case(rule: &'static str, policy: Policy, stream: &'static [u8], items: Vec<Owned>) -> Case {
    Case { rule, policy, stream, items }
}

fn blank(offset: u64, len: u64) -> Owned {
    Owned::Blank(Span { offset, len })
}

fn too_long(offset: u64, len: u64) -> Owned {
    Owned::TooLong(Span { offset, len })
}

pub(crate) fn table() -> Vec<Case> {
    use Ending::{CrLf, Lf, None};

    let strict = Policy::default();
    let ten = strict.with_max_line(10);
    let discard = strict.with_final_line(FinalLine::Discard);
    let error = strict.with_final_line(FinalLine::Error);
    let unicode = strict.with_trim(Trim::Unicode);
    let lossy = strict.with_utf8(Utf8::Lossy);
    vec![
        case("nothing in, nothing out", strict, b"", vec![]),
        case("lf ends a line", strict, b"{}\n[]\n", vec![line(0, b"{}", Lf), line(3, b"[]", Lf)]),
        case(
            "one cr before lf is stripped and noted",
            strict,
            b"{}\r\n[]\r\r\n",
            vec![line(0, b"{}", CrLf), line(4, b"[]\r", CrLf)],
        ),
        case("a lone cr is data", strict, b"a\rb\n", vec![line(0, b"a\rb", Lf)]),
        case(
            "unicode line separators and controls cut nothing",
            strict,
            "\"\u{2028}\u{2029}\u{85}\x0b\x0c\"\n".as_bytes(),
            vec![line(0, "\"\u{2028}\u{2029}\u{85}\x0b\x0c\"", Lf)],
        ),
        case(
            "blank lines are a class of their own",
            strict,
            b"\na\n\n \t\n\r\nb\n",
            vec![
                blank(0, 0),
                line(1, b"a", Lf),
                blank(3, 0),
                blank(4, 2),
                blank(7, 1),
                line(9, b"b", Lf),
            ],
        ),
        case(
            "a vertical tab is not blank, as it is no json whitespace",
            strict,
            b"\x0b\n",
            vec![line(0, b"\x0b", Lf)],
        ),
        case(
            "bytes that are not utf-8 are delivered as they are",
            strict,
            b"\x80\xfd{}\n{}\n",
            vec![line(0, b"\x80\xfd{}", Lf), line(5, b"{}", Lf)],
        ),
        case(
            "a byte order mark stays",
            strict,
            b"\xef\xbb\xbf{}\n",
            vec![line(0, b"\xef\xbb\xbf{}", Lf)],
        ),
        case(
            "a character is never cut",
            strict,
            "\"\u{2014}\u{1f600}\"\n".as_bytes(),
            vec![line(0, "\"\u{2014}\u{1f600}\"", Lf)],
        ),
        case(
            "a line of the limit is delivered",
            ten,
            b"0123456789\n",
            vec![line(0, b"0123456789", Lf)],
        ),
        case(
            "a longer line is reported once, its tail is no line",
            ten,
            b"0123456789a\n{}\n0123456789012345678901234567890\r\n[]\n",
            vec![too_long(0, 11), line(12, b"{}", Lf), too_long(15, 32), line(48, b"[]", Lf)],
        ),
        case("cr counts against the limit", ten, b"0123456789\r\n", vec![too_long(0, 11)]),
        case("a long line of blanks is too long", ten, b"             \n", vec![too_long(0, 13)]),
        case(
            "a long last line is too long",
            ten,
            b"{}\n0123456789a",
            vec![line(0, b"{}", Lf), too_long(3, 11)],
        ),
        case(
            "a limit of nothing leaves blank lines",
            strict.with_max_line(0),
            b"\na\n",
            vec![blank(0, 0), too_long(1, 1)],
        ),
        case(
            "the last line is delivered, marked",
            strict,
            b"{}\n[]",
            vec![line(0, b"{}", Lf), line(3, b"[]", None)],
        ),
        case("a last cr stays, as no lf follows", strict, b"[]\r", vec![line(0, b"[]\r", None)]),
        case(
            "a discarded last line is reported",
            discard,
            b"{}\n[]",
            vec![line(0, b"{}", Lf), Owned::Unterminated(Span { offset: 3, len: 2 })],
        ),
        case(
            "an erroneous last line is reported",
            error,
            b"[",
            vec![Owned::Unterminated(Span { offset: 0, len: 1 })],
        ),
        case(
            "a blank last line is blank under every policy",
            error,
            b"{}\n \r",
            vec![line(0, b"{}", Lf), blank(3, 2)],
        ),
        case(
            "unicode trimming strips both ends, offsets stay",
            unicode,
            "\u{feff} {}\u{a0}\r\n\u{3000}\n\u{85}\n".as_bytes(),
            vec![line(0, b"{}", CrLf), blank(10, 3), line(14, "\u{85}", Lf)],
        ),
        case(
            "lossy repair replaces what is not utf-8",
            lossy,
            b"a\xffb\xe2\x80\nok\n\xf0\x9f",
            vec![line(0, "a\u{fffd}b\u{fffd}", Lf), line(6, b"ok", Lf), line(9, "\u{fffd}", None)],
        ),
        case(
            "the seed trims what it repaired and has no limit",
            Policy::seed(),
            b"\xef\xbb\xbf {\xff} \r\n\n",
            vec![line(0, "{\u{fffd}}", CrLf), blank(10, 0)],
        ),
    ]
}
