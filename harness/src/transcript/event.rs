//! What can happen in a session.

use serde::{Deserialize, Serialize};

use super::{Bytes, Mark};

/// A fact and when it was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Microseconds since the session's start.
    pub at: u64,
    /// What was seen.
    pub fact: Fact,
}

/// Something that happened. One value of the on-disk form: `{"received": "…"}`, `"taken"`, `{"exited": {…}}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// The process was started.
    Spawned {
        /// Its pid.
        pid: u32,
    },
    /// The scenario says what it is about to do, or what came of it.
    Mark(Mark),
    /// We wrote these bytes to stdin in one write: one chunk.
    Sent(Bytes),
    /// Everything sent so far has been read by the subject: the pipe was seen empty.
    Taken,
    /// A write to stdin failed; the text is the system's.
    WriteFailed(String),
    /// We closed stdin.
    StdinClosed,
    /// One read from stdout gave these bytes.
    Received(Bytes),
    /// Stdout came to its end.
    StdoutEnded,
    /// One read from stderr gave these bytes.
    Logged(Bytes),
    /// Stderr came to its end.
    StderrEnded,
    /// A limit of ours was reached and we stopped reading; the text names it.
    Capped(String),
    /// Stderr went on beyond this many bytes; the rest was read and not recorded.
    LogCapped(u64),
    /// We sent this signal to the process group.
    Signalled(String),
    /// The process exited with this code.
    Exited(i32),
    /// The process was ended by this signal.
    Killed(i32),
    /// After the exit, these processes that it had started still ran; we ended them.
    Left(Vec<LeftProcess>),
    /// After the exit, nothing that it had started was found running.
    NothingLeft,
    /// Our own scheduling fell behind by this many microseconds, so deadlines near here prove little.
    Lagged(u64),
}

/// A process that outlived its session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftProcess {
    /// Its pid.
    pub pid: u32,
    /// Its name, as the system gives it.
    pub name: String,
}
