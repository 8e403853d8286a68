//! Each liar is caught by its checks and by no other, and the honest server by none.

#![expect(clippy::unwrap_used, reason = "in a test, what failed is the message")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use pipeproof::campaign::{Options, Revisions, Run, Stop, certify};
use pipeproof::catalogue::{Catalogue, Requirement};
use pipeproof::liar::{EraChoice, FaultInfo, faults};
use pipeproof::protocol::{Era, Protocol};
use pipeproof::scenario::CallTools;
use pipeproof::session::Pacing;
use pipeproof::subject::Subject;
use pipeproof::verdict::{Conformance, Robustness, Verdict};

/// Campaigns that are held at once: most of those that take long only wait.
const AT_ONCE: usize = 20;

/// Short, and still no deadline that a busy machine misses: what is late is asked for again with four times as much.
fn options() -> Options {
    Options {
        timeout: Duration::from_millis(1500),
        start_timeout: Duration::from_secs(2),
        ..Options::default()
    }
}

fn run(fault: Option<&str>, era: EraChoice, options: &Options) -> Run {
    let program = env!("CARGO_BIN_EXE_pipeproof");
    let args = ["liar", "--era", era.as_str()].into_iter().chain(fault).map(Into::into);
    let subject = Subject { launcher: Some(program.into()), ..Subject::new(program, args) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(certify(&subject, options, &Stop::new(), &mut |_| {})).unwrap()
}

/// The requirements that were not met, by id.
fn found(run: &Run) -> BTreeSet<&str> {
    let found = run
        .results
        .iter()
        .filter(|result| matches!(result.verdict, Verdict::Fail | Verdict::Warn | Verdict::Error));
    found.map(|result| result.id.as_str()).collect()
}

/// What a run says beside passes, for a test that fails.
fn shown(run: &Run) -> String {
    let mut text = String::new();
    for result in run.results.iter().filter(|result| result.verdict != Verdict::Pass) {
        let (era, verdict, id) = (result.era, result.verdict, &result.id);
        writeln!(text, "    {verdict} {id} ({era}): {}", result.observed).unwrap();
    }
    text
}

/// The revision at which a fault is looked for in an era.
fn revision(fault: &FaultInfo, era: Era) -> &'static str {
    fault.at.unwrap_or(match era {
        Era::Legacy => "2025-11-25",
        Era::Modern => "2026-07-28",
        Era::Plain => "2.0",
    })
}

/// The ids that have to catch a fault, of those that bind.
fn expected(fault: &FaultInfo, era: Era) -> BTreeSet<&'static str> {
    let catalogue = Catalogue::built_in();
    let binds = |id: &&str| {
        let row = catalogue.get(id).unwrap_or_else(|| panic!("{}: no check {id}", fault.name));
        row.binds(era, revision(fault, era))
    };
    fault.catching(era).into_iter().filter(binds).collect()
}

/// The options that a fault is looked for with.
fn options_for(fault: &FaultInfo, era: Era) -> Options {
    let protocol = if era == Era::Plain { Protocol::JsonRpc } else { Protocol::Mcp };
    let revisions = fault.at.map(|revision| Revisions::One(revision.into())).unwrap_or_default();
    // Whole sessions are cut only where that can show anything: it takes longer than all the rest.
    let cut_sessions = fault.caught_by.iter().any(|id| id.contains("split"));
    Options { protocol: Some(protocol), revisions, cut_sessions, ..options() }
}

/// What is wrong with how a fault was caught, if anything.
fn complaint(fault: &FaultInfo, era: Era) -> Option<String> {
    let run = run(Some(fault.name), era.into(), &options_for(fault, era));
    let (expected, mut found) = (expected(fault, era), found(&run));
    // Whether a random cut strikes where a reader fails is a matter of the seed.
    if fault.caught_by.contains(&"mcp.stdio.split-read") {
        found.retain(|id| *id != "mcp.stdio.any-split" || expected.contains(id));
    }
    let flaky = run.results.iter().any(|result| result.flaky);
    (flaky || expected != found).then(|| {
        let shown = shown(&run);
        format!("{} --era {era}: expected {expected:?}, found {found:?}\n{shown}", fault.name)
    })
}

