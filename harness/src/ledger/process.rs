//! The process behind the pipes: when its streams ended, how it ended, what it left.

use crate::transcript::{Event, Fact, LeftProcess, Mark};

/// What happened to the process. Times are microseconds since the session's start.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// When we closed stdin.
    pub stdin_closed: Option<u64>,
    /// When a write failed, because nobody reads any more.
    pub write_failed: Option<u64>,
    /// When stdout ended.
    pub stdout_ended: Option<u64>,
    /// When we began to end the session.
    pub shutdown: Option<u64>,
    /// When we first sent it a signal.
    pub signalled: Option<u64>,
    /// How and when it ended.
    pub end: Option<(End, u64)>,
    /// What it left running; `None` when nobody looked.
    pub left: Option<Vec<LeftProcess>>,
    /// A limit of ours that it ran into.
    pub capped: Option<String>,
    last: u64,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

impl Process {
    pub(super) fn push(&mut self, event: &Event) {
        let at = event.at;
        self.last = at;
        match &event.fact {
            Fact::StdinClosed => drop(self.stdin_closed.get_or_insert(at)),
            Fact::WriteFailed(_) => drop(self.write_failed.get_or_insert(at)),
            Fact::StdoutEnded => drop(self.stdout_ended.get_or_insert(at)),
            Fact::Mark(Mark::Shutdown) => drop(self.shutdown.get_or_insert(at)),
            Fact::Signalled(_) => drop(self.signalled.get_or_insert(at)),
            Fact::Exited(code) => self.end = Some((End::Code(*code), at)),
            Fact::Killed(signal) => self.end = Some((End::Signal(*signal), at)),
            Fact::Left(processes) => self.left = Some(processes.clone()),
            Fact::NothingLeft => self.left = Some(Vec::new()),
            Fact::Capped(limit) => self.capped = Some(limit.clone()),
            _ => {}
        }
    }

    /// When the last event was seen.
    #[must_use]
    pub fn last_at(&self) -> u64 {
        self.last
    }

    /// How it ended, if it did so before we began to end the session.
    #[must_use]
    pub fn ended_early(&self) -> Option<(End, u64)> {
        let (end, at) = self.end?;
        let ours = [self.shutdown, self.stdin_closed, self.signalled];
        ours.iter().flatten().all(|ours| at < *ours).then_some((end, at))
    }
}
