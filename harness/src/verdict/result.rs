//! The result of one check: its verdict, what was expected and observed, and the bytes that prove it.

use serde::{Deserialize, Serialize};

use super::{Cause, Level, Verdict};
use crate::protocol::Era;

/// What one check came to for one (era, revision) of the subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// The requirement's id, such as `mcp.rpc.id-echo`; its meaning never changes.
    pub id: String,
    /// How binding the requirement is.
    pub level: Level,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, when the verdict is `fail` or `warn`.
    pub cause: Option<Cause>,
    /// Whether a finding that time had proven was not seen again when it was looked for alone.
    pub flaky: bool,
    /// The era of the protocol that was judged.
    pub era: Era,
    /// The revision that was in force.
    pub revision: String,
    /// The clause, or the source, that the requirement rests on.
    pub clause: String,
    /// The requirement in one sentence.
    pub summary: String,
    /// The row of the outcome table that was met, such as `stray`; empty when no judge ran.
    pub outcome: String,
    /// What the clause asks for.
    pub expected: String,
    /// What was seen, or why nothing could be.
    pub observed: String,
    /// Where in the transcripts it stands.
    pub evidence: Vec<EvidenceRef>,
    /// The last words of the subject on stderr, where they matter; bounded, made printable.
    pub stderr: Option<String>,
    /// How to see it again, when the verdict is `fail` or `warn`.
    pub reproduce: Option<Reproduce>,
}

/// The stream of a session that a piece of evidence lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stream {
    /// What we wrote to the subject.
    Stdin,
    /// What the subject wrote as protocol.
    Stdout,
    /// What the subject wrote as log.
    Stderr,
    /// An event of the process, not bytes: an exit, a process left behind.
    Process,
}

/// A span of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceRef {
    /// The session's name within the run, such as `s02-conversation`.
    pub transcript: String,
    /// The stream.
    pub stream: Stream,
    /// Offset of the first byte in that stream, counted from the start of the session.
    pub offset: u64,
    /// Number of bytes; 0 for an event or for a silence.
    pub len: u64,
    /// Microseconds since the session's start.
    pub at: u64,
    /// The bytes, escaped as `\n`, `\t`, `\xNN` and bounded, or the event in words.
    pub excerpt: String,
}

/// Two commands that show a finding again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reproduce {
    /// A command of ours.
    pub pipeproof: String,
    /// A command that needs only a POSIX shell, printf, sleep and timeout.
    pub shell: String,
}
