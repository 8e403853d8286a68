//! Why a campaign could not be held at all.

use thiserror::Error;

use crate::subject::StartError;
use crate::verdict::ExitStatus;

/// Why a campaign could not be held. What the subject does wrong is no error but a finding.
#[derive(Debug, Error)]
pub enum CampaignError {
    /// The subject could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A pattern of `--only` or `--skip` is no glob.
    #[error("`{pattern}` is not a pattern: {problem}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no such revision.
    #[error("there is no revision `{revision}`; one of: {known}")]
    NoSuchRevision {
        /// The revision.
        revision: String,
        /// Those that there are.
        known: String,
    },
    /// A pattern of `--only` or `--skip` matches no requirement.
    #[error("`{pattern}` matches no requirement; see `pipeproof list`{}", similar(.suggestions))]
    MatchesNothing {
        /// The pattern.
        pattern: String,
        /// Ids that it may have meant.
        suggestions: Vec<String>,
    },
}

impl CampaignError {
    /// The status to exit with.
    #[must_use]
    pub const fn exit_status(&self) -> ExitStatus {
        ExitStatus::USAGE
    }
}

fn similar(suggestions: &[String]) -> String {
    if suggestions.is_empty() {
        return String::new();
    }
    format!("; did you mean `{}`?", suggestions.join("` or `"))
}
