//! What the user chose.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::{CampaignError, Profile};
use crate::protocol::Protocol;
use crate::scenario::CallTools;
use crate::session::Pacing;
use crate::subject::Hints;
use crate::verdict::FailOn;

/// Which revisions of its protocol a subject is judged by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Revisions {
    /// The one that it prefers in each era that it answers in.
    #[default]
    Preferred,
    /// Every one that it accepts.
    All,
    /// This one.
    One(String),
}

/// What the user chose.
#[derive(Clone, Debug)]
pub struct Options {
    /// The protocol that the subject is held to; `None`: the one that it is found to speak.
    pub protocol: Option<Protocol>,
    /// Which revisions are judged.
    pub revisions: Revisions,
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
    /// What the user knows of the subject.
    pub hints: Hints,
    /// The file that they come from, for the commands that show a finding again.
    pub hints_file: Option<PathBuf>,
    /// How many sessions are held at once; at least one.
    pub jobs: usize,
    /// What makes the gate fail; empty: a broken `must`.
    pub fail_on: BTreeSet<FailOn>,
    /// Lift tolerances and let a `should` refute.
    pub strict: bool,
    /// Whether whole sessions are cut by split plans, and not only single requests.
    pub cut_sessions: bool,
    /// How cuts are kept apart; off only to show that it is needed.
    pub pacing: Pacing,
}

impl Options {
    /// Whether there is the revision that the user wants judged.
    ///
    /// # Errors
    ///
    /// When no protocol that the subject may be held to has it.
    pub(super) fn check_revision(&self) -> Result<(), CampaignError> {
        let Revisions::One(revision) = &self.revisions else { return Ok(()) };
        let all = [Protocol::Mcp, Protocol::JsonRpc];
        let held = all.into_iter().filter(|one| self.protocol.is_none_or(|own| own == *one));
        let known: Vec<&str> = held.flat_map(Protocol::revisions).collect();
        if known.contains(&revision.as_str()) {
            return Ok(());
        }
        Err(CampaignError::NoSuchRevision { revision: revision.clone(), known: known.join(", ") })
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            protocol: Some(Protocol::Mcp),
            revisions: Revisions::Preferred,
            profile: Profile::Standard,
            only: Vec::new(),
            skip: Vec::new(),
            seed: 0,
            timeout: Duration::from_secs(10),
            start_timeout: Duration::from_secs(20),
            call_tools: CallTools::ReadOnly,
            hints: Hints::default(),
            hints_file: None,
            jobs: 1,
            fail_on: BTreeSet::new(),
            strict: false,
            cut_sessions: true,
            pacing: Pacing::PipeEmpty,
        }
    }
}
