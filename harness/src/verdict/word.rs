//! The words of a verdict, one meaning each, spelled alike in every report.
//!
//! No rule stands here: how verdicts combine is the business of `super::rules`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Gives an enum of plain words its spelling, in text and in data, from one table.
macro_rules! words {
    ($name:ident: $what:literal { $($variant:ident = $text:literal),+ $(,)? }) => {
        impl $name {
            /// Every word of this kind, in the order of its declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The spelling used in every report and option.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|word| word.as_str() == text).ok_or_else(|| {
                    let known: Vec<&str> = Self::ALL.iter().map(|word| word.as_str()).collect();
                    format!("`{text}` is not a {}; one of: {}", $what, known.join(", "))
                })
            }
        }
    };
}

/// How binding a requirement is, taken from the text of its source and never from taste.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// MUST, MUST NOT, REQUIRED, or what the published schema forces.
    Must,
    /// SHOULD, SHOULD NOT, RECOMMENDED, or behaviour that is described without a keyword.
    Should,
    /// Permitted alternatives; the verdict records which one was seen.
    May,
    /// No clause, but reports from the field show the harm.
    Robust,
}

words!(Level: "level" { Must = "must", Should = "should", May = "may", Robust = "robust" });

impl Level {
    /// The worst verdict that a requirement of this level can earn.
    #[must_use]
    pub const fn ceiling(self) -> Verdict {
        match self {
            Self::Must => Verdict::Fail,
            Self::Should | Self::Robust => Verdict::Warn,
            Self::May => Verdict::Info,
        }
    }
}

/// What one check came to in one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Observed, and the requirement held.
    Pass,
    /// Observed, and a `must` did not hold.
    Fail,
    /// Observed, and a `should` or `robust` requirement did not hold, or a known deviation was tolerated.
    Warn,
    /// Observed, nothing is required; the observation is the value.
    Info,
    /// The subject's own declaration, or the revision, excludes the requirement.
    NotApplicable,
    /// The requirement applies, but what it takes to exercise it was lacking.
    Untestable,
    /// The user asked for it to be left out.
    Skip,
    /// Our fault or the machine's; never a pass.
    Error,
}

words!(Verdict: "verdict" {
    Pass = "pass", Fail = "fail", Warn = "warn", Info = "info", NotApplicable = "not-applicable",
    Untestable = "untestable", Skip = "skip", Error = "error",
});

/// Why a check failed or warned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A value is not the one that the clause asks for.
    Mismatch,
    /// A message does not have the shape that the specification gives it.
    Schema,
    /// The bytes do not divide into frames as the transport demands.
    Framing,
    /// Bytes stand on stdout that are no message.
    StrayOutput,
    /// A request was not answered, although the subject went on reading.
    NoAnswer,
    /// An answer came after its deadline.
    Late,
    /// Something was answered twice, or answered although it must not be.
    ExtraAnswer,
    /// An answer carries an id that is not its request's.
    WrongId,
    /// The process ended by itself while it was needed.
    Exited,
    /// The process was ended by a signal that we did not send.
    Signal,
    /// The process lives, but reacts to nothing any more.
    Hang,
    /// A limit on bytes, memory or processes was passed.
    Resource,
}

words!(Cause: "cause" {
    Mismatch = "mismatch", Schema = "schema", Framing = "framing", StrayOutput = "stray-output",
    NoAnswer = "no-answer", Late = "late", ExtraAnswer = "extra-answer", WrongId = "wrong-id",
    Exited = "exited", Signal = "signal", Hang = "hang", Resource = "resource",
});

impl Cause {
    /// Whether only the passing of time proves it, so that it has to be confirmed in a fresh process.
    #[must_use]
    pub const fn proven_by_time(self) -> bool {
        matches!(self, Self::NoAnswer | Self::Late | Self::Hang | Self::Resource)
    }
}

/// Whether the subject keeps the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conformance {
    /// Every requirement that applies and was exercised held.
    Conformant,
    /// No requirement was broken, but a recommendation was, or a deviation was tolerated.
    ConformantWithNotes,
    /// A requirement of the core applies and could not be judged.
    Inconclusive,
    /// A requirement was broken.
    NotConformant,
}

words!(Conformance: "conformance verdict" {
    Conformant = "conformant", ConformantWithNotes = "conformant-with-notes",
    Inconclusive = "inconclusive", NotConformant = "not-conformant",
});

/// Whether defects outside the specification were seen. It never changes the conformance verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Robustness {
    /// None was seen.
    Sound,
    /// At least one was seen.
    Defects,
}

words!(Robustness: "robustness verdict" { Sound = "sound", Defects = "defects" });

/// Whether the run passes, by the rule that the user chose with `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// Nothing of what the user asked to fail on was seen.
    Passed,
    /// Something of it was seen.
    Failed,
}

words!(Gate: "gate" { Passed = "passed", Failed = "failed" });

/// How much of the catalogue the verdict speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The whole catalogue of the protocol: the verdict is a certificate.
    Full,
    /// A selection: a verdict over what was selected, no certificate.
    Partial,
}

words!(Scope: "scope" { Full = "full", Partial = "partial" });

/// What makes the gate fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// A broken `must`.
    Must,
    /// A broken `must` or `should`, or a tolerated deviation from either.
    Should,
    /// A defect outside the specification.
    Robust,
    /// Any of these.
    Any,
}

words!(FailOn: "condition to fail on" {
    Must = "must", Should = "should", Robust = "robust", Any = "any",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_spelled_alike_in_text_and_data() {
        for verdict in Verdict::ALL {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.as_str());
            assert_eq!(verdict.as_str().parse(), Ok(*verdict));
        }
        for cause in Cause::ALL {
            assert_eq!(serde_json::to_value(cause).unwrap(), cause.as_str());
        }
        for conformance in Conformance::ALL {
            assert_eq!(serde_json::to_value(conformance).unwrap(), conformance.as_str());
        }
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_known_ones() {
        let error = "must-not".parse::<Level>().unwrap_err();
        assert_eq!(error, "`must-not` is not a level; one of: must, should, may, robust");
    }
}
