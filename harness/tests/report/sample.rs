//! Runs made by hand.

use std::collections::BTreeSet;
use std::time::Duration;

use pipeproof::campaign::{Delivery, Profile, Run, SubjectFacts};
use pipeproof::protocol::Era;
use pipeproof::verdict::{
    Cause, CheckResult, EvidenceRef, ExitStatus, FailOn, Level, Reproduce, Scope, Stream, Verdict,
    conclude,
};

pub(crate) fn result(id: &str, level: Level, verdict: Verdict) -> CheckResult {
    CheckResult {
        id: id.into(),
        level,
        verdict,
        cause: None,
        flaky: false,
        era: Era::Legacy,
        revision: "2025-11-25".into(),
        clause: format!("https://example.org/specification#{id}"),
        summary: format!("The title of {id}"),
        outcome: "seen".into(),
        expected: "what the clause asks for".into(),
        observed: "what was seen".into(),
        evidence: Vec::new(),
        stderr: None,
        reproduce: None,
    }
}

/// A failure or a warning, with everything that stands beside it.
pub(crate) fn finding(id: &str, level: Level, cause: Cause) -> CheckResult {
    let verdict = level.ceiling();
    CheckResult {
        cause: Some(cause),
        observed:
            "the answer carries the id \"1\", a string, and the request carried 1, a number; \
                   a client that compares them never finds its call"
                .into(),
        evidence: vec![
            EvidenceRef {
                transcript: "s02-conversation".into(),
                stream: Stream::Stdout,
                offset: 120,
                len: 42,
                at: 1_204_567,
                excerpt: r#"{"jsonrpc":"2.0","id":"1","result":{}}\n"#.into(),
            },
            EvidenceRef {
                transcript: "s02-conversation".into(),
                stream: Stream::Process,
                offset: 0,
                len: 0,
                at: 2_000_000,
                excerpt: "exited with code 0".into(),
            },
        ],
        stderr: Some("Traceback:\n  no such file".into()),
        reproduce: Some(Reproduce {
            pipeproof: format!("pipeproof certify --only {id} --seed 7 -- node server.js"),
            shell: format!(
                "{{ printf '{}\\n'; sleep 2; }} | timeout 20 node server.js",
                "x".repeat(150)
            ),
        }),
        ..result(id, level, verdict)
    }
}

pub(crate) fn modern(result: CheckResult) -> CheckResult {
    CheckResult { era: Era::Modern, revision: "2026-07-28".into(), ..result }
}

pub(crate) fn observed(result: CheckResult, observed: &str) -> CheckResult {
    CheckResult { observed: observed.into(), ..result }
}

pub(crate) fn run(results: Vec<CheckResult>) -> Run {
    run_with(results, &[], false)
}

pub(crate) fn run_with(results: Vec<CheckResult>, fail_on: &[FailOn], strict: bool) -> Run {
    let fail_on: BTreeSet<FailOn> = fail_on.iter().copied().collect();
    let judgement = conclude(&results, |_| true, &fail_on, strict);
    Run {
        sessions: Default::default(),
        conformance: judgement.conformance,
        robustness: judgement.robustness,
        gate: judgement.gate,
        scope: Scope::Full,
        exit: judgement.exit,
        interrupted: false,
        subject: SubjectFacts {
            command: ["node", "my server.js", "--port", "1"].map(String::from).into(),
            protocol: "mcp".into(),
            eras: vec![Era::Legacy, Era::Modern],
            revisions: vec!["2025-06-18".into(), "2025-11-25".into(), "2026-07-28".into()],
            name: Some("sample".into()),
            version: Some("1.2.0".into()),
        },
        seed: 7,
        profile: Profile::Standard,
        fail_on,
        strict,
        started: "2026-08-01T12:00:00Z".into(),
        duration: Duration::from_millis(4230),
        starts: 9,
        delivery: Delivery { planned: 212, delivered: 212 },
        results,
        transcripts: Vec::new(),
    }
}

