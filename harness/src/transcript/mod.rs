//! The record of a session: every byte in both directions and on stderr, with time and chunk boundaries.
//!
//! A transcript is recorded first and judged later, also again and without the subject, and it can be written by
//! hand. It holds facts and the scenario's [`Mark`]s; it knows no verdict. Reading frames and calls out of it is the
//! business of the [`crate::ledger`].

mod bytes;
mod disk;
mod event;
mod mark;

pub use bytes::{Bytes, escape};
pub use disk::TranscriptError;
pub use event::{Event, Fact, LeftProcess};
pub use mark::{Expect, Mark, PLANNED};

use serde::{Deserialize, Serialize};

use crate::protocol::Era;

/// The version of the on-disk form; a reader refuses what it does not know.
pub const FORMAT: u32 = 1;

/// One session, from spawn to reaped.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// What was driven, and how.
    pub header: Header,
    /// What happened, in order of time.
    pub events: Vec<Event>,
}

/// What a transcript has to say of itself, so that it can be judged without the run that it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The version of the on-disk form.
    pub format: u32,
    /// The session's name within its run, such as `s02-conversation`.
    pub session: String,
    /// The scenario that drove it.
    pub scenario: String,
    /// The step of the scenario that it began with.
    #[serde(default)]
    pub part: usize,
    /// The split plan that everything was sent by; empty: nothing was cut but where a stimulus says so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub plan: String,
    /// Where the only stimulus that matters is cut instead, when the plan was reduced to what shows a finding; all else
    /// was sent whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<usize>,
    /// The protocol that was spoken.
    pub protocol: String,
    /// The era that was spoken.
    pub era: Era,
    /// The revision that was asked for.
    pub revision: String,
    /// The program and its arguments.
    #[serde(default)]
    pub command: Vec<String>,
    /// The seed of the run.
    #[serde(default)]
    pub seed: u64,
    /// The version of the catalogue that the scenario was written for.
    #[serde(default)]
    pub catalogue: String,
}
