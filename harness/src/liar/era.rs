//! Which eras a server serves.

use std::fmt;
use std::str::FromStr;

use crate::protocol::Era;

/// The eras that the server serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EraChoice {
    /// Only the one that begins with `initialize`.
    Legacy,
    /// Only the stateless one.
    Modern,
    /// Both; each request is answered in the era that it is written in.
    #[default]
    Dual,
    /// None: plain JSON-RPC 2.0.
    Plain,
}

impl EraChoice {
    /// Every choice.
    pub const ALL: [Self; 4] = [Self::Legacy, Self::Modern, Self::Dual, Self::Plain];

    /// The spelling used in options.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
            Self::Dual => "dual",
            Self::Plain => "plain",
        }
    }
}

impl From<Era> for EraChoice {
    fn from(era: Era) -> Self {
        match era {
            Era::Legacy => Self::Legacy,
            Era::Modern => Self::Modern,
            Era::Plain => Self::Plain,
        }
    }
}

impl fmt::Display for EraChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for EraChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == text).ok_or_else(|| {
            format!("`{text}` is no choice of eras; one of: legacy, modern, dual, plain")
        })
    }
}
