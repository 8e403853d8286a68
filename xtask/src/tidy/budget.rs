//! The rule `budget`: how many crates a package brings into a build.
//!
//! Counted are the crates of the normal tree, with every version of a crate, without the package itself, for one target
//! wherever the rule runs. A budget is raised here, by a change that says what the new crates are for.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::Violation;

/// A package with some of its features, and the most crates that it may bring.
struct Budget {
    package: &'static str,
    folder: &'static str,
    features: &'static [&'static str],
    most: usize,
}

const DEFAULT: &[&str] = &["default"];

/// About half of those of `pipeproof` come with `jsonschema`, which holds what a server says to the shapes of the
/// specification.
const BUDGETS: &[Budget] = &[
    Budget { package: "pipeproof-transport", folder: "transport", features: &[], most: 6 },
    Budget {
        package: "pipeproof-transport",
        folder: "transport",
        features: &["process", "tokio"],
        most: 22,
    },
    Budget { package: "pipeproof", folder: "harness", features: &[], most: 94 },
    // Eleven of these write the JUnit report, four show progress.
    Budget { package: "pipeproof", folder: "harness", features: DEFAULT, most: 124 },
    Budget { package: "xtask", folder: "xtask", features: &[], most: 4 },
];

/// The target that is counted for: other targets bring other crates.
const TARGET: &str = "x86_64-unknown-linux-gnu";

pub(super) fn budgets(shell: &Shell) -> Result<Vec<Violation>> {
    let mut violations = Vec::new();
    for budget in BUDGETS {
        let (package, features) = (budget.package, budget.features.join(","));
        let tree = ["--locked", "--target", TARGET, "--edges", "normal", "--prefix", "none"];
        let options = ["--no-default-features", "--features", &features];
        let tree = cmd!(shell, "cargo tree {tree...} --package {package} {options...}")
            .quiet()
            .read()
            .with_context(|| format!("cannot count the crates of {package}"))?;
        violations.extend(over(budget, count(&tree)));
    }
    Ok(violations)
}

fn over(budget: &Budget, crates: usize) -> Option<Violation> {
    (crates > budget.most).then(|| Violation {
        path: format!("{}/Cargo.toml", budget.folder),
        line: 1,
        what: format!(
            "{crates} crates with features [{}], {} are allowed: do without the new one, or raise the budget in \
             xtask/src/tidy/budget.rs and say what it is for (`cargo tree -p {}` shows them)",
            budget.features.join(", "),
            budget.most,
            budget.package,
        ),
    })
}

/// The crates of a tree without the first, which is the package itself.
fn count(tree: &str) -> usize {
    let crates: BTreeSet<&str> = tree
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .collect();
    crates.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_counts_once_for_each_version() {
        let tree = "own v0.1.0 (path)\na v1.0.0\nb v1.0.0\nb v2.0.0\na v1.0.0 (*)\n\n";
        assert_eq!(count(tree), 3);
    }

    #[test]
    fn a_budget_may_be_used_up_but_not_passed() {
        let budget = Budget { package: "p", folder: "f", features: &["x", "y"], most: 3 };
        assert_eq!(over(&budget, 3), None);
        let violation = over(&budget, 4).unwrap();
        assert_eq!(violation.path, "f/Cargo.toml");
        assert!(violation.what.starts_with("4 crates with features [x, y], 3 are allowed"));
    }
}
