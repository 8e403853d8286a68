//! A row of an outcome table: an observation, and the verdict that it earns.
//!
//! Legal alternatives and known tolerances are rows here, so that no judge has to know of them.

use serde::{Deserialize, Serialize};

use crate::verdict::{Cause, Level, Verdict};

/// One observation that a judge can report and what it means. The first row met in the table decides.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The observation, as the judge names it.
    pub when: String,
    /// The verdict that it earns.
    pub verdict: Verdict,
    /// Why, when the verdict is `fail` or `warn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// The observation in words, for reports.
    pub text: String,
    /// Why a deviation is tolerated, where it is; `--strict` lifts the tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerated: Option<String>,
}

impl Outcome {
    /// The verdict that the row earns at a level, with or without tolerances.
    #[must_use]
    pub fn verdict(&self, level: Level, strict: bool) -> Verdict {
        if strict && self.tolerated.is_some() { level.ceiling() } else { self.verdict }
    }
}
