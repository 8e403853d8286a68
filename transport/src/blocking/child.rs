//! A child process with blocking pipes.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio};

use crate::connection::{Action, Ladder, Signal};
use crate::error::{Error, ErrorKind};
use crate::process::{Exit, Leader, Log, Pump, Spawn, Stderr};

/// A started program, its pipes, and everything that it starts in its process group.
///
/// Guarantees:
///
/// - [`shutdown`](Self::shutdown) and drop leave nothing of the process group alive: what is left
///   is killed before the child is reaped. A drop waits at most 5 s for that. (A process that made
///   a group or session of its own is out of reach; killed group members may take a moment to go.)
/// - Stderr is drained by a thread of its own unless it is taken, so the child never stops on it.
///   The thread ends with the child's handle, whoever else holds the pipe.
/// - Until shutdown or drop an ended child stays a zombie, so that its id is nobody else's.
///
/// # Example
///
/// ```
/// use pipeproof_transport::{blocking::{Child, Reader, Writer}, connection::Ladder};
/// use pipeproof_transport::{line::Item, process::{Exit, Spawn}};
///
/// let mut child = Child::spawn(&Spawn::new("cat"))?;
/// let mut writer = Writer::new(child.take_stdin().expect("taken once"));
/// let mut reader = Reader::new(child.take_stdout().expect("taken once"));
/// writer.send(b"{}")?;
/// assert!(matches!(reader.recv()?, Some(Item::Line(line)) if line.bytes == b"{}"));
/// writer.close()?;
/// assert_eq!(child.shutdown(&Ladder::default())?, Exit::Code(0));
/// # Ok::<(), pipeproof_transport::Error>(())
/// ```
#[derive(Debug)]
pub struct Child {
    // Dropped first: it kills the group, so that the pipes are free.
    leader: Leader,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    log: Arc<Log>,
    drain: Option<Drain>,
}

impl Child {
    /// Starts a program.
    ///
    /// # Errors
    ///
    /// Says why it cannot be started, and names the program or directory.
    pub fn spawn(spawn: &Spawn) -> Result<Self, Error> {
        let (leader, pipes) = Leader::spawn(spawn)?;
        let mut child = Self {
            leader,
            stdin: pipes.stdin,
            stdout: pipes.stdout,
            stderr: pipes.stderr,
            log: Arc::new(Log::empty()),
            drain: None,
        };
        if spawn.stderr_choice() == Stderr::Capture {
            child.start_drain().map_err(|error| {
                Error::new(ErrorKind::Spawn).about(spawn.program().to_string_lossy()).with_io(error)
            })?;
        }
        Ok(child)
    }

