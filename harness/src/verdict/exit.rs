//! The exit statuses of `pipeproof`, each a documented constant.

use super::{Conformance, Gate};

/// What the process tells its parent. When several apply, the first of this list wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExitStatus(u8);

impl ExitStatus {
    /// A fault of our own, or of the machine, ended the run.
    pub const INTERNAL: Self = Self(70);
    /// Wrong usage or configuration, or the subject could not be started.
    pub const USAGE: Self = Self(2);
    /// The selection matched requirements of the catalogue, but none applies to this subject.
    pub const NOTHING_APPLIES: Self = Self(4);
    /// The gate failed.
    pub const GATE_FAILED: Self = Self(1);
    /// A requirement of the core could not be judged.
    pub const INCONCLUSIVE: Self = Self(3);
    /// Only entries of the baseline are stale.
    pub const STALE_BASELINE: Self = Self(5);
    /// The gate passed.
    pub const SUCCESS: Self = Self(0);
    /// The user interrupted the run; what was judged until then is in the report.
    pub const INTERRUPTED: Self = Self(130);

    /// The number that the operating system is given.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// The exit status of a run that came to its end.
    #[must_use]
    pub const fn of(judged: usize, gate: Gate, conformance: Conformance) -> Self {
        match (judged, gate, conformance) {
            (0, _, _) => Self::NOTHING_APPLIES,
            (_, Gate::Failed, _) => Self::GATE_FAILED,
            (_, Gate::Passed, Conformance::Inconclusive) => Self::INCONCLUSIVE,
            (_, Gate::Passed, _) => Self::SUCCESS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_is_nothing_applies_then_gate_then_inconclusive() {
        use Conformance::{Conformant, Inconclusive, NotConformant};
        let table = [
            (0, Gate::Failed, NotConformant, 4),
            (9, Gate::Failed, NotConformant, 1),
            (9, Gate::Failed, Inconclusive, 1),
            (9, Gate::Passed, Inconclusive, 3),
            (9, Gate::Passed, NotConformant, 0),
            (9, Gate::Passed, Conformant, 0),
        ];
        for (judged, gate, conformance, code) in table {
            assert_eq!(ExitStatus::of(judged, gate, conformance).code(), code);
        }
    }
}
