//! What was found is found again: by the commands that a report prints, and by judging the stored run.

#![expect(clippy::unwrap_used, reason = "in a test, what failed is the message")]

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use pipeproof::campaign::{Options, Revisions, Run, Stop, certify, judge_again};
use pipeproof::liar::{FaultInfo, faults};
use pipeproof::protocol::{Era, Protocol};
use pipeproof::report::json;
use pipeproof::store;
use pipeproof::subject::Subject;
use pipeproof::verdict::{CheckResult, Stream, Verdict};

/// Campaigns that are held at once: most of the time they wait.
const AT_ONCE: usize = 24;

const PROGRAM: &str = env!("CARGO_BIN_EXE_pipeproof");

fn subject(fault: &FaultInfo, era: Era) -> Subject {
    let args = ["liar", "--era", era.as_str(), fault.name].map(Into::into);
    Subject { launcher: Some(PROGRAM.into()), ..Subject::new(PROGRAM, args) }
}

fn options(fault: &FaultInfo, era: Era) -> Options {
    let protocol = if era == Era::Plain { Protocol::JsonRpc } else { Protocol::Mcp };
    let cuts = fault.caught_by.iter().any(|id| id.contains("split"));
    Options {
        protocol: Some(protocol),
        revisions: fault.at.map(|revision| Revisions::One(revision.into())).unwrap_or_default(),
        // The requirements that have to catch the fault, and no other: the rest is looked at elsewhere.
        only: fault.catching(era).into_iter().map(str::to_string).collect(),
        timeout: Duration::from_millis(1500),
        start_timeout: Duration::from_secs(2),
        cut_sessions: cuts,
        ..Options::default()
    }
}

fn run(subject: &Subject, options: &Options) -> Run {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(certify(subject, options, &Stop::new(), &mut |_| {})).unwrap()
}

fn finding(run: &Run) -> Option<&CheckResult> {
    run.results.iter().find(|result| matches!(result.verdict, Verdict::Fail | Verdict::Warn))
}

/// What is wrong with how a fault is found again, if anything.
fn complaint(fault: &FaultInfo, era: Era, folder: &Path) -> Option<String> {
    let (subject, options) = (subject(fault, era), options(fault, era));
    let run = run(&subject, &options);
    let name = format!("{} --era {era}", fault.name);
    let Some(found) = finding(&run) else { return Some(format!("{name}: not found")) };
    store::write(folder, &subject, &options, &run).unwrap();
    let stored = store::open(folder).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let again = runtime.block_on(judge_again(stored)).unwrap();
    if json::to_text(&again).unwrap() != json::to_text(&run).unwrap() {
        return Some(format!("{name}: the stored run comes to something else"));
    }
    let commands = found.reproduce.as_ref().unwrap();
    let ours = commands.pipeproof.replacen("pipeproof certify", "\"$PIPEPROOF\" certify", 1);
    let ours = ours.replacen(" -- ", " --timeout 1500ms --start-timeout 2s --report json -- ", 1);
    let output = shell(&ours);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let cause = found.cause.map(|cause| cause.as_str());
    let same = report["checks"].as_array().into_iter().flatten().any(|check| {
        check["id"] == found.id
            && check["outcome"] == found.outcome
            && check["cause"].as_str() == cause
    });
    if !same {
        let log = String::from_utf8_lossy(&output.stderr);
        return Some(format!("{name}: not shown again by {ours}\n{log}"));
    }
    let output = shell(&commands.shell);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !text.contains("exit status") {
        return Some(format!("{name}: nothing shown by {}", commands.shell));
    }
    // What was seen on stdout is seen there again, as far as it is a message and can be compared as text.
    let mut seen = found.evidence.iter().filter(|piece| piece.stream == Stream::Stdout);
    let missing = seen.find_map(|piece| {
        let excerpt = piece.excerpt.strip_suffix("\\n").unwrap_or(&piece.excerpt);
        let is_message = serde_json::from_str::<serde_json::Value>(excerpt).is_ok();
        let plain = !excerpt.contains('\\') && is_message;
        (plain && !text.contains(excerpt)).then_some(excerpt)
    });
    missing.map(|excerpt| {
        format!("{name} ({}): no `{excerpt}` in {text} by {}", found.id, commands.shell)
    })
}

fn shell(command: &str) -> std::process::Output {
    Command::new("sh").args(["-c", command]).env("PIPEPROOF", PROGRAM).output().unwrap()
}

#[test]
fn every_fault_is_shown_again() {
    let folder = tempfile::tempdir().unwrap();
    let all = faults().iter().flat_map(|fault| fault.eras.iter().map(move |era| (fault, *era)));
    // One era is enough to see that the commands say all that has to be said; every third fault, by turns, in another.
    let one = |(number, (fault, era)): (usize, (&'static FaultInfo, Era))| {
        let first = fault.eras[number % fault.eras.len()] == era || fault.eras.len() == 1;
        first.then_some((fault, era))
    };
    let mut queue: Vec<_> = all.enumerate().filter_map(one).collect();
    // What is cut in every way takes longest, so it begins first.
    queue.sort_by_key(|(fault, _)| fault.caught_by.iter().any(|id| id.contains("split")));
    let queue = Mutex::new(queue);
    let complaints = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for worker in 0..AT_ONCE {
            let (queue, complaints, folder) = (&queue, &complaints, folder.path());
            scope.spawn(move || {
                loop {
                    let next = queue.lock().unwrap().pop();
                    let Some((fault, era)) = next else { break };
                    let folder = folder.join(format!("{worker}-{}-{era}", fault.name));
                    let complaint = complaint(fault, era, &folder);
                    complaints.lock().unwrap().extend(complaint);
                }
            });
        }
    });
    let complaints = complaints.into_inner().unwrap();
    assert!(complaints.is_empty(), "{}:\n{}", complaints.len(), complaints.join("\n"));
}
