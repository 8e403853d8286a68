//! Faults in the bytes that are written for a message.

use super::{BOTH, EVERY, FaultInfo, ID, LARGE_REPLY, LINES, ONE, PURITY, UTF8};
use crate::liar::fault::{Lie, Spoken};

pub(super) fn faults() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "log-lines",
            about: "writes a line of its log on stdout before each message",
            eras: EVERY,
            caught_by: &[PURITY],
            at: None,
            lie: Lie::Write(|memory, spoken| {
                memory.count += 1;
                format!("[info] message {}\n{}\n", memory.count, spoken.json).into_bytes()
            }),
        },
        FaultInfo {
            name: "json-log-lines",
            about: "writes its log on stdout as JSON, a line before each message",
            eras: BOTH,
            caught_by: &[PURITY],
            at: None,
            lie: Lie::Write(|memory, spoken| {
                memory.count += 1;
                let log = format!(r#"{{"level":30,"id":{},"msg":"message"}}"#, memory.count);
                format!("{log}\n{}\n", spoken.json).into_bytes()
            }),
        },
        FaultInfo {
            name: "blank-lines",
            about: "writes an empty line after each message",
            eras: BOTH,
            caught_by: &[PURITY],
            at: None,
            lie: Lie::Write(|_, spoken| format!("{}\n\n", spoken.json).into_bytes()),
        },
        FaultInfo {
            name: "pretty-printed",
            about: "writes each message over several lines",
            eras: EVERY,
            caught_by: &[LINES],
            at: None,
            lie: Lie::Write(|_, spoken| format!("{}\n", pretty(spoken)).into_bytes()),
        },
        FaultInfo {
            name: "long-lines-wrapped",
            about: "begins another line after 65536 bytes",
            eras: BOTH,
            caught_by: &[PURITY, LARGE_REPLY],
            at: None,
            lie: Lie::Write(|_, spoken| {
                let lines: Vec<&[u8]> = spoken.json.as_bytes().chunks(1 << 16).collect();
                [lines.join(&b'\n'), b"\n".to_vec()].concat()
            }),
        },
        FaultInfo {
            name: "answers-on-one-line",
            about: "writes the answers to requests that arrived together on one line",
            eras: BOTH,
            caught_by: &[LINES],
            at: None,
            lie: Lie::Write(|_, spoken| {
                let end = if spoken.more { "" } else { "\n" };
                format!("{}{end}", spoken.json).into_bytes()
            }),
        },
        FaultInfo {
            name: "line-end-before",
            about: "writes the line end before a message and not after it",
            eras: BOTH,
            caught_by: &[LINES],
            at: None,
            lie: Lie::Write(|_, spoken| {
                let end = if spoken.first { "" } else { "\n" };
                format!("{end}{}", spoken.json).into_bytes()
            }),
        },
        FaultInfo {
            name: "no-line-end",
            about: "writes one message after the other without any line end",
            eras: EVERY,
            caught_by: &[LINES],
            at: None,
            lie: Lie::Write(|_, spoken| spoken.json.into()),
        },
        FaultInfo {
            name: "latin-1",
            about: "writes in Latin-1",
            eras: EVERY,
            caught_by: &[UTF8],
            at: None,
            lie: Lie::Write(|_, spoken| {
                let bytes = spoken.json.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'));
                bytes.chain([b'\n']).collect()
            }),
        },
        FaultInfo {
            name: "byte-order-mark",
            about: "writes a byte order mark before its first message",
            eras: EVERY,
            caught_by: &[UTF8],
            at: None,
            lie: Lie::Write(|_, spoken| {
                let mark = if spoken.first { "\u{feff}" } else { "" };
                format!("{mark}{}\n", spoken.json).into_bytes()
            }),
        },
        FaultInfo {
            name: "ghost-reply",
            about: "writes a response to a request that was never sent after its first message",
            eras: EVERY,
            caught_by: &[ID],
            at: None,
            lie: Lie::Write(|_, spoken| {
                let ghost = "{\"jsonrpc\":\"2.0\",\"id\":\"ghost\",\"result\":{}}\n";
                let ghost = if spoken.first { ghost } else { "" };
                format!("{}\n{ghost}", spoken.json).into_bytes()
            }),
        },
        FaultInfo {
            name: "reply-twice",
            about: "writes each message twice",
            eras: EVERY,
            caught_by: &[ONE, "mcp.progress.increasing"],
            at: None,
            lie: Lie::Write(|_, spoken| format!("{0}\n{0}\n", spoken.json).into_bytes()),
        },
    ]
}

/// The message over several lines; as it is, if it nests too deep for that.
fn pretty(spoken: &Spoken<'_>) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(spoken.json).ok();
    value
        .and_then(|value| serde_json::to_string_pretty(&value).ok())
        .unwrap_or_else(|| spoken.json.into())
}
