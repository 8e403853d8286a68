//! The rules that turn the results of all checks into the verdict of a run.

use std::collections::BTreeSet;

use super::{CheckResult, Conformance, ExitStatus, FailOn, Gate, Level, Robustness, Verdict};

/// What a run comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Whether the subject keeps the specification: the worst of all eras and revisions judged.
    pub conformance: Conformance,
    /// Whether defects outside the specification were seen.
    pub robustness: Robustness,
    /// Whether the run passes by the user's rule.
    pub gate: Gate,
    /// The exit status of a run that came to its end.
    pub exit: ExitStatus,
}

/// Concludes a run from its results.
///
/// `is_core` says whether a requirement belongs to the core of a revision. An empty `fail_on` means
/// [`FailOn::Must`]. With `strict` a broken `should` refutes, as a broken `must` does.
#[must_use]
pub fn conclude(
    results: &[CheckResult],
    is_core: impl Fn(&CheckResult) -> bool,
    fail_on: &BTreeSet<FailOn>,
    strict: bool,
) -> Judgement {
    let judged = results
        .iter()
        .filter(|result| !matches!(result.verdict, Verdict::NotApplicable | Verdict::Skip))
        .count();
    let singly = results.iter().map(|result| single(result, is_core(result), strict));
    // Where nothing was judged, nothing is proven.
    let nothing = (judged == 0).then_some(Conformance::Inconclusive);
    let conformance = singly.chain(nothing).max().unwrap_or(Conformance::Inconclusive);
    let robustness =
        if results.iter().any(is_defect) { Robustness::Defects } else { Robustness::Sound };
    let failed = results.iter().any(|result| fails_gate(result, fail_on, strict));
    let gate = if failed { Gate::Failed } else { Gate::Passed };
    Judgement { conformance, robustness, gate, exit: ExitStatus::of(judged, gate, conformance) }
}

/// Whether the gate fails because of this result, whatever the others are. An empty `fail_on` means [`FailOn::Must`].
#[must_use]
pub fn fails_gate(result: &CheckResult, fail_on: &BTreeSet<FailOn>, strict: bool) -> bool {
    (fail_on.is_empty() && fails(result, FailOn::Must, strict))
        || fail_on.iter().any(|on| fails(result, *on, strict))
}

/// What one result alone says of conformance.
fn single(result: &CheckResult, core: bool, strict: bool) -> Conformance {
    match (result.level, result.verdict) {
        (Level::Robust | Level::May, _) => Conformance::Conformant,
        (_, Verdict::Fail) => Conformance::NotConformant,
        (Level::Should, Verdict::Warn) if strict && !result.flaky => Conformance::NotConformant,
        (Level::Must, Verdict::Untestable | Verdict::Skip | Verdict::Error) if core => {
            Conformance::Inconclusive
        }
        (_, Verdict::Warn) => Conformance::ConformantWithNotes,
        _ => Conformance::Conformant,
    }
}

fn is_defect(result: &CheckResult) -> bool {
    result.level == Level::Robust && matches!(result.verdict, Verdict::Warn | Verdict::Fail)
}

