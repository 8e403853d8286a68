//! Faults in how reads become lines: right only while the bytes arrive as they were written.

use std::process::exit;

use super::{
    ANY_SPLIT, BOTH, EVERY, FaultInfo, LARGE, LARGE_REPLY, ONE, PENDING, SPLIT, TWO_IN_ONE,
    UTF8_SPLIT,
};
use crate::liar::fault::{Lie, Memory};

/// What a decoder puts in the place of bytes that it cannot read.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();
const EURO: &[u8] = "€".as_bytes();

pub(super) fn faults() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "one-read-one-message",
            about: "takes each read for one message",
            eras: EVERY,
            caught_by: &[
                SPLIT,
                UTF8_SPLIT,
                TWO_IN_ONE,
                ANY_SPLIT,
                ONE,
                PENDING,
                LARGE,
                LARGE_REPLY,
            ],
            at: None,
            lie: Lie::Read(|_, read| {
                let text = read.strip_suffix(b"\n").unwrap_or(read);
                let line = text.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte });
                line.chain([b'\n']).collect()
            }),
        },
        FaultInfo {
            name: "dies-at-half-a-line",
            about: "exits at a read that does not end with a line end",
            eras: BOTH,
            // It is dead before it comes to a cut inside a character.
            caught_by: &[SPLIT, UTF8_SPLIT, ANY_SPLIT, LARGE, LARGE_REPLY, ONE],
            at: None,
            lie: Lie::Read(|_, read| if read.ends_with(b"\n") { read.to_vec() } else { exit(1) }),
        },
        FaultInfo {
            name: "decodes-each-read",
            about: "decodes each read apart, so that a character cut in two is lost",
            eras: EVERY,
            caught_by: &[SPLIT, UTF8_SPLIT, "jsonrpc.call.exactly-one-response"],
            at: None,
            lie: Lie::Read(|_, read| String::from_utf8_lossy(read).into_owned().into_bytes()),
        },
        FaultInfo {
            name: "cut-inside-euro",
            about: "loses the character € where a read ends inside it",
            eras: BOTH,
            caught_by: &[SPLIT, UTF8_SPLIT],
            at: None,
            lie: Lie::Read(without_cut_euros),
        },
        FaultInfo {
            name: "joined-second-lost",
            about: "reads one line of each read and forgets the rest",
            eras: EVERY,
            caught_by: &[TWO_IN_ONE, ONE, PENDING],
            at: None,
            lie: Lie::Read(|_, read| {
                let end =
                    read.iter().position(|byte| *byte == b'\n').map_or(read.len(), |at| at + 1);
                read[..end].to_vec()
            }),
        },
    ]
}

/// The read with what was kept back before it; a beginning of € at its end is kept back.
fn without_cut_euros(memory: &mut Memory, read: &[u8]) -> Vec<u8> {
    let cut = memory.held.len();
    let mut bytes = std::mem::take(&mut memory.held);
    bytes.extend_from_slice(read);
    if cut > 0 && bytes.starts_with(EURO) {
        bytes.splice(..EURO.len(), REPLACEMENT.iter().copied());
    }
    let kept = (1..EURO.len()).rev().find(|len| bytes.ends_with(&EURO[..*len])).unwrap_or(0);
    memory.held = bytes.split_off(bytes.len() - kept);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_euro_is_lost_only_where_a_read_ends_inside_it() {
        let read = |reads: &[&[u8]]| -> String {
            let mut memory = Memory::default();
            let bytes =
                reads.iter().flat_map(|read| without_cut_euros(&mut memory, read)).collect();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(read(&["a€—b".as_bytes()]), "a€—b");
        assert_eq!(read(&[b"a", "€".as_bytes(), "€".as_bytes(), b"b"]), "a€€b");
        assert_eq!(read(&[b"a\xe2", b"\x82\xacb"]), "a\u{fffd}b");
        assert_eq!(read(&[b"a\xe2", b"\x82", b"\xac", b"b"]), "a\u{fffd}b");
        assert_eq!(read(&[b"a\xe2", b"\x80\x94b"]), "a—b");
    }
}
