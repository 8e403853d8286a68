//! The last of what a child wrote to stderr.
//!
//! Bounded: a flood is read and forgotten. The pipe is read without ever blocking, by the face's
//! drain and by whoever wants to be up to date.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::{Errno, ioctl_fionbio, read};

/// How much is kept.
const KEPT: usize = 64 * 1024;

/// How much of one line is shown.
const LINE_KEPT: usize = 4 * 1024;

/// How many reads one pump makes, so that a flood cannot hold it.
const ROUNDS: usize = 256;

#[derive(Debug)]
pub(crate) struct Log {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    source: Option<OwnedFd>,
    ring: VecDeque<u8>,
    total: u64,
}

/// What a pump leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pump {
    /// The pipe was found empty.
    Empty,
    /// There may be more.
    More,
    /// There is no pipe any more.
    Closed,
}

impl Log {
    /// A log of nothing.
    pub(crate) fn empty() -> Self {
        Self { state: Mutex::new(State { source: None, ring: VecDeque::new(), total: 0 }) }
    }

    /// A log of what comes through this pipe.
    pub(crate) fn of(source: OwnedFd) -> io::Result<Self> {
        ioctl_fionbio(&source, true)?;
        let log = Self::empty();
        log.lock().source = Some(source);
        Ok(log)
    }

    /// Another descriptor of the pipe, to wait on.
    pub(crate) fn event(&self) -> Option<io::Result<OwnedFd>> {
        self.lock().source.as_ref().map(OwnedFd::try_clone)
    }

    /// Gives the pipe away; nothing is logged any more.
    pub(crate) fn take(&self) -> Option<OwnedFd> {
        self.lock().source.take()
    }

    /// Reads what is in the pipe, without blocking.
    pub(crate) fn pump(&self) -> Pump {
        let mut state = self.lock();
        let mut buffer = [0; 8 * 1024];
        for _ in 0..ROUNDS {
            let Some(source) = &state.source else { return Pump::Closed };
            match read(source, &mut buffer) {
                Ok(0) => state.source = None,
                Ok(count) => state.push(&buffer[..count]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Pump::Empty,
                Err(_) => state.source = None,
            }
        }
        Pump::More
    }

    /// The last bytes, at most 64 KiB.
    pub(crate) fn tail(&self) -> Vec<u8> {
        self.lock().ring.iter().copied().collect()
    }

    /// The last lines, each cut to 4 KiB; bad UTF-8 is replaced.
    pub(crate) fn lines(&self) -> Vec<String> {
        let state = self.lock();
        let tail: Vec<u8> = state.ring.iter().copied().collect();
        let cut = state.total > tail.len() as u64;
        drop(state);
        let mut lines: Vec<&[u8]> = tail.split(|byte| *byte == b'\n').collect();
        if lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        // The first line of a full ring has lost its beginning.
        let whole = usize::from(cut && lines.len() > 1);
        lines[whole..].iter().map(|line| shown(line)).collect()
    }

    /// How many bytes came.
    pub(crate) fn total(&self) -> u64 {
        self.lock().total
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let bytes = &bytes[bytes.len().saturating_sub(KEPT)..];
        let over = (self.ring.len() + bytes.len()).saturating_sub(KEPT);
        self.ring.drain(..over);
        self.ring.extend(bytes);
    }
}

fn shown(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    String::from_utf8_lossy(&line[..line.len().min(LINE_KEPT)]).into_owned()
}
