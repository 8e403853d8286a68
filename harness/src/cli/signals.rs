//! The signals that ask the program to end.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits for SIGINT, SIGTERM and SIGHUP; those that the parent had switched off stay so, as `nohup` wants it.
#[derive(Debug)]
pub(super) struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hangup: Option<Signal>,
}

impl Signals {
    /// Takes the signals over from the system. Within a runtime only.
    pub(super) fn new() -> io::Result<Self> {
        let ignored = ignored();
        let take = |kind: SignalKind| -> io::Result<Option<Signal>> {
            let bit = 1 << (kind.as_raw_value() - 1);
            if ignored & bit == 0 { signal(kind).map(Some) } else { Ok(None) }
        };
        Ok(Self {
            interrupt: take(SignalKind::interrupt())?,
            terminate: take(SignalKind::terminate())?,
            hangup: take(SignalKind::hangup())?,
        })
    }

    /// Waits for the next of them.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            () = one(&mut self.interrupt) => {}
            () = one(&mut self.terminate) => {}
            () = one(&mut self.hangup) => {}
        }
    }
}

async fn one(signal: &mut Option<Signal>) {
    match signal {
        // The stream never ends while the runtime lives.
        Some(signal) => _ = signal.recv().await,
        None => std::future::pending().await,
    }
}

/// The mask of the signals that are ignored in this process; empty where the system does not tell.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
