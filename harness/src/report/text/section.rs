//! The parts of the report: which results stand under which heading, and in what order.

use std::io::{self, Write};

use super::Detail;
use super::finding::{self, Finding};
use crate::campaign::Run;
use crate::report::page::{BAD, GOOD, HEAD, ODD, PLAIN, Page};
use crate::verdict::{CheckResult, Level, Verdict};

/// What a section is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What makes the subject not conformant.
    Broken,
    /// Recommendations that were not kept, and deviations that are tolerated.
    Notes,
    /// What has no clause, but does harm.
    Defects,
    /// What applies and could not be judged.
    Unjudged,
    /// What was seen where nothing is required.
    Observations,
    /// What the subject does not declare, or another revision asks for.
    NotApplicable,
    /// What the user did not want judged.
    LeftOut,
    /// What held.
    Passed,
}

const ORDER: &[Kind] = &[
    Kind::Broken,
    Kind::Notes,
    Kind::Defects,
    Kind::Unjudged,
    Kind::Observations,
    Kind::NotApplicable,
    Kind::LeftOut,
    Kind::Passed,
];

/// Results under one heading; those of one requirement stand together.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) kind: Kind,
    pub(super) findings: Vec<Finding<'a>>,
    several_eras: bool,
}

/// Divides the results of a run; no section is empty.
pub(super) fn divide(run: &Run) -> Vec<Section<'_>> {
    let several_eras = run
        .results
        .windows(2)
        .any(|pair| (pair[0].era, &pair[0].revision) != (pair[1].era, &pair[1].revision));
    let mut sections = Vec::new();
    for kind in ORDER {
        let mut findings: Vec<Finding<'_>> = Vec::new();
        for result in run.results.iter().filter(|result| of(result, run.strict) == *kind) {
            match findings.iter_mut().find(|finding| finding.takes(result)) {
                Some(finding) => finding.results.push(result),
                None => findings.push(Finding { results: vec![result] }),
            }
        }
        if !findings.is_empty() {
            sections.push(Section { kind: *kind, findings, several_eras });
        }
    }
    sections
}

fn of(result: &CheckResult, strict: bool) -> Kind {
    match (result.level, result.verdict) {
        (Level::Robust, Verdict::Fail | Verdict::Warn) => Kind::Defects,
        (Level::Must | Level::Should, Verdict::Fail) => Kind::Broken,
        (Level::Should, Verdict::Warn) if strict && !result.flaky => Kind::Broken,
        (_, Verdict::Fail | Verdict::Warn) => Kind::Notes,
        (_, Verdict::Untestable | Verdict::Error) => Kind::Unjudged,
        (_, Verdict::Info) => Kind::Observations,
        (_, Verdict::NotApplicable) => Kind::NotApplicable,
        (_, Verdict::Skip) => Kind::LeftOut,
        (_, Verdict::Pass) => Kind::Passed,
    }
}

impl Section<'_> {
    pub(super) fn write<W: Write>(&self, page: &mut Page<W>, detail: Detail) -> io::Result<()> {
        let (heading, about, style) = match self.kind {
            Kind::Broken => (
                "Broken requirements",
                "The specification asks for these, and the subject does not keep them.",
                BAD,
            ),
            Kind::Notes => (
                "Notes",
                "Recommendations that are not kept, and deviations that clients are known to bear.",
                ODD,
            ),
            Kind::Defects => (
                "Defects outside the specification",
                "No clause forbids these, but reports from the field show the harm. They do not \
                 touch the verdict.",
                ODD,
            ),
            Kind::Unjudged => (
                "Could not be judged",
                "These apply to the subject, but nothing can be said of them.",
                ODD,
            ),
            Kind::Observations => ("Observed, nothing required", "", PLAIN),
            Kind::NotApplicable => ("Not applicable", "", PLAIN),
            Kind::LeftOut => ("Left out at your request", "", PLAIN),
            Kind::Passed => ("Passed", "", GOOD),
        };
        let plain = matches!(
            self.kind,
            Kind::Observations | Kind::NotApplicable | Kind::LeftOut | Kind::Passed
        );
        if plain && detail < Detail::Everything {
            return Ok(());
        }
        if detail > Detail::Headlines {
            let number = format!(" ({})", self.findings.len());
            page.blank()?;
            page.line(0, &[(HEAD, heading), (HEAD, &number)])?;
            if !about.is_empty() {
                page.paragraph(0, PLAIN, about)?;
            }
        }
        match self.kind {
            Kind::Broken | Kind::Notes | Kind::Defects => {
                for finding in &self.findings {
                    finding.write(page, style, detail)?;
                }
                Ok(())
            }
            Kind::Passed | Kind::Observations => {
                page.blank()?;
                let held =
                    |finding: &Finding<'_>| finding.write_held(page, style, self.several_eras);
                self.findings.iter().try_for_each(held)
            }
            Kind::Unjudged | Kind::NotApplicable | Kind::LeftOut => {
                finding::write_by_reason(page, &self.findings, style, detail)
            }
        }
    }
}
