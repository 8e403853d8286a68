//! One requirement: a clause of a specification, with its level and the revisions that it binds.

use serde::{Deserialize, Serialize};

use super::Outcome;
use crate::protocol::Era;
use crate::verdict::{Level, Verdict};

/// One clause, or one report from the field, that a subject is held to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// The id, such as `mcp.rpc.id-echo`. It never changes meaning.
    pub id: String,
    /// How binding it is.
    pub level: Level,
    /// The requirement as a headline.
    pub title: String,
    /// What is required, in one or two sentences of our own.
    pub requirement: String,
    /// What breaks in the field when it does not hold, or why the row is read as it is.
    pub why: String,
    /// Where it is written.
    pub clause: Clause,
    /// The first revision that it binds; absent: the first there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// The last revision that it binds; absent: the last there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// It binds only subjects that answer in this era and in no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_era: Option<Era>,
    /// The capability without which it does not apply: a JSON pointer into what the subject declares, such as `/tools`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declares: Option<String>,
    /// What it takes to exercise it, in words, where a subject can lack that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
    /// The shapes of messages that it is about, as [`crate::shape`] names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<String>,
    /// The places in these shapes that it is about, as JSON pointers in which `*` stands for one step and a last `**` for
    /// any; empty: those that no other requirement claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// The split plans of whole sessions that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<String>,
    /// The judge, by its name in the table of [`crate::check`].
    pub judge: String,
    /// The stimuli without which nothing can be said; empty for a passive check.
    #[serde(default)]
    pub stimuli: Vec<String>,
    /// Whether it belongs to the core, and why; absent: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<Core>,
    /// The outcome table, most telling row first.
    pub outcome: Vec<Outcome>,
}

/// Where a requirement is written, by era; a page of the specification or a report.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// The place for every era that has none of its own; `{revision}` stands for the revision.
    pub all: String,
    /// The place in the modern era.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modern: Option<String>,
}

/// Membership of the core: the requirements that a certificate cannot do without.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// The revisions whose core it belongs to: a frozen list, extended only with a new revision.
    pub revisions: Vec<String>,
    /// Why it can always be judged.
    pub reason: String,
}

impl Requirement {
    /// The protocol: the first word of the id.
    #[must_use]
    pub fn protocol(&self) -> &str {
        self.id.split('.').next().unwrap_or_default()
    }

    /// Whether it binds at a revision. Revisions are dates and compare as text.
    #[must_use]
    pub fn binds(&self, _era: Era, revision: &str) -> bool {
        self.since.as_deref().is_none_or(|since| since <= revision)
            && self.until.as_deref().is_none_or(|until| revision <= until)
    }

    /// Whether it is about sessions that this split plan cuts; a plan is named with or without its value.
    #[must_use]
    pub fn is_about_plan(&self, plan: &str) -> bool {
        let kind = plan.split('=').next().unwrap_or_default();
        self.plans.iter().any(|own| own == plan || own == kind)
    }

    /// Whether one of its outcomes is called so.
    #[must_use]
    pub fn has_row(&self, when: &str) -> bool {
        self.outcome.iter().any(|row| row.when == when)
    }

    /// Why it does not apply to a subject that answers in these eras; `None` when it does.
    #[must_use]
    pub fn excluded_by(&self, eras: &[Era]) -> Option<String> {
        let only = self.only_era?;
        let other = eras.iter().find(|era| **era != only)?;
        Some(format!("the subject answers in the {other} era too, so its clients do not need this"))
    }

    /// Whether it belongs to the core of a revision.
    #[must_use]
    pub fn is_core(&self, revision: &str) -> bool {
        self.core.as_ref().is_some_and(|core| core.revisions.iter().any(|own| own == revision))
    }

    /// Where it is written for an era and revision.
    #[must_use]
    pub fn clause(&self, era: Era, revision: &str) -> String {
        let place = match (era, &self.clause.modern) {
            (Era::Modern, Some(modern)) => modern,
            _ => &self.clause.all,
        };
        place.replace("{revision}", revision)
    }

    /// The first row of the outcome table that one of the observations meets.
    #[must_use]
    pub fn outcome(&self, seen: impl Fn(&str) -> bool) -> Option<&Outcome> {
        self.outcome.iter().find(|row| seen(&row.when))
    }

    /// What is wrong with the row, if anything.
    pub(super) fn problem(&self) -> Option<String> {
        if self.outcome.is_empty() {
            return Some("it has no outcome table".into());
        }
        if self.core.is_some() && self.level != Level::Must {
            return Some("only a must can belong to the core".into());
        }
        for (index, row) in self.outcome.iter().enumerate() {
            if self.outcome[..index].iter().any(|other| other.when == row.when) {
                return Some(format!("`{}` stands twice in the outcome table", row.when));
            }
            let bad = matches!(row.verdict, Verdict::Fail | Verdict::Warn);
            let good = |above: &&Outcome| matches!(above.verdict, Verdict::Pass | Verdict::Info);
            if let Some(above) = self.outcome[..index].iter().find(good).filter(|_| bad) {
                return Some(format!(
                    "`{}` stands above `{}` and would hide it",
                    above.when, row.when
                ));
            }
            if bad != row.cause.is_some() {
                return Some(format!(
                    "`{}`: a cause belongs to fail and warn, and only there",
                    row.when
                ));
            }
            let too_bad = match self.level.ceiling() {
                Verdict::Warn => row.verdict == Verdict::Fail,
                Verdict::Info => bad,
                _ => false,
            };
            if too_bad {
                return Some(format!("`{}` is worse than a {} allows", row.when, self.level));
            }
        }
        None
    }
}
