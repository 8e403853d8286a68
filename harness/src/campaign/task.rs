//! One task of a campaign: a scenario, spoken in a dialect, cut by a plan.

use super::{Options, Profile};
use crate::ledger::Stimulus;
use crate::protocol::{self, Dialect, mcp};
use crate::scenario::{Scenario, Wanted};
use crate::split::SplitPlan;
use crate::transcript::{Header, PLANNED};

/// What is to be driven in one session, or in several where the subject does not go on.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) scenario: Scenario,
    pub(super) dialect: Dialect,
    pub(super) plan: SplitPlan,
    /// The stimuli that it is done for; empty: all.
    pub(super) only: Vec<Wanted>,
    /// Where the only stimulus is cut instead.
    pub(super) cuts: Vec<usize>,
}

impl Task {
    pub(super) fn new(scenario: Scenario, dialect: &Dialect) -> Self {
        let dialect = if scenario.declares_all {
            dialect.clone().declaring(&mcp::all_capabilities(&dialect.revision))
        } else {
            dialect.clone()
        };
        Self { scenario, dialect, plan: SplitPlan::Whole, only: Vec::new(), cuts: Vec::new() }
    }

    pub(super) fn cut(mut self, plan: SplitPlan) -> Self {
        self.plan = plan;
        self
    }

    /// The task that drove a session, to be done again for some stimuli of it, or as a whole where none is given; `None`
    /// where this version has no such scenario.
    pub(super) fn of(header: &Header, stimuli: &[&Stimulus]) -> Option<Self> {
        // What a plan cuts throughout is done as a whole.
        let stimuli = if header.plan.is_empty() { stimuli } else { &[] };
        let first = stimuli.iter().map(|stimulus| stimulus.step).min().unwrap_or(header.part);
        let scenario = Scenario::named(&header.scenario)?.from_part(first.max(header.part));
        let plan = match header.plan.as_str() {
            "" => SplitPlan::Whole,
            plan => plan.parse().ok()?,
        };
        let dialect = protocol::dialect(header.era, &header.revision);
        let only = stimuli.iter().copied().map(wanted).collect();
        Some(Self { only, ..Self::new(scenario, &dialect).cut(plan) })
    }

    /// The task that drove a session, to be done for one stimulus of it, which is cut at these places instead.
    pub(super) fn reduced(header: &Header, stimulus: &Stimulus, cuts: Vec<usize>) -> Option<Self> {
        let task = Self::of(header, &[])?;
        let scenario = task.scenario.from_part(stimulus.step.max(header.part));
        Some(Self { scenario, only: vec![wanted(stimulus)], cuts, ..task })
    }

    /// What tells it from the other tasks of its dialect, in the names of sessions.
    pub(super) fn label(&self) -> String {
        let name = self.scenario.name;
        let mut label = if name == Scenario::VERSION.name {
            format!("{name}-{}", self.dialect.revision)
        } else {
            name.to_string()
        };
        if self.plan != SplitPlan::Whole {
            let plan = self.plan.to_string();
            let kind = plan.split('=').next().unwrap_or_default();
            label.push('-');
            label.push_str(kind);
        }
        if self.scenario.part > 0 {
            label.push_str(&format!("-from-{}", self.scenario.part));
        }
        label
    }
}

fn wanted(stimulus: &Stimulus) -> Wanted {
    Wanted {
        step: stimulus.step,
        name: stimulus.name.trim_start_matches(PLANNED).to_string(),
        variant: stimulus.variant.clone(),
    }
}

/// The plans by which whole sessions are cut.
pub(super) fn plans(options: &Options) -> Vec<SplitPlan> {
    match options.profile {
        _ if !options.cut_sessions => Vec::new(),
        Profile::Quick => Vec::new(),
        Profile::Standard => vec![
            SplitPlan::Every(1),
            SplitPlan::InsideCharacters,
            SplitPlan::FrameEdges,
            SplitPlan::Joined,
            SplitPlan::Random(options.seed),
        ],
    }
}
