//! The form of the JSON report, version 1.
//!
//! Every member is always present; what is absent is `null`. The names and words are those of
//! `fixtures/schema/report.v1.json`, which says what each of them means.

use serde::Serialize;

use crate::campaign::Run;
use crate::verdict::{CheckResult, EvidenceRef, FailOn, Stream, Verdict};

/// The version of the form.
pub const SCHEMA_VERSION: &str = "1";

/// A whole report.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    schema_version: &'static str,
    generator: Generator,
    verdict: &'static str,
    robustness: &'static str,
    gate: &'static str,
    scope: &'static str,
    exit_status: u8,
    interrupted: bool,
    subject: Subject<'a>,
    seed: u64,
    profile: &'static str,
    fail_on: Vec<&'static str>,
    strict: bool,
    counts: Counts,
    started: &'a str,
    duration_ms: u64,
    starts: usize,
    delivery: Delivery,
    checks: Vec<Check<'a>>,
}

#[derive(Debug, Serialize)]
struct Generator {
    name: &'static str,
    version: &'static str,
}

#[derive(Debug, Serialize)]
struct Subject<'a> {
    command: &'a [String],
    protocol: &'a str,
    eras: Vec<&'static str>,
    revisions: &'a [String],
    server: Server<'a>,
}

#[derive(Debug, Serialize)]
struct Server<'a> {
    name: Option<&'a str>,
    version: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Counts {
    pass: usize,
    fail: usize,
    warn: usize,
    info: usize,
    not_applicable: usize,
    untestable: usize,
    skip: usize,
    error: usize,
}

#[derive(Debug, Serialize)]
struct Delivery {
    planned: usize,
    delivered: usize,
}

#[derive(Debug, Serialize)]
struct Check<'a> {
    id: &'a str,
    level: &'static str,
    verdict: &'static str,
    cause: Option<&'static str>,
    flaky: bool,
    era: &'static str,
    revision: &'a str,
    clause: &'a str,
    summary: &'a str,
    outcome: &'a str,
    expected: &'a str,
    observed: &'a str,
    evidence: Vec<Evidence<'a>>,
    stderr: Option<&'a str>,
    reproduce: Option<Reproduce<'a>>,
}

#[derive(Debug, Serialize)]
struct Evidence<'a> {
    transcript: &'a str,
    stream: &'static str,
    offset: u64,
    len: u64,
    at_us: u64,
    excerpt: &'a str,
}

#[derive(Debug, Serialize)]
struct Reproduce<'a> {
    pipeproof: &'a str,
    shell: &'a str,
}

impl<'a> Report<'a> {
    /// The report of a run.
    #[must_use]
    pub fn new(run: &'a Run) -> Self {
        let subject = &run.subject;
        Self {
            schema_version: SCHEMA_VERSION,
            generator: Generator { name: "pipeproof", version: env!("CARGO_PKG_VERSION") },
            verdict: run.conformance.as_str(),
            robustness: run.robustness.as_str(),
            gate: run.gate.as_str(),
            scope: run.scope.as_str(),
            exit_status: run.exit.code(),
            interrupted: run.interrupted,
            subject: Subject {
                command: &subject.command,
                protocol: &subject.protocol,
                eras: subject.eras.iter().map(|era| era.as_str()).collect(),
                revisions: &subject.revisions,
                server: Server {
                    name: subject.name.as_deref(),
                    version: subject.version.as_deref(),
                },
            },
            seed: run.seed,
            profile: run.profile.as_str(),
            fail_on: fail_on(run),
            strict: run.strict,
            counts: Counts::new(run),
            started: &run.started,
            duration_ms: u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX),
            starts: run.starts,
            delivery: Delivery { planned: run.delivery.planned, delivered: run.delivery.delivered },
            checks: run.results.iter().map(Check::new).collect(),
        }
    }
}

/// What made the gate fail, or would have.
fn fail_on(run: &Run) -> Vec<&'static str> {
    if run.fail_on.is_empty() {
        return vec![FailOn::Must.as_str()];
    }
    run.fail_on.iter().map(|on| on.as_str()).collect()
}

impl Counts {
    fn new(run: &Run) -> Self {
        let counts = run.counts();
        let count = |verdict: Verdict| counts.get(&verdict).copied().unwrap_or_default();
        Self {
            pass: count(Verdict::Pass),
            fail: count(Verdict::Fail),
            warn: count(Verdict::Warn),
            info: count(Verdict::Info),
            not_applicable: count(Verdict::NotApplicable),
            untestable: count(Verdict::Untestable),
            skip: count(Verdict::Skip),
            error: count(Verdict::Error),
        }
    }
}

impl<'a> Check<'a> {
    fn new(result: &'a CheckResult) -> Self {
        Self {
            id: &result.id,
            level: result.level.as_str(),
            verdict: result.verdict.as_str(),
            cause: result.cause.map(|cause| cause.as_str()),
            flaky: result.flaky,
            era: result.era.as_str(),
            revision: &result.revision,
            clause: &result.clause,
            summary: &result.summary,
            outcome: &result.outcome,
            expected: &result.expected,
            observed: &result.observed,
            evidence: result.evidence.iter().map(Evidence::new).collect(),
            stderr: result.stderr.as_deref(),
            reproduce: result.reproduce.as_ref().map(|reproduce| Reproduce {
                pipeproof: &reproduce.pipeproof,
                shell: &reproduce.shell,
            }),
        }
    }
}

impl<'a> Evidence<'a> {
    fn new(piece: &'a EvidenceRef) -> Self {
        Self {
            transcript: &piece.transcript,
            stream: stream(piece.stream),
            offset: piece.offset,
            len: piece.len,
            at_us: piece.at,
            excerpt: &piece.excerpt,
        }
    }
}

/// The word for a stream, the same in every report.
#[must_use]
pub const fn stream(stream: Stream) -> &'static str {
    match stream {
        Stream::Stdin => "stdin",
        Stream::Stdout => "stdout",
        Stream::Stderr => "stderr",
        Stream::Process => "process",
    }
}
