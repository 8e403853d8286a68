//! Judgement: the words of a verdict and the rules that turn many verdicts into one.
//!
//! `word` holds the words, `rules` the rules, `exit` the exit statuses. Everything here is pure: it
//! sees results, never a subject, a transcript or a clock.

mod exit;
mod result;
mod rules;
mod word;

pub use exit::ExitStatus;
pub use result::{CheckResult, EvidenceRef, Reproduce, Stream};
pub use rules::{Judgement, conclude, fails_gate};
pub use word::{Cause, Conformance, FailOn, Gate, Level, Robustness, Scope, Verdict};
