//! Deterministic streams of JSON lines, one of each kind that framing meets.

/// A stream with its name.
#[derive(Clone, Debug)]
pub struct Stream {
    /// What it is made of.
    pub name: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// How long each stream is, in bytes, at least.
const LEN: usize = 8 << 20;

/// Every stream.
#[must_use]
pub fn all() -> Vec<Stream> {
    vec![
        Stream { name: "small", bytes: lines(|_| 120, "x", b"\n") },
        Stream { name: "mixed", bytes: lines(|number| 50 + spread(number) % 8142, "x", b"\n") },
        Stream { name: "large", bytes: lines(|_| 1 << 20, "x", b"\n") },
        Stream {
            name: "wide", bytes: lines(|number| 50 + spread(number) % 8142, "é€😀", b"\n")
        },
        Stream { name: "crlf", bytes: lines(|number| 50 + spread(number) % 8142, "x", b"\r\n") },
    ]
}

/// Lines of about these lengths, filled with a text, with this line end.
fn lines(len: impl Fn(usize) -> usize, fill: &str, end: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(LEN + (1 << 20));
    let mut number = 0;
    while bytes.len() < LEN {
        let head = format!(r#"{{"jsonrpc":"2.0","id":{number},"result":{{"text":""#);
        bytes.extend_from_slice(head.as_bytes());
        let rest = len(number).saturating_sub(head.len() + 3);
        for _ in 0..rest / fill.len() {
            bytes.extend_from_slice(fill.as_bytes());
        }
        bytes.extend_from_slice(b"\"}}");
        bytes.extend_from_slice(end);
        number += 1;
    }
    bytes
}

/// A number that looks random and is always the same.
fn spread(number: usize) -> usize {
    (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) & 0xffff
}
