//! Which requirements the user wants judged, and which sessions that takes.

use std::sync::LazyLock;

use globset::{Glob, GlobMatcher};

use super::{CampaignError, Options, Profile};
use crate::catalogue::{Catalogue, Requirement};
use crate::protocol::Protocol;
use crate::scenario::Scenario;
use crate::split::SplitPlan;

/// The user's selection.
#[derive(Debug)]
pub(super) struct Selection {
    only: Vec<GlobMatcher>,
    skip: Vec<GlobMatcher>,
    profile: Profile,
    cut_sessions: bool,
}

/// Why a requirement is left out.
pub(super) type LeftOut = &'static str;

impl Selection {
    /// Reads the patterns; each must match a requirement of a protocol that the subject may be held to.
    pub(super) fn new(options: &Options, catalogue: &Catalogue) -> Result<Self, CampaignError> {
        let protocol = options.protocol.map(Protocol::name);
        let matchers = |patterns: &[String]| -> Result<Vec<GlobMatcher>, CampaignError> {
            patterns.iter().map(|pattern| matcher(pattern, catalogue, protocol)).collect()
        };
        Ok(Self {
            only: matchers(&options.only)?,
            skip: matchers(&options.skip)?,
            profile: options.profile,
            cut_sessions: options.cut_sessions,
        })
    }

    /// Whether the verdict speaks for less than the catalogue.
    pub(super) fn is_partial(&self) -> bool {
        !self.only.is_empty() || !self.skip.is_empty() || self.profile == Profile::Quick
    }

    /// Why a requirement is left out; `None` when it is judged.
    pub(super) fn left_out(&self, requirement: &Requirement) -> Option<LeftOut> {
        let any = |globs: &[GlobMatcher]| globs.iter().any(|glob| glob.is_match(&requirement.id));
        if any(&self.skip) {
            Some("left out by --skip")
        } else if !self.only.is_empty() && !any(&self.only) {
            Some("left out by --only")
        } else if !self.is_driven(requirement) {
            Some("left out by --profile quick")
        } else {
            None
        }
    }

    /// Whether the profile holds a scenario that exercises the requirement.
    fn is_driven(&self, requirement: &Requirement) -> bool {
        let scenarios = || ALL.iter().filter(|scenario| scenario.profile <= self.profile);
        let holds = |stimulus: &String| {
            OF_EVERY_SESSION.contains(&stimulus.as_str())
                || scenarios().any(|scenario| scenario.stimuli.contains(&stimulus.as_str()))
        };
        requirement.stimuli.is_empty() && requirement.plans.is_empty()
            || requirement.stimuli.iter().any(holds)
            || !requirement.plans.is_empty() && self.profile > Profile::Quick
    }

    /// Whether a scenario has to be driven for the requirements that are judged.
    pub(super) fn needs<'a>(
        &self,
        scenario: &Scenario,
        requirements: impl Iterator<Item = &'a Requirement>,
    ) -> bool {
        let first = |name: &str| Scenario::PLANNED.iter().any(|planned| planned.name == name);
        let asks = |requirement: &Requirement| {
            let passive = requirement.stimuli.is_empty() && requirement.plans.is_empty();
            let compares =
                self.cut_sessions && !requirement.plans.is_empty() && first(scenario.name);
            passive
                || compares
                || requirement.stimuli.iter().any(|stimulus| {
                    scenario.stimuli.contains(&stimulus.as_str())
                        || (OF_EVERY_SESSION.contains(&stimulus.as_str()) && first(scenario.name))
                })
        };
        scenario.profile <= self.profile && self.judged(requirements).any(asks)
    }

    /// Whether sessions have to be cut by a plan for the requirements that are judged.
    pub(super) fn needs_plan<'a>(
        &self,
        plan: &SplitPlan,
        requirements: impl Iterator<Item = &'a Requirement>,
    ) -> bool {
        let plan = plan.to_string();
        self.cut_sessions
            && self.judged(requirements).any(|requirement| requirement.is_about_plan(&plan))
    }

    fn judged<'a>(
        &self,
        requirements: impl Iterator<Item = &'a Requirement>,
    ) -> impl Iterator<Item = &'a Requirement> {
        requirements.filter(|requirement| self.left_out(requirement).is_none())
    }
}

