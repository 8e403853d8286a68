//! A child process with tokio pipes.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};

use crate::connection::{Action, Ladder, Signal};
use crate::error::{Error, ErrorKind};
use crate::process::{Exit, Leader, Log, POLL_INTERVAL, Pipes, Pump, Spawn, Stderr};

/// A started program, its pipes, and everything that it starts in its process group.
///
/// Guarantees:
///
/// - [`shutdown`](Self::shutdown) and drop leave nothing of the process group alive: what is left
///   is killed before the child is reaped. A drop blocks for that, as a rule a millisecond and at
///   most 5 s. (A process that made a group or session of its own is out of reach; killed group
///   members may take a moment to go.)
/// - Stderr is drained by a task of its own unless it is taken, so the child never stops on it.
///   The task is aborted with the child's handle, whoever else holds the pipe.
/// - Until shutdown or drop an ended child stays a zombie, so that its id is nobody else's.
/// - No signal handler is installed: the end comes through a pidfd on Linux and is looked for
///   every 10 ms elsewhere.
///
/// # Example
///
/// ```
/// use pipeproof_transport::{nonblocking::{Child, Reader, Writer}, connection::Ladder};
/// use pipeproof_transport::{line::Item, process::{Exit, Spawn}};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let mut child = Child::spawn(&Spawn::new("cat"))?;
/// let mut writer = Writer::new(child.take_stdin().expect("taken once"));
/// let mut reader = Reader::new(child.take_stdout().expect("taken once"));
/// writer.send(b"{}").await?;
/// assert!(matches!(reader.recv().await?, Some(Item::Line(line)) if line.bytes == b"{}"));
/// writer.close().await?;
/// assert_eq!(child.shutdown(&Ladder::default()).await?, Exit::Code(0));
/// # Ok::<(), pipeproof_transport::Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct Child {
    // Dropped first: it kills the group, so that the pipes are free.
    leader: Leader,
    end: Option<AsyncFd<OwnedFd>>,
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
    /// Says why it cannot be started, and names the program or directory. `NoRuntime` outside a
    /// tokio runtime.
    ///
    /// # Panics
    ///
    /// If the runtime was built without I/O; later methods if it was built without time.
    pub fn spawn(spawn: &Spawn) -> Result<Self, Error> {
        if Handle::try_current().is_err() {
            return Err(Error::new(ErrorKind::NoRuntime));
        }
        let (leader, pipes) = Leader::spawn(spawn)?;
        Self::connect(leader, pipes, spawn.stderr_choice()).map_err(|error| {
            Error::new(ErrorKind::Spawn).about(spawn.program().to_string_lossy()).with_io(error)
        })
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
            ChildStderr::from_std(pipe.into()).ok()
        })
    }

    /// Waits for the child's end. Its group is left alone until shutdown or drop.
    ///
    /// Cancel-safe. Does not close stdin: a child that waits for that never ends.
    ///
    /// # Errors
    ///
    /// `Wait` if somebody else reaped the child.
    pub async fn wait(&mut self) -> Result<Exit, Error> {
        loop {
            if let Some(exit) = self.try_wait()? {
                return Ok(exit);
            }
            self.ended().await;
        }
    }

    /// How the child ended, if it has.
    ///
    /// # Errors
    ///
    /// As [`wait`](Self::wait).
    pub fn try_wait(&mut self) -> Result<Option<Exit>, Error> {
        let exit = self.leader.peek().map_err(|error| self.explain(error))?;
        if exit.is_some() {
            self.log.pump();
        }
        Ok(exit)
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
    /// has to be dropped by its owner for the first step of the default ladder to take effect. If
    /// the future is dropped, the next call starts at the first step again.
    ///
    /// # Errors
    ///
    /// `Timeout` if the child is still there after the last step.
    pub async fn shutdown(&mut self, ladder: &Ladder) -> Result<Exit, Error> {
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
                Action::Wait { until } => self.ended_by(start.checked_add(until)).await,
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

    fn connect(leader: Leader, pipes: Pipes, stderr: Stderr) -> io::Result<Self> {
        let end = leader.end_event().transpose()?;
        let mut child = Self {
            leader,
            end: end.map(readable).transpose()?,
            stdin: pipes.stdin.map(ChildStdin::from_std).transpose()?,
            stdout: pipes.stdout.map(ChildStdout::from_std).transpose()?,
            stderr: None,
            log: Arc::new(Log::empty()),
            drain: None,
        };
        match pipes.stderr {
            Some(pipe) if stderr == Stderr::Capture => {
                child.log = Arc::new(Log::of(pipe.into())?);
                child.drain = Drain::start(&child.log)?;
            }
            Some(pipe) => child.stderr = Some(ChildStderr::from_std(pipe)?),
            None => {}
        }
        Ok(child)
    }

    /// Returns when the child may have ended, or after a while.
    async fn ended(&self) {
        match &self.end {
            Some(end) => match end.readable().await {
                // The event stays: a process ends once.
                Ok(mut guard) => guard.retain_ready(),
                Err(_) => sleep(POLL_INTERVAL).await,
            },
            None => sleep(POLL_INTERVAL).await,
        }
    }

    async fn ended_by(&self, deadline: Option<Instant>) {
        match deadline {
            // Out of time is as good as ended: the caller looks.
            Some(deadline) => drop(timeout_at(deadline, self.ended()).await),
            None => self.ended().await,
        }
    }
}

/// The task that drains stderr. Dropping this aborts it.
#[derive(Debug)]
struct Drain(JoinHandle<()>);

impl Drain {
    fn start(log: &Arc<Log>) -> io::Result<Option<Self>> {
        let Some(event) = log.event().transpose()? else { return Ok(None) };
        Ok(Some(Self(tokio::spawn(drain(Arc::clone(log), readable(event)?)))))
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[expect(
    deprecated,
    reason = "the replacement is unsafe; what it asks for holds here: an `OwnedFd` that is never \
              replaced or closed inside"
)]
fn readable(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(descriptor, Interest::READABLE)
}

async fn drain(log: Arc<Log>, event: AsyncFd<OwnedFd>) {
    while let Ok(mut guard) = event.readable().await {
        match log.pump() {
            Pump::Empty => guard.clear_ready(),
            Pump::More => tokio::task::yield_now().await,
            Pump::Closed => return,
        }
    }
}