fn fails(result: &CheckResult, on: FailOn, strict: bool) -> bool {
    let spec = matches!(result.level, Level::Must | Level::Should);
    let broken = result.verdict == Verdict::Fail
        || (strict && spec && result.verdict == Verdict::Warn && !result.flaky);
    match on {
        FailOn::Must => spec && broken,
        FailOn::Should => spec && (broken || result.verdict == Verdict::Warn),
        FailOn::Robust => is_defect(result),
        FailOn::Any => is_defect(result) || (spec && (broken || result.verdict == Verdict::Warn)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Era;

    fn result(level: Level, verdict: Verdict) -> CheckResult {
        CheckResult {
            id: "mcp.test".into(),
            level,
            verdict,
            cause: None,
            flaky: false,
            era: Era::Legacy,
            revision: "2025-11-25".into(),
            clause: String::new(),
            summary: String::new(),
            outcome: String::new(),
            expected: String::new(),
            observed: String::new(),
            evidence: Vec::new(),
            stderr: None,
            reproduce: None,
        }
    }

    /// Every level and verdict, beside nothing else: what it makes of conformance, robustness and the gate.
    #[test]
    fn each_level_and_verdict_has_its_consequence() {
        use Conformance::{Conformant, ConformantWithNotes, Inconclusive, NotConformant};
        for level in Level::ALL {
            for verdict in Verdict::ALL {
                for core in [false, true] {
                    for strict in [false, true] {
                        let results = [result(*level, *verdict)];
                        let judged = conclude(&results, |_| core, &BTreeSet::new(), strict);
                        let spec = matches!(level, Level::Must | Level::Should);
                        let wanted = match (level, verdict) {
                            (_, Verdict::NotApplicable | Verdict::Skip) => Inconclusive,
                            (Level::May | Level::Robust, _) => Conformant,
                            (_, Verdict::Fail) => NotConformant,
                            (Level::Should, Verdict::Warn) if strict => NotConformant,
                            (_, Verdict::Warn) => ConformantWithNotes,
                            (Level::Must, Verdict::Untestable | Verdict::Error) if core => {
                                Inconclusive
                            }
                            _ => Conformant,
                        };
                        let name = format!("{level} {verdict} core={core} strict={strict}");
                        assert_eq!(judged.conformance, wanted, "{name}");
                        let defect = *level == Level::Robust
                            && matches!(verdict, Verdict::Warn | Verdict::Fail);
                        assert_eq!(judged.robustness == Robustness::Defects, defect, "{name}");
                        let failed = spec
                            && (*verdict == Verdict::Fail || (strict && *verdict == Verdict::Warn));
                        assert_eq!(judged.gate == Gate::Failed, failed, "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_gate_counts_what_the_user_asked_for_and_nothing_else() {
        let none: &[FailOn] = &[];
        for level in Level::ALL {
            for verdict in Verdict::ALL {
                for (strict, flaky) in [(false, false), (false, true), (true, false), (true, true)]
                {
                    let counted_by = match (level, verdict) {
                        (Level::Must | Level::Should, Verdict::Fail) => {
                            &[FailOn::Must, FailOn::Should, FailOn::Any]
                        }
                        (Level::Must | Level::Should, Verdict::Warn) if strict && !flaky => {
                            &[FailOn::Must, FailOn::Should, FailOn::Any][..]
                        }
                        (Level::Must | Level::Should, Verdict::Warn) => {
                            &[FailOn::Should, FailOn::Any]
                        }
                        (Level::Robust, Verdict::Fail | Verdict::Warn) => {
                            &[FailOn::Robust, FailOn::Any]
                        }
                        _ => none,
                    };
                    let result = CheckResult { flaky, ..result(*level, *verdict) };
                    let name = format!("{level} {verdict} strict={strict} flaky={flaky}");
                    let fails = |fail_on: &[FailOn]| {
                        fails_gate(&result, &fail_on.iter().copied().collect(), strict)
                    };
                    assert_eq!(fails(none), counted_by.contains(&FailOn::Must), "{name}");
                    for one in FailOn::ALL {
                        for other in FailOn::ALL {
                            let wanted = counted_by.contains(one) || counted_by.contains(other);
                            assert_eq!(fails(&[*one, *other]), wanted, "{name}: {one}, {other}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_worst_result_decides_and_a_defect_never_refutes() {
        let results = [
            result(Level::Must, Verdict::Pass),
            result(Level::Robust, Verdict::Warn),
            result(Level::Should, Verdict::Warn),
        ];
        let judged = conclude(&results, |_| true, &BTreeSet::new(), false);
        assert_eq!(judged.conformance, Conformance::ConformantWithNotes);
        assert_eq!(judged.robustness, Robustness::Defects);
        assert_eq!(judged.exit, ExitStatus::SUCCESS);
        let judged = conclude(&results, |_| true, &BTreeSet::from([FailOn::Robust]), false);
        assert_eq!(judged.exit, ExitStatus::GATE_FAILED);
    }

    /// Two results come to the worst of what each comes to alone, and the status follows its precedence.
    #[test]
    fn every_pair_of_results_comes_to_the_worst_of_both() {
        let all = || {
            let words = Level::ALL
                .iter()
                .flat_map(|level| Verdict::ALL.iter().map(move |verdict| result(*level, *verdict)));
            words.flat_map(|one| [CheckResult { flaky: true, ..one.clone() }, one])
        };
        let rules = FailOn::ALL.iter().map(|on| BTreeSet::from([*on])).chain([BTreeSet::new()]);
        let unjudged =
            |one: &CheckResult| matches!(one.verdict, Verdict::Skip | Verdict::NotApplicable);
        for (fail_on, strict) in rules.flat_map(|rule| [(rule.clone(), false), (rule, true)]) {
            let alone = |one: &CheckResult, core| {
                conclude(std::slice::from_ref(one), |_| core, &fail_on, strict)
            };
            for one in all() {
                for other in all() {
                    for core in [false, true] {
                        let (first, second) = (alone(&one, core), alone(&other, core));
                        let both = [one.clone(), other.clone()];
                        let judged = conclude(&both, |_| core, &fail_on, strict);
                        let name = format!(
                            "{}/{} and {}/{}, {fail_on:?}, strict={strict}, core={core}",
                            one.level, one.verdict, other.level, other.verdict
                        );
                        // Beside a result that was judged, one that was not proves nothing against it, unless the core
                        // lacks it.
                        let lacks = |one: &CheckResult| {
                            core && one.level == Level::Must && one.verdict == Verdict::Skip
                        };
                        let counts = |one: &CheckResult| !unjudged(one) || lacks(one);
                        let wanted = match (counts(&one), counts(&other)) {
                            (true, false) if !unjudged(&one) => first.conformance,
                            (false, true) if !unjudged(&other) => second.conformance,
                            _ => first.conformance.max(second.conformance),
                        };
                        assert_eq!(judged.conformance, wanted, "{name}");
                        let defects = [&first, &second].map(|judged| judged.robustness);
                        let any = defects.contains(&Robustness::Defects);
                        assert_eq!(judged.robustness == Robustness::Defects, any, "{name}");
                        let failed = [&first, &second].map(|judged| judged.gate);
                        let failed = failed.contains(&Gate::Failed);
                        assert_eq!(judged.gate == Gate::Failed, failed, "{name}");
                        let exit = if unjudged(&one) && unjudged(&other) {
                            ExitStatus::NOTHING_APPLIES
                        } else if failed {
                            ExitStatus::GATE_FAILED
                        } else if judged.conformance == Conformance::Inconclusive {
                            ExitStatus::INCONCLUSIVE
                        } else {
                            ExitStatus::SUCCESS
                        };
                        assert_eq!(judged.exit, exit, "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_run_in_which_nothing_applies_has_its_own_status() {
        let results = [result(Level::Must, Verdict::NotApplicable)];
        let judged = conclude(&results, |_| true, &BTreeSet::new(), false);
        assert_eq!(judged.exit, ExitStatus::NOTHING_APPLIES);
    }
}
