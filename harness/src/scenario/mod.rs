//! Straight-line programs that drive a session and mark what they do. They name no verdict.
//!
//! A scenario speaks the [`Dialect`](crate::protocol::Dialect) that it is given, so one program serves every era and
//! revision. What to look at afterwards is the business of the [`crate::check`]s.

mod bearing;
mod cancellation;
mod conversation;
mod cuts;
mod driver;
mod ends;
mod examples;
mod features;
mod full_client;
mod listed;
mod malformed;
mod probe;
mod refusals;
mod stateless;
mod versions;

pub use driver::{Deadlines, Driver, Settings, Stopped, Wanted};
pub use listed::Listed;
pub use probe::Found;
pub use versions::asked as asked_versions;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::str::FromStr;

use crate::campaign::Profile;
use crate::protocol::{Era, Protocol};

/// A program over a [`Driver`], with what the campaign needs to know of it.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name, which stands in the names of sessions.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// The profile from which on it is part of a run.
    pub profile: Profile,
    /// The protocols that it speaks.
    pub protocols: &'static [Protocol],
    /// The only era that it makes sense in, if it is not all.
    pub era: Option<Era>,
    /// The stimuli that it holds, by name.
    pub stimuli: &'static [&'static str],
    /// Whether it begins with the opening of the session, so that it says nothing where that fails.
    pub opens: bool,
    /// Whether it speaks as a client that declares everything it can.
    pub declares_all: bool,
    /// In how many steps it is divided: where the subject does not go on at one, a fresh process goes on with the next.
    pub steps: usize,
    /// The step that it begins with, counted from 0.
    pub part: usize,
    run: Program,
}

/// The program itself; the number is the step to begin with.
type Program = for<'a> fn(&'a mut Driver, usize) -> Run<'a>;
type Run<'a> = Pin<Box<dyn Future<Output = Result<(), Stopped>> + 'a>>;
/// One step of a program that is divided.
type Step = for<'a> fn(&'a mut Driver) -> Run<'a>;

/// Walks through the steps from one on, as far as the session is held for them, and takes note of where it is.
async fn walk(driver: &mut Driver, steps: &[Step], from: usize) -> Result<(), Stopped> {
    for (number, step) in steps.iter().enumerate().skip(from) {
        if driver.settings().wants(number) {
            driver.step(number);
            step(driver).await?;
            if driver.settings().only.is_empty() {
                // Whoever does not bear a later step has shown by then what it does in this one.
                driver.settle().await;
            }
        }
    }
    driver.settle().await;
    Ok(())
}

impl Scenario {
    /// What scenarios have in common unless they say otherwise.
    const BASE: Self = Self {
        name: "",
        about: "",
        profile: Profile::Standard,
        protocols: &[Protocol::Mcp, Protocol::JsonRpc],
        era: None,
        stimuli: &[],
        opens: true,
        declares_all: false,
        steps: 1,
        part: 0,
        run: |_, _| Box::pin(async { Ok(()) }),
    };

    /// Every scenario that is driven once the dialect is known, in the order in which they are driven.
    pub const ALL: &'static [Self] = &[
        conversation::SCENARIO,
        bearing::SCENARIO,
        examples::SCENARIO,
        cuts::SCENARIO,
        malformed::SCENARIO,
        ends::EARLY,
        full_client::SCENARIO,
        ends::PENDING,
        stateless::LISTENING,
        ends::BEFORE,
    ];

    /// The scenarios that are driven again by every split plan, one for each protocol.
    pub const PLANNED: &'static [Self] = &[conversation::SCENARIO, examples::SCENARIO];

    /// The scenario that finds out which eras the subject answers in.
    pub const PROBE: Self = probe::SCENARIO;

    /// The scenario that finds out whether a subject of the modern era answers in the other one too.
    pub const PROBE_LEGACY: Self = probe::LEGACY;

    /// The scenario that asks for another revision, each in a process of its own.
    pub const VERSION: Self = versions::SCENARIO;

    /// The scenario of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let special = [Self::PROBE, Self::PROBE_LEGACY, Self::VERSION];
        Self::ALL.iter().copied().chain(special).find(|scenario| scenario.name == name)
    }

    /// Whether it is driven in an era of a protocol.
    #[must_use]
    pub fn serves(&self, protocol: &str, era: Era) -> bool {
        self.protocols.iter().any(|own| own.name() == protocol)
            && self.era.is_none_or(|only| only == era)
    }

    /// Drives the session.
    ///
    /// # Errors
    ///
    /// When the subject does not let it come to its end; the transcript says where.
    pub async fn drive(&self, driver: &mut Driver) -> Result<(), Stopped> {
        (self.run)(driver, self.part).await
    }

    /// The same scenario, beginning with a later step.
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
