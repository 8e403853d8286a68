//! How a child ended.

use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

/// How a child ended.
///
/// # Example
///
/// ```
/// use pipeproof_transport::process::Exit;
///
/// assert_eq!(Exit::Code(3).to_string(), "exit code 3");
/// assert_eq!(Exit::Signal(9).to_string(), "signal 9 (SIGKILL)");
/// assert!(Exit::Code(0).is_success());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Exit {
    /// Whether it is exit code 0.
    #[must_use]
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Code(0))
    }

    /// The name of the signal, where it has the same number on all Unix systems or on this one.
    #[must_use]
    pub fn signal_name(self) -> Option<&'static str> {
        use rustix::process::Signal;

        let Self::Signal(number) = self else { return None };
        [
            (Signal::HUP, "SIGHUP"),
            (Signal::INT, "SIGINT"),
            (Signal::QUIT, "SIGQUIT"),
            (Signal::ILL, "SIGILL"),
            (Signal::TRAP, "SIGTRAP"),
            (Signal::ABORT, "SIGABRT"),
            (Signal::BUS, "SIGBUS"),
            (Signal::FPE, "SIGFPE"),
            (Signal::KILL, "SIGKILL"),
            (Signal::USR1, "SIGUSR1"),
            (Signal::SEGV, "SIGSEGV"),
            (Signal::USR2, "SIGUSR2"),
            (Signal::PIPE, "SIGPIPE"),
            (Signal::ALARM, "SIGALRM"),
            (Signal::TERM, "SIGTERM"),
            (Signal::XCPU, "SIGXCPU"),
            (Signal::XFSZ, "SIGXFSZ"),
            (Signal::SYS, "SIGSYS"),
        ]
        .into_iter()
        .find_map(|(signal, name)| (signal.as_raw() == number).then_some(name))
    }

    /// How a process with this status ended; `None` if it has not.
    pub(crate) fn from_status(status: ExitStatus) -> Option<Self> {
        status.code().map(Self::Code).or_else(|| status.signal().map(Self::Signal))
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.signal_name()) {
            (Self::Code(code), _) => write!(f, "exit code {code}"),
            (Self::Signal(number), Some(name)) => write!(f, "signal {number} ({name})"),
            (Self::Signal(number), None) => write!(f, "signal {number}"),
        }
    }
}
