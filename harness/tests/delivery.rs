//! Delivery: a subject that logs the sizes of its reads sees exactly the chunks of the plan.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "in a test, what failed is the message")]

use std::path::{Path, PathBuf};

use pipeproof::campaign::{Options, Run, Stop, certify};
use pipeproof::session::Pacing;
use pipeproof::subject::Subject;
use pipeproof::transcript::{Fact, Transcript};

fn run(log: &Path, pacing: Pacing) -> Run {
    let binary = env!("CARGO_BIN_EXE_pipeproof");
    let words = ["liar", "--era", "legacy", "--log-reads", log.to_str().unwrap()];
    let subject = Subject {
        launcher: Some(PathBuf::from(binary)),
        ..Subject::new(binary, words.map(Into::into))
    };
    let options = Options { pacing, seed: 1, ..Options::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(certify(&subject, &options, &Stop::new(), &mut |_| {})).unwrap()
}

/// The sizes of the chunks that were sent, in order.
fn sent(transcripts: &[Transcript]) -> Vec<usize> {
    let events = transcripts.iter().flat_map(|transcript| &transcript.events);
    events
        .filter_map(|event| match &event.fact {
            Fact::Sent(bytes) => Some(bytes.0.len()),
            _ => None,
        })
        .collect()
}

/// The sizes of the reads, as the subject logged them.
fn read(log: &Path) -> Vec<usize> {
    let text = std::fs::read_to_string(log).unwrap();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn the_subject_reads_what_the_plan_sent_chunk_by_chunk() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("reads");
    let run = run(&log, Pacing::PipeEmpty);
    let sent = sent(&run.transcripts);
    assert_eq!(read(&log), sent);
    // Whole requests, single bytes, pieces of characters, and two requests in one write.
    let ones = sent.iter().filter(|size| **size == 1).count();
    assert!(ones > 60, "{ones} single bytes");
    assert!(sent.iter().any(|size| *size > 150));
    assert_eq!(run.delivery.planned, run.delivery.delivered);
}

#[test]
fn without_pacing_the_reads_are_not_those_of_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("reads");
    let run = run(&log, Pacing::Off);
    let (sent, read) = (sent(&run.transcripts), read(&log));
    assert_eq!(sent.iter().sum::<usize>(), read.iter().sum::<usize>());
    assert_ne!(read, sent);
    assert!(run.delivery.delivered < run.delivery.planned);
}
