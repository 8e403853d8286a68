//! The started process and its group: observed, signalled, reaped.
//!
//! The leader stays unreaped until the group has been killed for the last time. As long as it is
//! unreaped, the system gives neither its process id nor its group id to anybody else, so a signal
//! to the group cannot hit a stranger. A group member that made a group or session of its own is
//! out of reach.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::exit::Exit;
use super::spawn::Spawn;
use crate::connection::Signal;
use crate::error::{Error, ErrorKind};

/// How long a drop waits for a killed leader, which can be inside the kernel.
const DROP_PATIENCE: Duration = Duration::from_secs(5);

/// How often the end is looked for where the system cannot tell it.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(crate) struct Leader {
    child: Child,
    pid: Pid,
    pidfd: Option<OwnedFd>,
    exit: Option<Exit>,
    /// Whether the process id may belong to somebody else by now.
    reaped: bool,
}

/// Our ends of the child's streams.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

impl Leader {
    pub(crate) fn spawn(spawn: &Spawn) -> Result<(Self, Pipes), Error> {
        let mut child = spawn.command()?.spawn().map_err(|error| {
            // The program and the directory were found: what is missing is the interpreter.
            let kind = match error.kind() {
                io::ErrorKind::NotFound => ErrorKind::InterpreterNotFound,
                io::ErrorKind::PermissionDenied => ErrorKind::NotExecutable,
                _ => ErrorKind::Spawn,
            };
            Error::new(kind).about(spawn.program().to_string_lossy()).with_io(error)
        })?;
        let pipes = Pipes {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
        };
        let pid = Pid::from_child(&child);
        Ok((Self { child, pid, pidfd: open_pidfd(pid), exit: None, reaped: false }, pipes))
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// A descriptor that becomes readable when the leader ends, where the system has one.
    #[cfg(feature = "tokio")]
    pub(crate) fn end_event(&self) -> Option<io::Result<OwnedFd>> {
        self.pidfd.as_ref().map(OwnedFd::try_clone)
    }

    /// How it ended, if it has; it stays unreaped.
    pub(crate) fn peek(&mut self) -> Result<Option<Exit>, Error> {
        if self.exit.is_some() || self.reaped {
            return self.exit.map(Some).ok_or_else(|| Error::new(ErrorKind::Wait));
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.pid), options) {
                Ok(None) => return Ok(None),
                Ok(Some(status)) => {
                    self.exit = status
                        .exit_status()
                        .map(Exit::Code)
                        .or_else(|| status.terminating_signal().map(Exit::Signal));
                    return Ok(self.exit);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => {
                    // Somebody else reaped it, so the id must not be used any more.
                    self.reaped = true;
                    return Err(Error::new(ErrorKind::Wait).with_io(error.into()));
                }
            }
        }
    }

    /// How it ended, if it has ended and was reaped.
    pub(crate) const fn finished(&self) -> Option<Exit> {
        if self.reaped { self.exit } else { None }
    }

    /// How it ended, as far as it was observed.
    pub(crate) const fn exit(&self) -> Option<Exit> {
        self.exit
    }

    /// Waits for its end, at most until `deadline`; it stays unreaped.
    pub(crate) fn wait_until(&mut self, deadline: Option<Instant>) -> Result<Option<Exit>, Error> {
        loop {
            if let Some(exit) = self.peek()? {
                return Ok(Some(exit));
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            self.pause(left);
        }
    }

    /// Sleeps until its end, for `left`, or for a while.
    fn pause(&self, left: Option<Duration>) {
        let Some(pidfd) = &self.pidfd else {
            return std::thread::sleep(left.unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL));
        };
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let result = poll(&mut [PollFd::new(pidfd, PollFlags::IN)], timeout.as_ref());
        if result.is_err_and(|error| error != rustix::io::Errno::INTR) {
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Sends a signal to the group, unless the leader was reaped.
    pub(crate) fn signal_group(&self, signal: Signal) -> Result<(), Error> {
        if self.reaped {
            return Ok(());
        }
        match kill_process_group(self.pid, raw(signal)) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
            // macOS says this of a group in which only a zombie is left.
            Err(rustix::io::Errno::PERM) if self.exit.is_some() => Ok(()),
            Err(error) => Err(Error::new(ErrorKind::Signal).with_io(error.into())),
        }
    }

    /// Kills what is left of the group of an ended leader and reaps the leader.
    pub(crate) fn reap(&mut self) {
        if self.reaped {
            return;
        }
        // The end of the leader was seen before, so this comes after any fork of its own.
        let _ = self.signal_group(Signal::Kill);
        if let Ok(Some(status)) = self.child.try_wait() {
            self.exit = self.exit.or_else(|| Exit::from_status(status));
            self.reaped = true;
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        let _ = self.signal_group(Signal::Kill);
        let _ = self.wait_until(Some(Instant::now() + DROP_PATIENCE));
        self.reap();
    }
}

#[cfg(target_os = "linux")]
fn open_pidfd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_pidfd(_: Pid) -> Option<OwnedFd> {
    None
}

const fn raw(signal: Signal) -> rustix::process::Signal {
    use rustix::process::Signal as Raw;

    match signal {
        Signal::Hangup => Raw::HUP,
        Signal::Interrupt => Raw::INT,
        Signal::Quit => Raw::QUIT,
        Signal::Terminate => Raw::TERM,
        Signal::Stop => Raw::STOP,
        Signal::Continue => Raw::CONT,
        Signal::Kill => Raw::KILL,
    }
}
