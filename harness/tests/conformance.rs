//! Real servers that other people wrote, certified, and their verdicts held against snapshots.
//!
//! `cargo xtask conformance` installs the servers and sets `PIPEPROOF_SUBJECTS`; without it there is nothing to
//! certify, and the test says so.

#![expect(clippy::unwrap_used, reason = "in a test, what failed is the message")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pipeproof::campaign::{Options, Run, Stop, certify};
use pipeproof::subject::Subject;
use pipeproof::verdict::Verdict;
use serde::Deserialize;

/// `fixtures/subjects/NAME/subject.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    #[serde(rename = "about")]
    _about: String,
    #[serde(rename = "protocol")]
    _protocol: String,
    #[serde(rename = "source")]
    _source: String,
    #[serde(rename = "ci", default)]
    _ci: Option<bool>,
    command: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

fn descriptions() -> Vec<(String, Description)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/subjects");
    let mut all: Vec<(String, Description)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("subject.toml").is_file())
        .map(|path| {
            let text = fs::read_to_string(path.join("subject.toml")).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let read = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, read)
        })
        .collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

fn run(description: &Description, installed: &Path) -> Run {
    let scratch = tempfile::tempdir().unwrap();
    let fill = |text: &String| {
        text.replace("{dir}", &installed.to_string_lossy())
            .replace("{scratch}", &scratch.path().to_string_lossy())
    };
    let mut command = description.command.iter().map(fill);
    let program = command.next().unwrap();
    let subject = Subject {
        env: description.env.iter().map(|(key, value)| (key.into(), fill(value).into())).collect(),
        cwd: Some(scratch.path().into()),
        launcher: Some(PathBuf::from(env!("CARGO_BIN_EXE_pipeproof"))),
        ..Subject::new(program, command.map(Into::into))
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let options = Options { seed: 1, jobs: 4, ..Options::default() };
    runtime.block_on(certify(&subject, &options, &Stop::new(), &mut |_| {})).unwrap()
}

/// What a race decides is not the same in each run.
const RACY: &[&str] = &["mcp.cancel.race"];

/// What does not change from run to run: the verdicts, and why.
fn summary(run: &Run) -> String {
    let mut text = String::new();
    let subject = &run.subject;
    let name = subject.name.as_deref().unwrap_or("(no name)");
    let version = subject.version.as_deref().unwrap_or("(no version)");
    _ = writeln!(text, "{name} {version}: {}, {}", run.conformance, run.robustness);
    _ = writeln!(text, "revisions named: {}", subject.revisions.join(", "));
    let cuts =
        if run.delivery.planned == run.delivery.delivered { "every cut" } else { "not every cut" };
    _ = writeln!(text, "delivered: {cuts}");
    for result in run.results.iter().filter(|result| !RACY.contains(&result.id.as_str())) {
        let cause = result.cause.map(|cause| format!(" ({cause})")).unwrap_or_default();
        let (era, revision) = (result.era, &result.revision);
        let outcome = &result.outcome;
        let line =
            format!("{era} {revision} {:<15} {} {outcome}{cause}", result.verdict, result.id);
        _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// The findings that have no row in `FINDINGS.md`, which is a claim about somebody's work with its bytes.
fn unexplained(name: &str, run: &Run) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/subjects/FINDINGS.md");
    let text = fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('|').map(|cell| cell.trim().trim_matches('`')).collect())
        .collect();
    let explained = |id: &str, era: &str, outcome: &str| {
        rows.iter().any(|row| {
            row.get(1) == Some(&name)
                && row.get(2) == Some(&id)
                && row.get(3) == Some(&era)
                && row.get(4) == Some(&outcome)
        })
    };
    run.results
        .iter()
        .filter(|result| matches!(result.verdict, Verdict::Fail | Verdict::Warn))
        .filter(|result| !explained(&result.id, result.era.as_str(), &result.outcome))
        .map(|result| {
            format!("{} {} `{}`: {}", result.id, result.era, result.outcome, result.observed)
        })
        .collect()
}

#[test]
fn real_servers_come_to_what_they_came_to_before() {
    let Some(subjects) = std::env::var_os("PIPEPROOF_SUBJECTS") else {
        println!("no servers are installed: run `cargo xtask conformance`");
        return;
    };
    let only = std::env::var("PIPEPROOF_SUBJECTS_ONLY").unwrap_or_default();
    let only: Vec<&str> = only.split(',').filter(|name| !name.is_empty()).collect();
    let mut certified = 0;
    let mut all = Vec::new();
    for (name, description) in descriptions() {
        if only.is_empty() || only.contains(&name.as_str()) {
            println!("certifying {name}");
            let run = run(&description, &Path::new(&subjects).join(&name));
            all.extend(unexplained(&name, &run).into_iter().map(|one| format!("{name}: {one}")));
            insta::assert_snapshot!(name.as_str(), summary(&run));
            certified += 1;
        }
    }
    assert!(all.is_empty(), "no row in fixtures/subjects/FINDINGS.md: {all:#?}");
    assert!(certified > 0, "no subject is called {}", only.join(" or "));
}
