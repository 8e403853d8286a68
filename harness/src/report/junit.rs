//! The JUnit report: what CI systems show of a run, one document, written when the run is over.
//!
//! It holds a failure exactly where the gate fails, so that it never says something else than the exit status. Whatever
//! the gate does not count is told all the same, by the properties and the output of a case that succeeds. All text is
//! made [`printable`] first: the writer of XML leaves out what XML forbids and what a terminal obeys, and what was seen
//! would be gone.

use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use super::text::place;
use super::{Reporter, printable};
use crate::campaign::{Run, RunEvent};
use crate::verdict::{CheckResult, Verdict, fails_gate};

/// Writes the JUnit report.
#[derive(Debug)]
pub struct JunitReporter<W> {
    out: W,
}

impl<W: Write> JunitReporter<W> {
    /// A reporter that writes to `out`.
    pub const fn new(out: W) -> Self {
        Self { out }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> Reporter for JunitReporter<W> {
    fn event(&mut self, event: &RunEvent<'_>) -> io::Result<()> {
        let RunEvent::Finished { run } = event else { return Ok(()) };
        self.out.write_all(to_text(run)?.as_bytes())?;
        self.out.flush()
    }
}

/// The report of a run as text, ended by a line end.
///
/// # Errors
///
/// Never for a run that a campaign yielded.
pub fn to_text(run: &Run) -> io::Result<String> {
    report(run).to_string().map_err(io::Error::other)
}

fn report(run: &Run) -> Report {
    let mut report = Report::new("pipeproof");
    report.timestamp = run.started.parse().ok();
    report.set_time(run.duration);
    report.add_test_suites(suites(run));
    report
}

/// One suite for each (era, revision), in the order of the results. Where there are none the verdict is told all the
/// same, by a suite without cases.
fn suites(run: &Run) -> Vec<TestSuite> {
    let mut suites: Vec<TestSuite> = Vec::new();
    for result in &run.results {
        let words = words(run, result);
        let name = words.join(" ");
        let case = case(run, result, &words.join("."));
        match suites.iter_mut().find(|suite| suite.name == *name) {
            Some(suite) => _ = suite.add_test_case(case),
            None => {
                let mut suite = suite(run, &name);
                suite.add_test_case(case);
                suites.push(suite);
            }
        }
    }
    if suites.is_empty() {
        suites.push(suite(run, &printable(&run.subject.protocol)));
    }
    suites
}

/// The protocol, the era and the revision of a result.
fn words(run: &Run, result: &CheckResult) -> [String; 3] {
    [&run.subject.protocol, result.era.as_str(), &result.revision]
        .map(|word| printable(word).into_owned())
}

fn suite(run: &Run, name: &str) -> TestSuite {
    let mut suite = TestSuite::new(name);
    suite.timestamp = run.started.parse().ok();
    suite.add_properties([
        ("generator", concat!("pipeproof ", env!("CARGO_PKG_VERSION"))),
        ("verdict", run.conformance.as_str()),
        ("robustness", run.robustness.as_str()),
        ("gate", run.gate.as_str()),
        ("scope", run.scope.as_str()),
        ("exit_status", &run.exit.code().to_string()),
        ("interrupted", &run.interrupted.to_string()),
        ("seed", &run.seed.to_string()),
    ]);
    suite
}

fn case(run: &Run, result: &CheckResult, class: &str) -> TestCase {
    let failed = fails_gate(result, &run.fail_on, run.strict);
    let mut case = TestCase::new(&result.id, status(result, failed));
    case.set_classname(class);
    case.add_properties([("verdict", result.verdict.as_str()), ("level", result.level.as_str())]);
    if let Some(cause) = result.cause {
        case.add_property(("cause", cause.as_str()));
    }
    if result.flaky {
        case.add_property(Property::new("flaky", "true"));
    }
    let told = matches!(result.verdict, Verdict::Fail | Verdict::Warn | Verdict::Info);
    if told && !failed {
        case.set_system_out(text(result));
    }
    if let Some(stderr) = &result.stderr {
        let lines: Vec<_> = stderr.lines().map(printable).collect();
        case.set_system_err(lines.join("\n"));
    }
    case
}

/// What a result is in the words of JUnit, which has fewer.
fn status(result: &CheckResult, failed: bool) -> TestCaseStatus {
    let mut status = match result.verdict {
        _ if failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
        Verdict::NotApplicable | Verdict::Untestable | Verdict::Skip => TestCaseStatus::skipped(),
        Verdict::Pass | Verdict::Info | Verdict::Warn | Verdict::Fail => {
            return TestCaseStatus::success();
        }
    };
    let verdict = result.verdict.as_str();
    status.set_type(result.cause.map_or(verdict, |cause| cause.as_str()));
    status.set_message(printable(&result.observed));
    if matches!(status, TestCaseStatus::NonSuccess { .. }) {
        status.set_description(text(result));
    }
    status
}

/// Everything that is known of a result, one thing a line, and what is not to be wrapped on lines of its own.
fn text(result: &CheckResult) -> String {
    let mut lines = vec![printable(&result.summary).into_owned()];
    let fields = [
        ("clause", &result.clause),
        ("expected", &result.expected),
        ("observed", &result.observed),
    ];
    lines.extend(fields.map(|(label, text)| format!("{label}: {}", printable(text))));
    for piece in &result.evidence {
        lines.push(format!("evidence: {}", printable(&place(piece))));
        lines.push(format!("    {}", printable(&piece.excerpt)));
    }
    if let Some(reproduce) = &result.reproduce {
        lines.push("see it again:".into());
        let commands = [&reproduce.pipeproof, &reproduce.shell];
        lines.extend(commands.map(|command| format!("    {}", printable(command))));
    }
    lines.join("\n")
}
