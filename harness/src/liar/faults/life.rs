//! Faults at the start of the process and at the end of its input.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio, abort, exit};
use std::thread;
use std::time::Duration;

use super::{BOTH, EVERY, EXIT, FaultInfo, INITIALIZE, LEGACY, LINES, ORPHANS, PURITY, bend};
use crate::liar::fault::Lie;

/// How long a process stays that does not end with its input: long for a client, and not for ever.
const STAY: Duration = Duration::from_secs(120);

/// Where a process gives no answer at all, nobody can tell which era it would be; such faults stand in the legacy one.
pub(super) fn faults() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "capability-unknown-refused",
            about: "refuses a client that declares a capability that it does not know",
            eras: LEGACY,
            caught_by: &[INITIALIZE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                let capabilities = heard.params.get("capabilities");
                let unknown = capabilities.and_then(|all| all.get("com.example/pipeproof"));
                let reply = reply?;
                Some(if unknown.is_some() { bend::refused(reply, -32602) } else { reply })
            }),
        },
        FaultInfo {
            name: "banner",
            about: "greets on stdout before anything was asked",
            eras: EVERY,
            caught_by: &[PURITY],
            at: None,
            lie: Lie::Start(|out| {
                out.write_all(b"Liar MCP server running on stdio\n")?;
                out.flush()
            }),
        },
        FaultInfo {
            name: "exits-at-once",
            about: "exits with code 1 at its start, the reason on stderr",
            eras: LEGACY,
            caught_by: &[INITIALIZE],
            at: None,
            lie: Lie::Start(|_| {
                io::stderr().write_all(b"error: LIAR_TOKEN is not set\n")?;
                exit(1)
            }),
        },
        FaultInfo {
            name: "stdout-closed",
            about: "closes stdout at its start and lives on",
            eras: LEGACY,
            caught_by: &[INITIALIZE],
            at: None,
            lie: Lie::Start(|_| Err(become_mute())),
        },
        FaultInfo {
            name: "floods-stdout",
            about: "writes log lines on stdout without end",
            eras: LEGACY,
            caught_by: &[PURITY, INITIALIZE],
            at: None,
            lie: Lie::Start(|out| {
                loop {
                    out.write_all(b"[debug] waiting for a client\n")?;
                }
            }),
        },
        FaultInfo {
            name: "leaves-a-child",
            about: "leaves a process behind that holds stdout and stderr open",
            eras: EVERY,
            caught_by: &[ORPHANS],
            at: None,
            lie: Lie::Start(|_| {
                let seconds = STAY.as_secs().to_string();
                // Nobody waits for it: that is the fault.
                let _left = Command::new("sleep").arg(seconds).stdin(Stdio::null()).spawn()?;
                Ok(())
            }),
        },
        FaultInfo {
            name: "stays-at-eof",
            about: "does not exit when its input ends",
            eras: EVERY,
            caught_by: EXIT,
            at: None,
            lie: Lie::End(|_| {
                thread::sleep(STAY);
                Ok(())
            }),
        },
        FaultInfo {
            name: "aborts-at-eof",
            about: "crashes when its input ends",
            eras: BOTH,
            caught_by: EXIT,
            at: None,
            lie: Lie::End(|_| abort()),
        },
        FaultInfo {
            name: "says-goodbye",
            about: "writes a last word on stdout when its input ends",
            eras: EVERY,
            caught_by: &[PURITY],
            at: None,
            lie: Lie::End(|out| {
                out.write_all(b"bye\n")?;
                out.flush()
            }),
        },
        FaultInfo {
            name: "torn-at-eof",
            about: "ends in the middle of a message when its input ends",
            eras: EVERY,
            caught_by: &[LINES],
            at: None,
            lie: Lie::End(|out| {
                out.write_all(br#"{"jsonrpc":"2.0","method":"notifications/mess"#)?;
                out.flush()
            }),
        },
    ]
}

/// Goes on as a process that reads to the end and whose stdout is none of ours, so that the pipe is closed. Returns only
/// when that fails.
pub(super) fn become_mute() -> io::Error {
    Command::new("cat").stdout(Stdio::null()).exec()
}
