//! The judges: pure functions from evidence to observations, one file for each area.
//!
//! A judge names what it observed and where; what that earns is said by the outcome table of the
//! [`Requirement`]. No judge talks to a subject, reads a clock or knows another judge.

mod answer;
mod asking;
mod declared;
mod evidence;
mod example;
mod handshake;
mod lifecycle;
mod listening;
mod lists;
mod notification;
mod reply;
mod resilience;
mod schema;
mod shape;
mod split;
mod stdout;
mod unread;
mod versions;
mod working;

pub use evidence::{Evidence, Observation, Reading};

use serde_json::Value;

use crate::catalogue::{Outcome, Requirement};

/// A judge: what it observed, in any order. Nothing observed means that there was nothing to judge.
pub type Judge = fn(&Evidence<'_>, &Requirement) -> Vec<Observation>;

const JUDGES: &[&[(&str, Judge)]] = &[
    stdout::JUDGES,
    shape::JUDGES,
    answer::JUDGES,
    notification::JUDGES,
    resilience::JUDGES,
    split::JUDGES,
    handshake::JUDGES,
    lifecycle::JUDGES,
    reply::JUDGES,
    schema::JUDGES,
    versions::JUDGES,
    declared::JUDGES,
    asking::JUDGES,
    lists::JUDGES,
    working::JUDGES,
    unread::JUDGES,
    listening::JUDGES,
    example::JUDGES,
];

/// The judge of this name.
#[must_use]
pub fn judge(name: &str) -> Option<Judge> {
    let all = JUDGES.iter().flat_map(|judges| judges.iter());
    all.clone().find(|(own, _)| *own == name).map(|(_, judge)| *judge)
}

/// What a requirement came to on some evidence.
#[derive(Debug)]
pub enum Judged<'a> {
    /// A row of the outcome table was met, by these observations.
    Met(&'a Outcome, Vec<Observation>),
    /// The subject's own declaration excludes it, for this reason.
    NotApplicable(String),
    /// Nothing could be observed, for this reason.
    Untestable(String),
    /// The judge and the table do not fit each other: our fault.
    Fault(String),
}

/// Judges one requirement on the evidence for one era and revision.
#[must_use]
pub fn judge_requirement<'a>(requirement: &'a Requirement, evidence: &Evidence<'_>) -> Judged<'a> {
    let Some(judge) = judge(&requirement.judge) else {
        return Judged::Fault(format!("there is no judge `{}`", requirement.judge));
    };
    if let Some(why) = undeclared(requirement, evidence) {
        return Judged::NotApplicable(why);
    }
    let mut observations = judge(evidence, requirement);
    let excused = observations.iter().position(|seen| seen.when == EXCUSED);
    if let Some(index) = excused {
        let excuse = observations.swap_remove(index);
        observations.retain(|seen| seen.when != EXCUSED);
        if observations.is_empty() {
            return Judged::NotApplicable(excuse.observed);
        }
    }
    if observations.is_empty() {
        return Judged::Untestable(evidence.why_nothing(requirement));
    }
    let known = |when: &str| requirement.outcome.iter().any(|row| row.when == when);
    if let Some(odd) = observations.iter().find(|seen| !known(&seen.when)) {
        return Judged::Fault(format!("the outcome table has no row `{}`", odd.when));
    }
    let Some(row) = requirement.outcome(|when| observations.iter().any(|seen| seen.when == when))
    else {
        return Judged::Fault("no row of the outcome table was met".into());
    };
    let met = observations.into_iter().filter(|seen| seen.when == row.when).collect();
    Judged::Met(row, met)
}

/// The observation of a judge that finds nothing of what it is about in what the subject offers; its text says what is
/// not there. It counts only where there is no other.
const EXCUSED: &str = "excused";

/// Why the subject's declaration excludes a requirement.
fn undeclared(requirement: &Requirement, evidence: &Evidence<'_>) -> Option<String> {
    let pointer = requirement.declares.as_deref()?;
    let declared = evidence.capabilities()?;
    let found = declared.pointer(pointer).is_some_and(|value| *value != Value::Bool(false));
    let name = pointer.trim_start_matches('/').replace('/', ".");
    (!found).then(|| format!("the subject does not declare `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn every_requirement_has_its_judge_and_every_judge_its_requirement() {
        let requirements = Catalogue::built_in().requirements();
        for requirement in requirements {
            assert!(judge(&requirement.judge).is_some(), "{}", requirement.id);
        }
        for (name, _) in JUDGES.iter().flat_map(|judges| judges.iter()) {
            assert!(requirements.iter().any(|row| row.judge == *name), "nobody asks {name}");
        }
    }
}
