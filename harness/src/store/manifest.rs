//! What a stored run says of itself beside its transcripts.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::campaign::{Options, Profile, Revisions, Run, Sessions, SubjectFacts};
use crate::protocol::Protocol;
use crate::scenario::CallTools;
use crate::subject::Subject;
use crate::verdict::FailOn;

/// The version of the form; a reader refuses what it does not know.
pub const FORMAT: u32 = 1;

/// The manifest of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the form.
    pub format: u32,
    /// The protocol that the subject was held to.
    protocol: String,
    /// `preferred`, `all`, or the revision that was asked for.
    revisions: String,
    profile: Profile,
    only: Vec<String>,
    skip: Vec<String>,
    seed: u64,
    call_tools: String,
    fail_on: BTreeSet<FailOn>,
    strict: bool,
    /// The folder that the subject was started in, where one was given.
    cwd: Option<PathBuf>,
    /// The subject.
    pub(crate) subject: SubjectFacts,
    /// When the run began.
    pub(crate) started: String,
    duration_ms: u64,
    /// How many times the subject was started.
    pub(crate) starts: usize,
    /// Whether the user broke it off.
    pub(crate) interrupted: bool,
    /// Which sessions belong together.
    pub(crate) sessions: Sessions,
}

impl Manifest {
    /// The manifest of a run. Variables of the subject's environment are not kept: they may be secrets.
    #[must_use]
    pub fn new(subject: &Subject, options: &Options, run: &Run) -> Self {
        Self {
            format: FORMAT,
            protocol: run.subject.protocol.clone(),
            revisions: match &options.revisions {
                Revisions::Preferred => "preferred".into(),
                Revisions::All => "all".into(),
                Revisions::One(revision) => revision.clone(),
            },
            profile: run.profile,
            only: options.only.clone(),
            skip: options.skip.clone(),
            seed: run.seed,
            call_tools: options.call_tools.as_str().into(),
            fail_on: run.fail_on.clone(),
            strict: run.strict,
            cwd: subject.cwd.clone(),
            subject: run.subject.clone(),
            started: run.started.clone(),
            duration_ms: u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX),
            starts: run.starts,
            interrupted: run.interrupted,
            sessions: run.sessions.clone(),
        }
    }

    /// How long the run took.
    pub(crate) const fn duration(&self) -> Duration {
        Duration::from_millis(self.duration_ms)
    }

    /// The protocol that the subject was held to; `None` where this version does not know it.
    pub(crate) fn protocol(&self) -> Option<Protocol> {
        [Protocol::Mcp, Protocol::JsonRpc].into_iter().find(|one| one.name() == self.protocol)
    }

    /// What the user chose, as far as judging depends on it.
    pub(crate) fn options(&self) -> Options {
        Options {
            protocol: self.protocol(),
            revisions: match self.revisions.as_str() {
                "preferred" => Revisions::Preferred,
                "all" => Revisions::All,
                revision => Revisions::One(revision.into()),
            },
            profile: self.profile,
            only: self.only.clone(),
            skip: self.skip.clone(),
            seed: self.seed,
            call_tools: self.call_tools.parse().unwrap_or(CallTools::ReadOnly),
            fail_on: self.fail_on.clone(),
            strict: self.strict,
            ..Options::default()
        }
    }

    /// The subject as commands show it; nobody starts it.
    pub(crate) fn subject(&self) -> Subject {
        let mut words = self.subject.command.iter().map(OsString::from);
        let program = words.next().unwrap_or_default();
        Subject { cwd: self.cwd.clone(), ..Subject::new(program, words) }
    }

    /// The names of all sessions, each once.
    pub(crate) fn session_names(&self) -> BTreeSet<&str> {
        let groups = self.sessions.groups.iter();
        let judged = groups.flat_map(|group| {
            let followed = group.again.values().chain(group.reduced.values());
            group.sessions.iter().chain(followed)
        });
        judged.chain(&self.sessions.aside).map(String::as_str).collect()
    }
}
