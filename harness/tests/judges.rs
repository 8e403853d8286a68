//! Every judge against transcripts that were written by hand: one file a case, its expectation in the line `#!`, and
//! a line `#---` between the sessions of a case that takes several.

#![expect(clippy::unwrap_used, reason = "in a test, what failed is the message")]

mod shorthand;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pipeproof::catalogue::{Catalogue, Outcome, Requirement};
use pipeproof::check::{Evidence, Judged, Reading, judge_requirement};
use pipeproof::transcript::Transcript;
use pipeproof::verdict::Verdict;

/// A transcript and what it comes to: `#! VERDICT OUTCOME [CAUSE]`; the outcome is `-` where no row is met.
struct Case {
    path: PathBuf,
    expected: String,
    readings: Vec<Reading>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/transcripts")
}

/// The cases, by the id that their folder names.
fn cases() -> BTreeMap<String, Vec<Case>> {
    let entries = |path: &Path| {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    entries(&folder())
        .into_iter()
        .filter(|path| path.is_dir())
        .map(|path| {
            let id = path.file_name().unwrap().to_string_lossy().into_owned();
            (id, entries(&path).into_iter().map(read).collect())
        })
        .collect()
}

fn read(path: PathBuf) -> Case {
    let text = fs::read_to_string(&path).unwrap();
    let expected = text
        .lines()
        .find_map(|line| line.strip_prefix("#! "))
        .unwrap_or_else(|| panic!("{}: no line `#! VERDICT OUTCOME [CAUSE]`", path.display()))
        .to_string();
    let complain = |error: &dyn std::fmt::Display| -> ! { panic!("{}: {error}", path.display()) };
    let transcripts = if path.extension().is_some_and(|extension| extension == "case") {
        shorthand::parse(&text).unwrap_or_else(|error| complain(&error))
    } else {
        let sessions = text.split("\n#---\n").map(Transcript::parse);
        sessions.collect::<Result<_, _>>().unwrap_or_else(|error| complain(&error))
    };
    let readings = transcripts.into_iter().map(Reading::new).collect();
    Case { path, expected, readings }
}

/// What a requirement comes to on a case, as the line `#!` says it.
fn judged(requirement: &Requirement, readings: &[Reading]) -> String {
    match judge_requirement(requirement, &Evidence { readings }) {
        Judged::Met(row, _) => {
            let cause = row.cause.map(|cause| format!(" {cause}")).unwrap_or_default();
            format!("{} {}{cause}", row.verdict, row.when)
        }
        Judged::NotApplicable(_) => "not-applicable -".into(),
        Judged::Untestable(_) => "untestable -".into(),
        Judged::Fault(why) => format!("error {why}"),
    }
}

#[test]
fn each_case_comes_to_what_it_says() {
    let mut wrong = Vec::new();
    for (id, cases) in cases() {
        let requirement = Catalogue::built_in().get(&id);
        let requirement = requirement.unwrap_or_else(|| panic!("no requirement `{id}`"));
        for case in cases {
            let judged = judged(requirement, &case.readings);
            if judged != case.expected {
                wrong.push(format!("{}: {judged}", case.path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The cases of a requirement: its own, and those of requirements of another protocol that the same judge judges.
fn of<'a>(
    requirement: &Requirement,
    cases: &'a BTreeMap<String, Vec<Case>>,
) -> impl Iterator<Item = &'a Case> + Clone {
    let rows = Catalogue::built_in().requirements().iter();
    let twins = rows
        .filter(|row| row.judge == requirement.judge && row.protocol() != requirement.protocol());
    let ids: Vec<&str> =
        twins.map(|row| row.id.as_str()).chain([requirement.id.as_str()]).collect();
    cases.iter().filter(move |(id, _)| ids.contains(&id.as_str())).flat_map(|(_, cases)| cases)
}

#[test]
fn every_requirement_has_a_passing_and_a_failing_case() {
    let cases = cases();
    for requirement in Catalogue::built_in().requirements() {
        let own = of(requirement, &cases);
        let any = |words: &[&str]| {
            own.clone().any(|case| words.iter().any(|word| case.expected.starts_with(word)))
        };
        let can_pass = |row: &Outcome| row.verdict == Verdict::Pass;
        let passes = any(&["pass"]) || !requirement.outcome.iter().any(can_pass);
        assert!(passes, "{} has no passing case", requirement.id);
        let can_fail = |row: &Outcome| matches!(row.verdict, Verdict::Fail | Verdict::Warn);
        let fails = any(&["fail", "warn"]) || !requirement.outcome.iter().any(can_fail);
        assert!(fails, "{} has no failing case", requirement.id);
    }
}

#[test]
fn every_row_of_an_outcome_table_is_met_by_a_case() {
    let cases = cases();
    let mut missing = Vec::new();
    for requirement in Catalogue::built_in().requirements() {
        let own = of(requirement, &cases);
        for row in &requirement.outcome {
            let met = |case: &Case| case.expected.split(' ').nth(1) == Some(&row.when);
            if !own.clone().any(met) {
                missing.push(format!("{} `{}`", requirement.id, row.when));
            }
        }
    }
    assert!(missing.is_empty(), "no case meets: {}", missing.join(", "));
}

/// A case is made for one requirement, but every judge must be able to read it.
#[test]
fn no_case_is_a_fault_of_another_judge() {
    for (_, cases) in cases() {
        for case in cases {
            for requirement in Catalogue::built_in().requirements() {
                let judged = judged(requirement, &case.readings);
                let fault = judged.starts_with(Verdict::Error.as_str());
                assert!(!fault, "{}: {}: {judged}", case.path.display(), requirement.id);
            }
        }
    }
}
