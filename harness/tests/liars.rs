//! Liars: each named fault is caught by exactly the requirements that it breaks, and the honest server breaks none.

#![expect(clippy::unwrap_used, reason = "in a test, what failed is the message")]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pipeproof::campaign::{Options, Profile, Run, Stop, certify};
use pipeproof::catalogue::Catalogue;
use pipeproof::liar::{FaultInfo, faults};
use pipeproof::protocol::Era;
use pipeproof::session::Pacing;
use pipeproof::subject::Subject;
use pipeproof::verdict::{Conformance, Robustness, Verdict};

/// How many campaigns run at once; each mostly waits.
const AT_ONCE: usize = 4;

fn liar(fault: Option<&str>, era: &str) -> Subject {
    let binary = env!("CARGO_BIN_EXE_pipeproof");
    let words = ["liar"].into_iter().chain(fault).chain(["--era", era]);
    Subject {
        launcher: Some(PathBuf::from(binary)),
        ..Subject::new(binary, words.map(Into::into))
    }
}

fn options() -> Options {
    Options {
        timeout: Duration::from_millis(1500),
        start_timeout: Duration::from_millis(2500),
        seed: 1,
        ..Options::default()
    }
}

fn run(subject: &Subject, options: &Options) -> Run {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(certify(subject, options, &Stop::new(), &mut |_| {})).unwrap()
}

/// The ids of what was found wrong.
fn found(run: &Run) -> BTreeSet<&str> {
    run.results
        .iter()
        .filter(|result| matches!(result.verdict, Verdict::Fail | Verdict::Warn | Verdict::Error))
        .map(|result| result.id.as_str())
        .collect()
}

/// The ids that have to find a fault in an era.
fn expected(fault: &FaultInfo, era: Era) -> BTreeSet<&'static str> {
    let revision = if era == Era::Legacy { "2025-11-25" } else { "2026-07-28" };
    let binds = |id: &&str| Catalogue::built_in().get(id).is_some_and(|row| row.binds(era, revision));
    fault.caught_by.iter().copied().filter(binds).collect()
}

#[test]
fn every_fault_is_caught_by_exactly_its_requirements() {
    let cases: Vec<(&FaultInfo, Era)> =
        faults().iter().flat_map(|fault| fault.eras.iter().map(move |era| (fault, *era))).collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((fault, era)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let run = run(&liar(Some(fault.name), era.as_str()), &options());
                    let (found, expected) = (found(&run), expected(fault, *era));
                    if found != expected {
                        let details: Vec<String> = run
                            .results
                            .iter()
                            .filter(|result| found.contains(result.id.as_str()))
                            .map(|result| format!("  {} {}: {}", result.verdict, result.id, result.observed))
                            .collect();
                        let details = details.join("\n");
                        let text = format!("{} ({era}): expected {expected:?}, found\n{details}", fault.name);
                        wrong.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn the_honest_server_passes_everything_in_every_era() {
    for era in ["legacy", "modern", "dual"] {
        let run = run(&liar(None, era), &options());
        for result in &run.results {
            let fine = matches!(result.verdict, Verdict::Pass | Verdict::NotApplicable);
            assert!(fine, "{era}: {} {}: {}", result.verdict, result.id, result.observed);
        }
        assert_eq!(run.conformance, Conformance::Conformant, "{era}");
        assert_eq!(run.robustness, Robustness::Sound, "{era}");
        assert_eq!(run.delivery.planned, run.delivery.delivered, "{era}");
        assert!(run.delivery.planned > 50, "{era}");
    }
}

#[test]
fn every_requirement_is_broken_by_a_liar() {
    for requirement in Catalogue::built_in().requirements() {
        let caught = faults().iter().any(|fault| fault.caught_by.contains(&requirement.id.as_str()));
        assert!(caught, "no liar breaks {}", requirement.id);
    }
}

#[test]
fn every_fault_names_requirements_that_exist_and_has_a_name_of_its_own() {
    let mut names = BTreeSet::new();
    for fault in faults() {
        assert!(names.insert(fault.name), "{} stands twice", fault.name);
        assert!(!fault.caught_by.is_empty(), "nothing catches {}", fault.name);
        for id in fault.caught_by {
            assert!(Catalogue::built_in().get(id).is_some(), "{}: no requirement {id}", fault.name);
        }
        for era in fault.eras {
            assert!(!expected(fault, *era).is_empty(), "nothing catches {} in {era}", fault.name);
        }
    }
}

/// The smallest run that sends cuts.
fn cuts(pacing: Pacing) -> Run {
    let options = Options {
        profile: Profile::Quick,
        only: vec!["mcp.stdio.utf8-split-read".into()],
        pacing,
        ..options()
    };
    run(&liar(Some("cut-inside-euro"), "legacy"), &options)
}

#[test]
fn a_fault_in_one_cut_of_one_character_is_caught_every_time() {
    for number in 0..100 {
        let run = cuts(Pacing::PipeEmpty);
        assert_eq!(found(&run), BTreeSet::from(["mcp.stdio.utf8-split-read"]), "run {number}");
        assert_eq!(run.delivery.planned, run.delivery.delivered, "run {number}");
    }
}

/// Without pacing the pieces arrive as one, so the fault does not show; and the run must not claim that it would have.
#[test]
fn without_pacing_a_cut_is_not_delivered_and_proves_nothing() {
    for _ in 0..5 {
        let run = cuts(Pacing::Off);
        assert_eq!(run.delivery.delivered, 0);
        assert!(run.delivery.planned > 0);
        let result = run.results.iter().find(|result| result.id == "mcp.stdio.utf8-split-read");
        assert_ne!(result.unwrap().verdict, Verdict::Pass);
    }
}
