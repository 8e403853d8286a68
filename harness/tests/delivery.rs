//! Delivery: a subject that logs the sizes of its reads sees exactly the chunks of the plan.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "in a test, what failed is the message")]

use std::path::{Path, PathBuf};

use pipeproof::campaign::{Options, Run, Stop, certify};
use pipeproof::check::Reading;
use pipeproof::session::Pacing;
use pipeproof::split::SplitPlan;
use pipeproof::subject::Subject;
use pipeproof::transcript::{Fact, Transcript};

fn run(era: &str, log: &Path, pacing: Pacing) -> Run {
    let binary = env!("CARGO_BIN_EXE_pipeproof");
    let words = ["liar", "--era", era, "--log-reads", log.to_str().unwrap()];
    let subject = Subject {
        launcher: Some(PathBuf::from(binary)),
        ..Subject::new(binary, words.map(Into::into))
    };
    let options = Options { pacing, seed: 1, ..Options::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(certify(&subject, &options, &Stop::new(), &mut |_| {})).unwrap()
}

/// The sizes of the chunks that were sent, in order.
fn sent(transcript: &Transcript) -> impl Iterator<Item = usize> {
    transcript.events.iter().filter_map(|event| match &event.fact {
        Fact::Sent(bytes) => Some(bytes.0.len()),
        _ => None,
    })
}

/// The sizes of the reads, as the subject logged them.
fn read(log: &Path) -> Vec<usize> {
    let text = std::fs::read_to_string(log).unwrap();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn the_subject_reads_what_was_sent_chunk_by_chunk() {
    for era in ["legacy", "dual"] {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("reads");
        let run = run(era, &log, Pacing::PipeEmpty);
        let sent: Vec<usize> = run.transcripts.iter().flat_map(sent).collect();
        assert_eq!(read(&log), sent, "{era}");
        assert_eq!(run.delivery.planned, run.delivery.delivered, "{era}");
    }
}

#[test]
fn what_was_sent_for_a_stimulus_are_the_chunks_of_its_plan() {
    let folder = tempfile::tempdir().unwrap();
    let run = run("legacy", &folder.path().join("reads"), Pacing::PipeEmpty);
    let cuts = run.transcripts.into_iter().find(|one| one.header.scenario == "cuts").unwrap();
    let reading = Reading::new(cuts);
    let ledger = &reading.ledger;
    let mut pieces = Vec::new();
    for stimulus in ledger.stimuli().iter().filter(|stimulus| stimulus.name.starts_with("cut-")) {
        let plan: SplitPlan = stimulus.variant.parse().unwrap();
        let frame = &ledger.sent()[ledger.calls()[stimulus.calls[0]].frame];
        let line = [&frame.bytes[..], b"\n"].concat();
        let planned: Vec<usize> = plan.chunks(&line).iter().map(|chunk| chunk.len()).collect();
        let mut at = 0;
        let of_frame = |chunk: &usize| {
            let begins = at;
            at += *chunk as u64;
            (frame.offset..frame.offset + frame.len).contains(&begins)
        };
        let chunks: Vec<usize> = sent(&reading.transcript).filter(of_frame).collect();
        assert_eq!(chunks, planned, "{plan}");
        pieces.push(chunks.len());
    }
    assert!(pieces.contains(&1), "no request was sent whole: {pieces:?}");
    assert!(pieces.contains(&2), "no request was cut in one place: {pieces:?}");
    assert!(pieces.iter().any(|pieces| *pieces > 60), "none was sent byte by byte: {pieces:?}");
}

#[test]
fn without_pacing_the_reads_are_not_what_was_sent() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("reads");
    let run = run("legacy", &log, Pacing::Off);
    let sent: Vec<usize> = run.transcripts.iter().flat_map(sent).collect();
    let read = read(&log);
    assert_eq!(sent.iter().sum::<usize>(), read.iter().sum::<usize>());
    assert_ne!(read, sent);
    assert!(run.delivery.delivered < run.delivery.planned);
}
