//! One JSON text to one frame.
//!
//! Looks for line ends only; whether the text is JSON is not checked here.

use std::fmt;

use memchr::memchr2;

/// Appends `json` and one LF to `out`, so that one write sends the whole frame.
///
/// # Errors
///
/// Nothing is appended if `json` holds a raw LF or CR (a reader would cut there, or might), or if
/// it is nothing but whitespace (a reader would see no frame).
///
/// # Example
///
/// ```
/// use pipeproof_transport::line::encode;
///
/// let mut out = Vec::new();
/// encode(br#"{"a":"\n"}"#, &mut out).expect("an escaped line end is no line end");
/// assert_eq!(out, b"{\"a\":\"\\n\"}\n");
/// assert_eq!(encode(b"{\n}", &mut out).expect_err("cuts the frame").offset, 1);
/// ```
pub fn encode(json: &[u8], out: &mut Vec<u8>) -> Result<(), EncodeError> {
    if let Some(offset) = memchr2(b'\n', b'\r', json) {
        return Err(EncodeError { kind: EncodeErrorKind::LineEnd, offset });
    }
    if super::trim::is_blank(json) {
        return Err(EncodeError { kind: EncodeErrorKind::Blank, offset: 0 });
    }
    out.reserve(json.len() + 1);
    out.extend_from_slice(json);
    out.push(b'\n');
    Ok(())
}

/// Why a text cannot be one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EncodeError {
    /// What is wrong.
    pub kind: EncodeErrorKind,
    /// At which byte of the text.
    pub offset: usize,
}

/// What keeps a text from being one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodeErrorKind {
    /// A raw LF or CR.
    LineEnd,
    /// Nothing but whitespace.
    Blank,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            EncodeErrorKind::LineEnd => write!(f, "raw line end in frame at byte {}", self.offset),
            EncodeErrorKind::Blank => f.write_str("frame is blank"),
        }
    }
}

impl std::error::Error for EncodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_frame_leaves_the_output_untouched() {
        for (json, kind, offset) in [
            (&b"{\"a\":1\n}"[..], EncodeErrorKind::LineEnd, 6),
            (b"{}\r", EncodeErrorKind::LineEnd, 2),
            (b"", EncodeErrorKind::Blank, 0),
            (b" \t", EncodeErrorKind::Blank, 0),
        ] {
            let mut out = b"before".to_vec();
            assert_eq!(encode(json, &mut out), Err(EncodeError { kind, offset }));
            assert_eq!(out, b"before");
        }
    }

    #[test]
    fn unicode_line_separators_are_no_line_ends() {
        let mut out = Vec::new();
        encode("\"\u{2028}\u{85}\"".as_bytes(), &mut out).unwrap();
        assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1);
    }
}
