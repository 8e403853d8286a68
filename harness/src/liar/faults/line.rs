//! Faults in what is heard of a line.

use std::process::{abort, exit};

use pipeproof_transport::message::{self, Parsed, SyntaxError, SyntaxErrorKind};

use super::{BOTH, EVERY, FaultInfo, GARBAGE, INITIALIZE, LEGACY, NOTIFICATION, ONE, PROBE};
use crate::liar::fault::{Lie, Memory};

pub(super) fn faults() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "exits-at-first-line",
            about: "exits at the first line that it reads",
            eras: LEGACY,
            caught_by: &[INITIALIZE],
            at: None,
            lie: Lie::Line(|_, _| exit(0)),
        },
        FaultInfo {
            name: "dies-at-probe",
            about: "exits at server/discover",
            eras: LEGACY,
            caught_by: &[PROBE],
            at: None,
            lie: Lie::Line(|_, line| match method(line).as_deref() {
                Some("server/discover") => exit(1),
                _ => Some(line.to_vec()),
            }),
        },
        FaultInfo {
            name: "deaf-after-probe",
            about: "answers nothing any more after server/discover",
            eras: LEGACY,
            caught_by: &[PROBE],
            at: None,
            lie: Lie::Line(|memory, line| deaf_from(memory, line, "server/discover")),
        },
        FaultInfo {
            name: "initialize-unanswered",
            about: "never answers initialize",
            eras: LEGACY,
            caught_by: &[INITIALIZE],
            at: None,
            lie: Lie::Line(|_, line| {
                (method(line).as_deref() != Some("initialize")).then(|| line.to_vec())
            }),
        },
        FaultInfo {
            name: "exits-at-list",
            about: "exits at tools/list",
            eras: BOTH,
            caught_by: &[ONE, "mcp.life.init-first"],
            at: None,
            lie: Lie::Line(|_, line| match method(line).as_deref() {
                Some("tools/list") => exit(1),
                _ => Some(line.to_vec()),
            }),
        },
        FaultInfo {
            name: "deaf-after-list",
            about: "answers nothing any more from tools/list on",
            eras: BOTH,
            caught_by: &[ONE, "mcp.life.init-first"],
            at: None,
            lie: Lie::Line(|memory, line| deaf_from(memory, line, "tools/list")),
        },
        FaultInfo {
            name: "dies-at-notification",
            about: "exits at a notification that it does not know",
            eras: BOTH,
            caught_by: &[
                NOTIFICATION,
                "mcp.cancel.unknown-ignored",
                "mcp.cancel.race",
                "mcp.cancel.no-response",
                "mcp.cancel.no-more-messages",
            ],
            at: None,
            lie: Lie::Line(|_, line| match message::parse(line) {
                Ok(Parsed::Object(envelope)) if envelope.id.is_none() => {
                    match method(line).as_deref() {
                        Some("notifications/initialized") | None => Some(line.to_vec()),
                        Some(_) => exit(1),
                    }
                }
                _ => Some(line.to_vec()),
            }),
        },
        FaultInfo {
            name: "dies-at-bad-line",
            about: "exits at a line that is no JSON",
            eras: EVERY,
            caught_by: &[GARBAGE, "jsonrpc.examples.errors"],
            at: None,
            lie: Lie::Line(|_, line| match message::parse(line) {
                Ok(_) => Some(line.to_vec()),
                Err(_) => exit(1),
            }),
        },
        FaultInfo {
            name: "dies-at-half-a-character",
            about: "exits at an escape that is half a character",
            eras: BOTH,
            caught_by: &[GARBAGE],
            at: None,
            lie: Lie::Line(|_, line| {
                if line.windows(6).any(|escape| escape == br"\ud800") {
                    exit(1);
                }
                Some(line.to_vec())
            }),
        },
        FaultInfo {
            name: "aborts-at-bad-line",
            about: "crashes at a line that is no JSON",
            eras: BOTH,
            caught_by: &[GARBAGE],
            at: None,
            lie: Lie::Line(|_, line| match message::parse(line) {
                Ok(_) => Some(line.to_vec()),
                Err(_) => abort(),
            }),
        },
        FaultInfo {
            name: "waits-for-the-rest",
            about: "takes JSON that is cut off for a beginning, and is deaf from then on",
            eras: EVERY,
            caught_by: &[GARBAGE],
            at: None,
            lie: Lie::Line(|memory, line| {
                memory.held.extend_from_slice(line);
                let ends_early = |error: SyntaxError| error.kind == SyntaxErrorKind::UnexpectedEnd;
                memory.deaf |= message::parse(&memory.held).is_err_and(ends_early);
                if memory.deaf { None } else { Some(std::mem::take(&mut memory.held)) }
            }),
        },
    ]
}

/// The line, unless this method was heard in it or before.
fn deaf_from(memory: &mut Memory, line: &[u8], from: &str) -> Option<Vec<u8>> {
    memory.deaf |= method(line).as_deref() == Some(from);
    (!memory.deaf).then(|| line.to_vec())
}

/// The method that a line names.
fn method(line: &[u8]) -> Option<String> {
    let Ok(Parsed::Object(envelope)) = message::parse(line) else { return None };
    serde_json::from_str(envelope.method?.get()).ok()
}
