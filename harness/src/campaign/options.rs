//! What the user chose.

use std::collections::BTreeSet;
use std::time::Duration;

use super::Profile;
use crate::protocol::Protocol;
use crate::scenario::CallTools;
use crate::session::Pacing;
use crate::verdict::FailOn;

/// What the user chose.
#[derive(Clone, Debug)]
pub struct Options {
    /// The protocol that the subject is held to.
    pub protocol: Protocol,
    /// How much is driven.
    pub profile: Profile,
    /// Globs over requirement ids; empty: all.
    pub only: Vec<String>,
    /// Globs over requirement ids that are left out.
    pub skip: Vec<String>,
    /// The seed of every random choice.
    pub seed: u64,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How long the first answer of a process may take.
    pub start_timeout: Duration,
    /// Which of the subject's tools may be called.
    pub call_tools: CallTools,
    /// What makes the gate fail; empty: a broken `must`.
    pub fail_on: BTreeSet<FailOn>,
    /// Lift tolerances and let a `should` refute.
    pub strict: bool,
    /// How cuts are kept apart; off only to show that it is needed.
    pub pacing: Pacing,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            protocol: Protocol::Mcp,
            profile: Profile::Standard,
            only: Vec::new(),
            skip: Vec::new(),
            seed: 0,
            timeout: Duration::from_secs(10),
            start_timeout: Duration::from_secs(20),
            call_tools: CallTools::ReadOnly,
            fail_on: BTreeSet::new(),
            strict: false,
            pacing: Pacing::PipeEmpty,
        }
    }
}
