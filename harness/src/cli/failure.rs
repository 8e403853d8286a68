//! What ends the program early: a failure with its exit status, and a panic.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;

use crate::report::printable;
use crate::verdict::ExitStatus;

/// Why the program cannot go on, and the status that it ends with.
#[derive(Debug)]
pub(super) struct Failure {
    status: u8,
    error: anyhow::Error,
    hint: Option<String>,
}

impl Failure {
    /// A failure with the status of `status`.
    pub(super) fn new(status: ExitStatus, error: impl Into<anyhow::Error>) -> Self {
        Self { status: status.code(), error: error.into(), hint: None }
    }

    /// A failure with a status that is none of our own.
    pub(super) fn with_code(status: u8, error: impl Into<anyhow::Error>) -> Self {
        Self { status, error: error.into(), hint: None }
    }

    /// The user has to change something.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::new(ExitStatus::USAGE, anyhow::Error::msg(message.into()))
    }

    /// Adds what the user may do about it.
    pub(super) fn with_hint(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// Says on stderr what happened; the exit code.
    pub(super) fn tell(self) -> ExitCode {
        let mut text = String::from("error: ");
        let mut said = String::new();
        for cause in self.error.chain() {
            let cause = cause.to_string();
            // Some errors repeat the one below them.
            if !said.contains(&cause) {
                text.push_str(if said.is_empty() { "" } else { ": " });
                text.push_str(&printable(&cause));
                said = cause;
            }
        }
        if let Some(hint) = &self.hint {
            text.push_str("\nhint: ");
            text.push_str(&printable(hint));
        }
        // Nothing can be said where nobody reads.
        let _unread = writeln!(io::stderr(), "{text}");
        ExitCode::from(self.status)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(ExitStatus::INTERNAL, error)
    }
}

/// Makes a panic say what it means to the user.
pub(super) fn report_panics() {
    panic::set_hook(Box::new(|panic| {
        let what = message(panic.payload());
        let place = panic.location().map(|place| format!(" at {place}")).unwrap_or_default();
        let version = env!("CARGO_PKG_VERSION");
        let mut text = format!(
            "error: fault of pipeproof {version} itself{place}: {}\n\
             The server that was certified is not to blame. Please report this text, with the command line, {}.\n",
            printable(&what),
            address(),
        );
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            text.push_str(&trace.to_string());
        }
        let _unread = io::stderr().write_all(text.as_bytes());
    }));
}

fn address() -> String {
    match env!("CARGO_PKG_REPOSITORY") {
        "" => "to the authors".into(),
        repository => format!("at {repository}/issues"),
    }
}

fn message(payload: &dyn Any) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).into()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "it gave no reason".into()
    }
}