/// Every scenario that a requirement can ask for.
static ALL: LazyLock<Vec<Scenario>> =
    LazyLock::new(|| Scenario::ALL.iter().copied().chain([Scenario::VERSION]).collect());

/// Stimuli that every session holds, whatever its scenario.
const OF_EVERY_SESSION: &[&str] = &["initialize", "discover", "end-of-input", "probe"];

fn matcher(
    pattern: &str,
    catalogue: &Catalogue,
    protocol: Option<&str>,
) -> Result<GlobMatcher, CampaignError> {
    let glob = Glob::new(pattern).map_err(|error| CampaignError::Pattern {
        pattern: pattern.into(),
        problem: error.kind().to_string(),
    })?;
    let matcher = glob.compile_matcher();
    let rows = catalogue.requirements().iter();
    let rows = rows.filter(|row| protocol.is_none_or(|protocol| row.protocol() == protocol));
    let ids = || rows.clone().map(|requirement| requirement.id.as_str());
    if ids().any(|id| matcher.is_match(id)) {
        return Ok(matcher);
    }
    let mut near: Vec<(usize, &str)> = ids().map(|id| (distance(pattern, id), id)).collect();
    near.sort_unstable();
    let suggestions = near
        .into_iter()
        .filter(|(distance, _)| *distance <= pattern.len() / 2)
        .take(2)
        .map(|(_, id)| id.to_string())
        .collect();
    Err(CampaignError::MatchesNothing { pattern: pattern.into(), suggestions })
}

/// The number of single changes that make one text of another.
#[must_use]
pub(crate) fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, b) in other.iter().enumerate() {
            let change = diagonal + usize::from(a != *b);
            diagonal = row[column + 1];
            row[column + 1] = change.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(
        only: &[&str],
        skip: &[&str],
        profile: Profile,
    ) -> Result<Selection, CampaignError> {
        let texts = |patterns: &[&str]| patterns.iter().map(ToString::to_string).collect();
        let options =
            Options { only: texts(only), skip: texts(skip), profile, ..Options::default() };
        Selection::new(&options, Catalogue::built_in())
    }

    #[test]
    fn a_pattern_that_matches_nothing_is_an_error_with_a_suggestion() {
        let error = selection(&["mcp.rpc.id-eco"], &[], Profile::Standard).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("matches no requirement"), "{text}");
        assert!(text.contains("did you mean `mcp.rpc.id-echo`"), "{text}");
    }

    #[test]
    fn skip_wins_over_only() {
        let selection = selection(&["mcp.rpc.*"], &["*.id-echo"], Profile::Standard).unwrap();
        let why = |id: &str| selection.left_out(Catalogue::built_in().get(id).unwrap());
        assert_eq!(why("mcp.rpc.id-echo"), Some("left out by --skip"));
        assert_eq!(why("mcp.rpc.method-not-found"), None);
        assert_eq!(why("mcp.stdio.utf8"), Some("left out by --only"));
        assert!(selection.is_partial());
    }

    #[test]
    fn quick_leaves_out_what_it_does_not_drive() {
        let selection = selection(&[], &[], Profile::Quick).unwrap();
        let why = |id: &str| selection.left_out(Catalogue::built_in().get(id).unwrap());
        assert_eq!(why("mcp.rpc.survive-garbage"), Some("left out by --profile quick"));
        assert_eq!(why("mcp.stdio.exit-on-eof-legacy"), None);
    }

    #[test]
    fn the_distance_counts_single_changes() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
    }
}
