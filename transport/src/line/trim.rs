//! What stands at the ends of a line.
//!
//! Works on bytes: a pattern of whole UTF-8 characters cannot match inside another character.

/// What `String.prototype.trim` of JavaScript strips, as UTF-8.
const SPACES: [&[u8]; 25] = [
    b"\t",
    b"\n",
    b"\x0b",
    b"\x0c",
    b"\r",
    b" ",
    "\u{a0}".as_bytes(),
    "\u{1680}".as_bytes(),
    "\u{2000}".as_bytes(),
    "\u{2001}".as_bytes(),
    "\u{2002}".as_bytes(),
    "\u{2003}".as_bytes(),
    "\u{2004}".as_bytes(),
    "\u{2005}".as_bytes(),
    "\u{2006}".as_bytes(),
    "\u{2007}".as_bytes(),
    "\u{2008}".as_bytes(),
    "\u{2009}".as_bytes(),
    "\u{200a}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{2029}".as_bytes(),
    "\u{202f}".as_bytes(),
    "\u{205f}".as_bytes(),
    "\u{3000}".as_bytes(),
    "\u{feff}".as_bytes(),
];

/// The part of `bytes` that Unicode trimming leaves, as start and end.
pub(super) fn unicode(bytes: &[u8]) -> (usize, usize) {
    let mut rest = bytes;
    while let Some(shorter) = SPACES.iter().find_map(|space| rest.strip_prefix(*space)) {
        rest = shorter;
    }
    let start = bytes.len() - rest.len();
    while let Some(shorter) = SPACES.iter().find_map(|space| rest.strip_suffix(*space)) {
        rest = shorter;
    }
    (start, start + rest.len())
}

/// Whether `bytes` are nothing but JSON whitespace.
pub(super) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_space_is_stripped_from_both_sides_and_kept_inside() {
        for space in SPACES {
            let text = [space, b"a", space, b"b", space].concat();
            let (start, end) = unicode(&text);
            assert_eq!(&text[start..end], [b"a", space, b"b"].concat());
        }
    }

    #[test]
    fn next_line_control_is_no_space() {
        assert_eq!(unicode("\u{85}".as_bytes()), (0, 2));
    }

    #[test]
    fn nothing_is_left_of_spaces() {
        let (start, end) = unicode("\u{feff} \t\u{2003}".as_bytes());
        assert_eq!(start, end);
    }
}
