//! Straight-line programs that drive a session and mark what they do. They name no verdict.
//!
//! A scenario speaks the [`Dialect`](crate::protocol::Dialect) that it is given, so one program serves every era and
//! revision. What to look at afterwards is the business of the [`crate::check`]s.

mod conversation;
mod cuts;
mod driver;
mod end;
mod malformed;
mod probe;

pub use driver::{Deadlines, Driver, Stopped};
pub use malformed::LINES as MALFORMED_LINES;
pub use probe::Found;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::str::FromStr;

use crate::campaign::Profile;

/// A program over a [`Driver`], with what the campaign needs to know of it.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name, which stands in the names of sessions.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// The profile from which on it is part of a run.
    pub profile: Profile,
    /// The stimuli that it holds, by name.
    pub stimuli: &'static [&'static str],
    /// Which session it drives when several are needed, counted from 0.
    pub part: usize,
    run: Program,
}

type Program = for<'a> fn(&'a mut Driver, usize) -> Run<'a>;
type Run<'a> = Pin<Box<dyn Future<Output = Result<(), Stopped>> + 'a>>;

impl Scenario {
    /// Every scenario that is driven once the era is known, in the order in which they are driven.
    pub const ALL: &'static [Self] =
        &[conversation::SCENARIO, cuts::SCENARIO, malformed::SCENARIO, end::SCENARIO];

    /// The scenario that finds out which eras the subject answers in.
    pub const PROBE: Self = probe::SCENARIO;

    /// The scenario that finds out whether a subject of the modern era answers in the other one too.
    pub const PROBE_LEGACY: Self = probe::LEGACY;

    /// The scenario of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = Self::ALL.iter().chain(&[Self::PROBE, Self::PROBE_LEGACY]);
        all.copied().find(|scenario| scenario.name == name)
    }

    /// Drives the session.
    ///
    /// # Errors
    ///
    /// When the subject does not let it come to its end; the transcript says where.
    pub async fn drive(&self, driver: &mut Driver) -> Result<(), Stopped> {
        (self.run)(driver, self.part).await
    }

    /// Whether it opens the session, so that it says nothing where that fails.
    #[must_use]
    pub fn opens(&self) -> bool {
        !matches!(self.name, "end" | "probe" | "probe-legacy")
    }

    /// The same scenario, beginning with a later part of its work.
    #[must_use]
    pub const fn from_part(mut self, part: usize) -> Self {
        self.part = part;
        self
    }
}

/// Which of the subject's tools may be called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallTools {
    /// Those that say of themselves that they only read.
    #[default]
    ReadOnly,
    /// All.
    All,
    /// None.
    None,
}

impl CallTools {
    /// The spelling used in options.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::All => "all",
            Self::None => "none",
        }
    }
}

impl fmt::Display for CallTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for CallTools {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::ReadOnly, Self::All, Self::None]
            .into_iter()
            .find(|choice| choice.as_str() == text)
            .ok_or_else(|| format!("`{text}` is no choice of tools; one of: read-only, all, none"))
    }
}