#[test]
fn every_fault_is_caught_by_its_checks_and_by_no_other() {
    let all = faults().iter().flat_map(|fault| fault.eras.iter().map(move |era| (fault, *era)));
    let wanted = std::env::var("PIPEPROOF_TEST_LIAR").ok();
    let mut queue: Vec<_> =
        all.filter(|(fault, _)| wanted.as_deref().is_none_or(|name| name == fault.name)).collect();
    // Whatever waits for an exit that does not come, or is cut in every way, takes longest, so it begins first.
    queue.sort_by_key(|(fault, _)| {
        let by = |part: &str| fault.caught_by.iter().any(|id| id.contains(part));
        (by("split"), by("exit-on"))
    });
    let queue = Mutex::new(queue);
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some((fault, era)) = queue.lock().unwrap().pop() else { break };
                    let complaint = complaint(fault, era);
                    complaints.lock().unwrap().extend(complaint);
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "{} liars:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn the_honest_server_is_caught_by_nothing() {
    for era in EraChoice::ALL {
        let protocol = if era == EraChoice::Plain { Protocol::JsonRpc } else { Protocol::Mcp };
        let every = Options {
            protocol: Some(protocol),
            revisions: Revisions::All,
            // The oldest revision has no way to say that a tool only reads.
            call_tools: CallTools::All,
            jobs: 4,
            ..options()
        };
        let run = run(None, era, &every);
        let shown = shown(&run);
        assert_eq!(run.conformance, Conformance::Conformant, "{era}:\n{shown}");
        assert_eq!(run.robustness, Robustness::Sound, "{era}:\n{shown}");
        for result in &run.results {
            if result.verdict == Verdict::Pass {
                continue;
            }
            let fine = match result.id.as_str() {
                // No client falls back from a server that answers the probe.
                "mcp.life.probe-legacy" => [Verdict::Untestable, Verdict::NotApplicable],
                // Where everything is declared, nothing is undeclared; and older revisions know less.
                "mcp.rpc.undeclared-method" => [Verdict::Pass, Verdict::NotApplicable],
                "mcp.tools.structured-conforms" => [Verdict::Pass, Verdict::NotApplicable],
                "mcp.life.dual-era" => [Verdict::Info; 2],
                // A server of both eras reads a request without its version as one of the other.
                "mcp.rpc.meta-version-required" => [Verdict::Pass, Verdict::Info],
                _ => [Verdict::Pass; 2],
            };
            assert!(fine.contains(&result.verdict), "{era}: {}:\n{shown}", result.id);
        }
        assert_eq!(run.delivery.delivered, run.delivery.planned, "{era}");
        let eras: Vec<EraChoice> = run.subject.eras.iter().map(|era| (*era).into()).collect();
        match era {
            EraChoice::Dual => assert_eq!(eras, [EraChoice::Legacy, EraChoice::Modern]),
            one => assert_eq!(eras, [one]),
        }
    }
}

/// So that no judge can be lost without a test that fails.
#[test]
fn every_requirement_has_a_liar() {
    let can_fail = |row: &&Requirement| {
        row.outcome.iter().any(|one| matches!(one.verdict, Verdict::Fail | Verdict::Warn))
    };
    for row in Catalogue::built_in().requirements().iter().filter(can_fail) {
        let caught = |fault: &FaultInfo| {
            fault.eras.iter().any(|era| expected(fault, *era).contains(row.id.as_str()))
        };
        assert!(faults().iter().any(caught), "no liar is caught by {}", row.id);
    }
}

#[test]
fn every_fault_has_a_name_of_its_own() {
    let names: BTreeSet<&str> = faults().iter().map(|fault| fault.name).collect();
    assert_eq!(names.len(), faults().len());
    for fault in faults() {
        assert!(!fault.eras.is_empty(), "{}", fault.name);
        for era in fault.eras {
            assert!(!expected(fault, *era).is_empty(), "nothing catches {} in {era}", fault.name);
        }
    }
}

const CUT: &str = "mcp.stdio.utf8-split-read";

fn only_cuts(pacing: Pacing) -> Options {
    Options { only: vec![CUT.into()], pacing, cut_sessions: false, ..options() }
}

#[test]
fn a_cut_inside_a_character_is_caught_every_time() {
    for round in 0..100 {
        let options = Options { seed: round, ..only_cuts(Pacing::PipeEmpty) };
        let run = run(Some("cut-inside-euro"), EraChoice::Legacy, &options);
        assert_eq!(found(&run), BTreeSet::from([CUT]), "round {round}:\n{}", shown(&run));
    }
}

#[test]
fn without_pacing_no_cut_counts() {
    for fault in [None, Some("cut-inside-euro")] {
        let run = run(fault, EraChoice::Legacy, &only_cuts(Pacing::Off));
        assert!(run.delivery.planned > 50, "{:?}", run.delivery);
        assert_eq!(run.delivery.delivered, 0, "{:?}", run.delivery);
        let result = run.results.iter().find(|result| result.id == CUT).unwrap();
        // A cut may reach the subject by chance, and what it shows is shown; but nothing is proven by its absence.
        let fine = [Verdict::Untestable, Verdict::Warn];
        assert!(fine.contains(&result.verdict), "{}", result.observed);
        assert!(fault.is_some() || result.verdict == Verdict::Untestable, "{}", result.observed);
    }
}