    /// The process id, which is also the group's.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.leader.id()
    }

    /// The child's stdin, once. Dropping it is what tells most servers to stop.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// The child's stdout, once.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.stdout.take()
    }

    /// The child's stderr, once; from now on nobody else drains it.
    ///
    /// What was drained before stays in [`stderr_tail`](Self::stderr_tail), and if the drain has seen
    /// the end, there is nothing to take. To miss nothing, start the child with [`Stderr::Pipe`].
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.drain = None;
        self.stderr.take().or_else(|| {
            let pipe = self.log.take()?;
            ioctl_fionbio(&pipe, false).ok()?;
            Some(pipe.into())
        })
    }

    /// Waits for the child's end. Its group is left alone until shutdown or drop.
    ///
    /// Does not close stdin: a child that waits for that never ends.
    ///
    /// # Errors
    ///
    /// `Wait` if somebody else reaped the child.
    pub fn wait(&mut self) -> Result<Exit, Error> {
        match self.wait_until(None)? {
            Some(exit) => Ok(exit),
            None => Err(self.explain(Error::new(ErrorKind::Wait))),
        }
    }

    /// Waits for the child's end at most this long; `None` if it goes on.
    ///
    /// # Errors
    ///
    /// As [`wait`](Self::wait).
    pub fn wait_timeout(&mut self, timeout: Duration) -> Result<Option<Exit>, Error> {
        self.wait_until(Instant::now().checked_add(timeout))
    }

    /// How the child ended, if it has.
    ///
    /// # Errors
    ///
    /// As [`wait`](Self::wait).
    pub fn try_wait(&mut self) -> Result<Option<Exit>, Error> {
        self.wait_until(Some(Instant::now()))
    }

    /// Sends a signal to the child's process group; nothing is sent once the child was reaped.
    ///
    /// # Errors
    ///
    /// `Signal` if no member of the group may be signalled.
    pub fn signal_group(&self, signal: Signal) -> Result<(), Error> {
        self.leader.signal_group(signal).map_err(|error| self.explain(error))
    }

    /// Ends the child step by step, kills what is left of its group, and reaps it.
    ///
    /// Idempotent: of a child that was reaped it gives the same exit again. A stdin that was taken
    /// has to be dropped by its owner for the first step of the default ladder to take effect.
    ///
    /// # Errors
    ///
    /// `Timeout` if the child is still there after the last step.
    pub fn shutdown(&mut self, ladder: &Ladder) -> Result<Exit, Error> {
        if let Some(exit) = self.leader.finished() {
            return Ok(exit);
        }
        let start = Instant::now();
        let mut descent = ladder.descend();
        loop {
            if let Some(exit) = self.try_wait()? {
                self.leader.reap();
                self.drain = None;
                self.log.pump();
                return Ok(exit);
            }
            match descent.next(start.elapsed()) {
                Action::CloseStdin => self.stdin = None,
                // A group that cannot be signalled shows by the time running out.
                Action::Signal(signal) => drop(self.leader.signal_group(signal)),
                Action::Wait { until } => drop(self.wait_until(start.checked_add(until))?),
                Action::GiveUp => return Err(self.explain(Error::new(ErrorKind::Timeout))),
            }
        }
    }

    /// The last bytes that the child wrote to stderr, at most 64 KiB.
    #[must_use]
    pub fn stderr_tail(&self) -> Vec<u8> {
        self.log.pump();
        self.log.tail()
    }

    /// The last lines that the child wrote to stderr, each cut to 4 KiB, as text.
    #[must_use]
    pub fn stderr_lines(&self) -> Vec<String> {
        self.log.pump();
        self.log.lines()
    }

    /// How many bytes of stderr were drained in all.
    #[must_use]
    pub fn stderr_total(&self) -> u64 {
        self.log.total()
    }

    /// The same error with how the child ended, as far as known, and its last stderr.
    #[must_use]
    pub fn explain(&self, error: Error) -> Error {
        error.with_child(self.leader.exit(), self.stderr_tail())
    }

    fn wait_until(&mut self, deadline: Option<Instant>) -> Result<Option<Exit>, Error> {
        let exit = self.leader.wait_until(deadline).map_err(|error| self.explain(error))?;
        if exit.is_some() {
            self.log.pump();
        }
        Ok(exit)
    }

    fn start_drain(&mut self) -> io::Result<()> {
        if let Some(stderr) = self.stderr.take() {
            self.log = Arc::new(Log::of(OwnedFd::from(stderr))?);
            self.drain = Drain::start(&self.log)?;
        }
        Ok(())
    }
}

/// The thread that drains stderr. Dropping this ends it at once.
#[derive(Debug)]
struct Drain {
    stop: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Drain {
    fn start(log: &Arc<Log>) -> io::Result<Option<Self>> {
        let Some(event) = log.event().transpose()? else { return Ok(None) };
        let (stopped, stop) = io::pipe()?;
        let log = Arc::clone(log);
        let thread = std::thread::Builder::new()
            .name("child stderr".to_owned())
            .spawn(move || drain(&log, &event, &stopped))?;
        Ok(Some(Self { stop: Some(stop), thread: Some(thread) }))
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn drain(log: &Log, event: &OwnedFd, stopped: &PipeReader) {
    loop {
        let mut events = [PollFd::new(event, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
        match poll(&mut events, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
        if !events[1].revents().is_empty() || log.pump() == Pump::Closed {
            return;
        }
    }
}