/// All eight verdicts, in both eras.
pub(crate) fn not_conformant() -> Run {
    let echo = finding("mcp.rpc.id-echo", Level::Must, Cause::WrongId);
    let hang = finding("mcp.rpc.exactly-one-response", Level::Must, Cause::Hang);
    let flaky = CheckResult {
        verdict: Verdict::Warn,
        flaky: true,
        evidence: Vec::new(),
        stderr: None,
        ..finding("mcp.life.late", Level::Must, Cause::Late)
    };
    let unopened = |id: &str| {
        observed(result(id, Level::Must, Verdict::Untestable), "no session could be opened")
    };
    run(vec![
        result("mcp.stdio.utf8", Level::Must, Verdict::Pass),
        echo.clone(),
        hang.clone(),
        finding("mcp.stdio.exit-on-stdin-eof", Level::Should, Cause::Hang),
        finding("mcp.stdio.split-read", Level::Robust, Cause::Exited),
        flaky,
        result("mcp.stdio.crlf", Level::May, Verdict::Info),
        observed(
            result("mcp.tools.list", Level::Must, Verdict::NotApplicable),
            "tools are not declared",
        ),
        unopened("mcp.tools.call"),
        unopened("mcp.tools.result"),
        observed(result("mcp.stdio.bom", Level::Must, Verdict::Skip), "left out by --skip"),
        observed(
            result("mcp.stdio.left", Level::Robust, Verdict::Error),
            "/proc could not be read",
        ),
        modern(result("mcp.stdio.utf8", Level::Must, Verdict::Pass)),
        modern(observed(echo, "the id came back as \"2\"")),
        modern(CheckResult {
            cause: Some(Cause::Exited),
            outcome: "exited".into(),
            reproduce: None,
            ..hang
        }),
    ])
}

pub(crate) fn conformant() -> Run {
    let mut run = run(vec![
        result("mcp.stdio.utf8", Level::Must, Verdict::Pass),
        result("mcp.rpc.id-echo", Level::Must, Verdict::Pass),
    ]);
    run.subject.eras = vec![Era::Legacy];
    run.subject.revisions = vec!["2025-11-25".into()];
    run.delivery = Delivery::default();
    run
}

pub(crate) fn with_notes() -> Run {
    let mut run = run(vec![
        result("mcp.stdio.utf8", Level::Must, Verdict::Pass),
        finding("mcp.stdio.exit-on-stdin-eof", Level::Should, Cause::Hang),
    ]);
    run.subject.version = None;
    run
}

pub(crate) fn inconclusive() -> Run {
    run(vec![
        result("mcp.stdio.utf8", Level::Must, Verdict::Pass),
        observed(result("mcp.rpc.id-echo", Level::Must, Verdict::Error), "the disk was full"),
    ])
}

pub(crate) fn strict() -> Run {
    let finding = finding("mcp.stdio.exit-on-stdin-eof", Level::Should, Cause::Hang);
    run_with(vec![finding], &[], true)
}

pub(crate) fn interrupted() -> Run {
    let mut run = run(vec![finding("mcp.rpc.id-echo", Level::Must, Cause::WrongId)]);
    run.interrupted = true;
    run.scope = Scope::Partial;
    run.exit = ExitStatus::INTERRUPTED;
    run
}

/// Broken off before anything was known.
pub(crate) fn empty() -> Run {
    let mut run = run(Vec::new());
    run.interrupted = true;
    run.scope = Scope::Partial;
    run.exit = ExitStatus::INTERRUPTED;
    run.subject = SubjectFacts {
        command: vec!["x".into()],
        protocol: "mcp".into(),
        ..SubjectFacts::default()
    };
    (run.starts, run.delivery) = (0, Delivery::default());
    run
}

pub(crate) fn nothing_applies() -> Run {
    let mut run = run(vec![result("mcp.tools.list", Level::Must, Verdict::NotApplicable)]);
    run.scope = Scope::Partial;
    run
}

/// Every sample by name.
pub(crate) fn all() -> Vec<(&'static str, Run)> {
    vec![
        ("not_conformant", not_conformant()),
        ("conformant", conformant()),
        ("with_notes", with_notes()),
        ("inconclusive", inconclusive()),
        ("strict", strict()),
        ("interrupted", interrupted()),
        ("empty", empty()),
        ("nothing_applies", nothing_applies()),
    ]
}
