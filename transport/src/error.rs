//! The one error of the crate's faces.
//!
//! Pure modules have small error types of their own; here they are the source. The end of a
//! stream and a normal close are values, never errors.

use std::fmt;
use std::io;

use crate::line::EncodeError;
use crate::message::MessageError;
#[cfg(all(feature = "process", unix))]
use crate::process::Exit;

/// Why reading, writing, starting or ending failed.
///
/// Opaque: ask [`kind`](Self::kind), [`offset`](Self::offset) and `source`. Where a child is
/// involved, it also tells how the child ended and what it last wrote to stderr.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    offset: Option<u64>,
    /// What it is about: a program, a directory.
    subject: Option<String>,
    source: Option<Source>,
    #[cfg(all(feature = "process", unix))]
    exit: Option<Exit>,
    #[cfg(all(feature = "process", unix))]
    stderr: Vec<u8>,
}

#[derive(Debug)]
enum Source {
    Io(io::Error),
    Encode(EncodeError),
    Message(MessageError),
}

/// What sort of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused to read or write.
    Io,
    /// This end was closed before.
    Closed,
    /// The peer does not read any more.
    PeerGone,
    /// The text cannot be one frame.
    Frame,
    /// A line holds no message, and the policy fails on it.
    Malformed,
    /// A line is over the limit, and the policy fails on it.
    TooLong,
    /// The last line has no line end, and the policy fails on it.
    Unterminated,
    /// There is no such program.
    NotFound,
    /// The program may not be executed.
    NotExecutable,
    /// The program is a directory.
    IsDirectory,
    /// The program is there, but the interpreter or loader that it names is not.
    InterpreterNotFound,
    /// The directory to start in is none.
    WorkingDirectory,
    /// The system refused to start the program for another reason.
    Spawn,
    /// The end of the child could not be observed; somebody else may have reaped it.
    Wait,
    /// A signal could not be sent.
    Signal,
    /// The child was still there after the last step of the shutdown.
    Timeout,
    /// There is no tokio runtime with I/O here.
    NoRuntime,
}

impl Error {
    /// What sort of failure it is.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The byte of the stream at which it happened, if it is about one; for
    /// [`ErrorKind::Frame`] the byte of the text.
    #[must_use]
    pub const fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// How the child had ended when the error arose, if it had.
    #[cfg(all(feature = "process", unix))]
    #[must_use]
    pub const fn exit(&self) -> Option<Exit> {
        self.0.exit
    }

    /// The last bytes that the child had written to stderr when the error arose.
    #[cfg(all(feature = "process", unix))]
    #[must_use]
    pub fn stderr_tail(&self) -> &[u8] {
        &self.0.stderr
    }

    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            kind,
            offset: None,
            subject: None,
            source: None,
            #[cfg(all(feature = "process", unix))]
            exit: None,
            #[cfg(all(feature = "process", unix))]
            stderr: Vec::new(),
        }))
    }

    pub(crate) fn read(error: io::Error, offset: u64) -> Self {
        Self::new(ErrorKind::Io).with_io(error).at(offset)
    }

    pub(crate) fn write(error: io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => ErrorKind::PeerGone,
            _ => ErrorKind::Io,
        };
        Self::new(kind).with_io(error)
    }

    pub(crate) fn malformed(error: MessageError, offset: u64) -> Self {
        let mut this = Self::new(ErrorKind::Malformed).at(offset);
        this.0.source = Some(Source::Message(error));
        this
    }

    pub(crate) fn at(mut self, offset: u64) -> Self {
        self.0.offset = Some(offset);
        self
    }

    #[cfg(all(feature = "process", unix))]
    pub(crate) fn about(mut self, subject: impl Into<String>) -> Self {
        self.0.subject = Some(subject.into());
        self
    }

    pub(crate) fn with_io(mut self, error: io::Error) -> Self {
        self.0.source = Some(Source::Io(error));
        self
    }

    #[cfg(all(feature = "process", unix))]
    pub(crate) fn with_child(mut self, exit: Option<Exit>, stderr: Vec<u8>) -> Self {
        self.0.exit = self.0.exit.or(exit);
        if self.0.stderr.is_empty() {
            self.0.stderr = stderr;
        }
        self
    }
}

impl From<EncodeError> for Error {
    fn from(error: EncodeError) -> Self {
        let mut this = Self::new(ErrorKind::Frame).at(error.offset as u64);
        this.0.source = Some(Source::Encode(error));
        this
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Io => "input or output failed",
            Self::Closed => "link is closed",
            Self::PeerGone => "peer is gone",
            Self::Frame => "text is no frame",
            Self::Malformed => "line holds no message",
            Self::TooLong => "line is over the limit",
            Self::Unterminated => "last line has no line end",
            Self::NotFound => "program not found",
            Self::NotExecutable => "program is not executable",
            Self::IsDirectory => "program is a directory",
            Self::InterpreterNotFound => "interpreter of the program not found",
            Self::WorkingDirectory => "working directory cannot be entered",
            Self::Spawn => "program could not be started",
            Self::Wait => "end of the child could not be observed",
            Self::Signal => "signal could not be sent",
            Self::Timeout => "child did not end in time",
            Self::NoRuntime => "no tokio runtime with input and output",
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.kind)?;
        if let Some(subject) = &self.0.subject {
            write!(f, ": {subject}")?;
        }
        if let Some(offset) = self.0.offset {
            write!(f, " at byte {offset}")?;
        }
        #[cfg(all(feature = "process", unix))]
        {
            if let Some(exit) = self.0.exit {
                write!(f, " (child ended with {exit})")?;
            }
            if let Some(line) = last_line(&self.0.stderr) {
                write!(f, " (last on stderr: {line:?})")?;
            }
        }
        Ok(())
    }
}

/// The last line that is not blank, cut to what fits in a message.
#[cfg(all(feature = "process", unix))]
fn last_line(stderr: &[u8]) -> Option<String> {
    const SHOWN: usize = 200;
    let line = stderr
        .rsplit(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty())?;
    let shown = &line[..line.len().min(SHOWN)];
    Some(String::from_utf8_lossy(shown).into_owned())
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Error");
        debug.field("kind", &self.0.kind);
        if let Some(offset) = &self.0.offset {
            debug.field("offset", offset);
        }
        if let Some(subject) = &self.0.subject {
            debug.field("subject", subject);
        }
        if let Some(source) = &self.0.source {
            debug.field("source", source);
        }
        #[cfg(all(feature = "process", unix))]
        if let Some(exit) = &self.0.exit {
            debug.field("exit", exit);
        }
        #[cfg(all(feature = "process", unix))]
        if !self.0.stderr.is_empty() {
            debug.field("stderr", &String::from_utf8_lossy(&self.0.stderr));
        }
        debug.finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match self.0.source.as_ref()? {
            Source::Io(error) => error,
            Source::Encode(error) => error,
            Source::Message(error) => error,
        })
    }
}
