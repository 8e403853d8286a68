//! What a campaign yields: one value that every report is written from.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::protocol::Era;
use crate::transcript::Transcript;
use crate::verdict::{
    CheckResult, Conformance, ExitStatus, FailOn, Gate, Robustness, Scope, Verdict,
};

/// How much is driven.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Few sessions, and most of the core; partial scope.
    Quick,
    /// Every scenario on the preferred revision of each era.
    #[default]
    Standard,
}

impl Profile {
    /// The spelling used in every report and option.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
        }
    }
}

/// A whole certification: what was asked, what was seen, what it comes to.
#[derive(Clone, Debug)]
pub struct Run {
    /// The verdict over all eras and revisions that were judged.
    pub conformance: Conformance,
    /// Whether defects outside the specification were seen.
    pub robustness: Robustness,
    /// Whether the run passes by the user's rule.
    pub gate: Gate,
    /// Whether the whole catalogue or a selection was judged.
    pub scope: Scope,
    /// The status that the process ends with.
    pub exit: ExitStatus,
    /// Whether the user broke it off; then the results are those of the sessions that had ended.
    pub interrupted: bool,
    /// The program under test and what it said of itself.
    pub subject: SubjectFacts,
    /// The seed that rebuilds every random choice.
    pub seed: u64,
    /// How much was driven.
    pub profile: Profile,
    /// What makes the gate fail; empty: a broken `must`.
    pub fail_on: BTreeSet<FailOn>,
    /// Whether tolerances were lifted and a `should` refutes.
    pub strict: bool,
    /// When the run began, RFC 3339 in UTC, to the second.
    pub started: String,
    /// How long it took.
    pub duration: Duration,
    /// How many times the subject was started.
    pub starts: usize,
    /// The cuts that were planned and those that reached the subject as planned.
    pub delivery: Delivery,
    /// One result for each requirement of each (era, revision) judged, in the catalogue's order.
    pub results: Vec<CheckResult>,
    /// Which sessions were judged together.
    pub sessions: Sessions,
    /// What was recorded, one transcript a session, in the order of their start.
    pub transcripts: Vec<Transcript>,
}

impl Run {
    /// How many results have each of the eight verdicts; every verdict is present.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<Verdict, usize> {
        let mut counts: BTreeMap<Verdict, usize> = Verdict::ALL.iter().map(|v| (*v, 0)).collect();
        for result in &self.results {
            *counts.entry(result.verdict).or_default() += 1;
        }
        counts
    }
}

/// Which sessions were judged together, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sessions {
    /// One for each dialect, in the order of the results.
    pub groups: Vec<Together>,
    /// Those that were not judged.
    pub aside: Vec<String>,
}

/// The sessions of one dialect, by their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Together {
    /// The era.
    pub era: Era,
    /// The revision that was asked for.
    pub asked: String,
    /// The sessions, in the order in which they are judged.
    pub sessions: Vec<String>,
    /// Sessions that were held again, alone and with more patience, each with the one that repeats it.
    pub again: BTreeMap<String, String>,
    /// Sessions that show a finding with as few cuts as will do, by the requirement that they break.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reduced: BTreeMap<String, String>,
}

/// What is known of the subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectFacts {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The protocol it was judged by, such as `mcp`.
    pub protocol: String,
    /// The eras it answers in.
    pub eras: Vec<Era>,
    /// The revisions that it was seen to accept or to announce.
    pub revisions: Vec<String>,
    /// Its name, as it gave it.
    pub name: Option<String>,
    /// Its version, as it gave it.
    pub version: Option<String>,
}

/// How many of the cuts planned became real.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// Cuts that the split plans asked for.
    pub planned: usize,
    /// Cuts at which the subject had taken everything before the cut before it was given more.
    pub delivered: usize,
}

/// What happens while a campaign runs: the stream that reports are written from.
#[derive(Clone, Debug)]
pub enum RunEvent<'a> {
    /// The campaign begins.
    Started {
        /// The program and its arguments.
        command: &'a [String],
        /// The seed of the run.
        seed: u64,
        /// How much will be driven.
        profile: Profile,
    },
    /// The eras of the subject are known.
    EraFound {
        /// What is known of the subject now.
        subject: &'a SubjectFacts,
    },
    /// A session with the subject begins.
    SessionStarted {
        /// Its name within the run.
        session: &'a str,
        /// What is driven in it, in a few words.
        about: &'a str,
    },
    /// A session has ended and its process is gone.
    SessionEnded {
        /// Its name within the run.
        session: &'a str,
        /// How long it took.
        took: Duration,
    },
    /// A check was judged.
    Judged {
        /// Its result; a confirmation may still change it before the end.
        result: &'a CheckResult,
    },
    /// The campaign is over.
    Finished {
        /// Everything.
        run: &'a Run,
    },
}
