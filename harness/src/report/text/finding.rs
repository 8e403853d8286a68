//! One requirement and what came of it, in one era or in several.

use std::io::{self, Write};

use anstyle::Style;

use super::Detail;
use crate::report::json::wire::stream;
use crate::report::page::{DIM, HEAD, PLAIN, Page, count};
use crate::verdict::{CheckResult, EvidenceRef, Stream, Verdict};

/// How far the lines of a finding stand from the edge.
const INDENT: usize = 4;
/// How many pieces of evidence are shown; the JSON report holds all.
const PIECES: usize = 3;
/// How much of an excerpt is shown, in characters.
const EXCERPT: usize = 480;

/// The results of one requirement that stand under the same heading, at least one.
#[derive(Debug)]
pub(super) struct Finding<'a> {
    pub(super) results: Vec<&'a CheckResult>,
}

impl Finding<'_> {
    /// Whether a result belongs to this finding.
    pub(super) fn takes(&self, result: &CheckResult) -> bool {
        let first = self.results[0];
        first.id == result.id && first.verdict == result.verdict
    }

    /// Writes it in full, or with [`Detail::Headlines`] its first line.
    pub(super) fn write<W: Write>(
        &self,
        page: &mut Page<W>,
        style: Style,
        detail: Detail,
    ) -> io::Result<()> {
        let first = self.results[0];
        if detail > Detail::Headlines {
            page.blank()?;
        }
        let title = format!("  {}", first.summary);
        page.line(
            0,
            &[(style, first.verdict.as_str()), (HEAD, &format!("  {}", first.id)), (PLAIN, &title)],
        )?;
        if detail == Detail::Headlines {
            return Ok(());
        }
        let cause = first.cause.map(|cause| format!(" · {cause}")).unwrap_or_default();
        let flaky = if first.flaky { " · flaky" } else { "" };
        let about = format!("{}{cause}{flaky} · {}", first.level, eras(&self.results));
        page.line(INDENT, &[(DIM, &about)])?;
        page.field(INDENT, "clause", &first.clause)?;
        body(page, first)?;
        for other in &self.results[1..] {
            let same = (other.cause, &other.outcome) == (first.cause, &first.outcome);
            let cause = match other.cause {
                Some(cause) if other.cause != first.cause => format!(" · {cause}"),
                _ => String::new(),
            };
            let again = if same { "The same in" } else { "Otherwise in" };
            page.line(INDENT, &[(HEAD, &format!("{again} {}{cause}:", era(other)))])?;
            if same && detail < Detail::Everything {
                page.field(INDENT, "observed", &other.observed)?;
                evidence(page, &other.evidence, 1)?;
            } else {
                body(page, other)?;
            }
        }
        Ok(())
    }

    /// Writes it in one line, or two where there is something to say.
    pub(super) fn write_held<W: Write>(
        &self,
        page: &mut Page<W>,
        style: Style,
        several_eras: bool,
    ) -> io::Result<()> {
        let first = self.results[0];
        let title = format!("  {}", first.summary);
        let eras =
            if several_eras { format!("  ({})", eras(&self.results)) } else { String::new() };
        let id = format!("  {}", first.id);
        let verdict = first.verdict.as_str();
        page.line(0, &[(style, verdict), (PLAIN, &id), (DIM, &title), (DIM, &eras)])?;
        if first.verdict == Verdict::Info {
            page.field(INDENT, "observed", &first.observed)?;
        }
        Ok(())
    }
}

/// What was expected, what was seen, the bytes, and how to see it again.
fn body<W: Write>(page: &mut Page<W>, result: &CheckResult) -> io::Result<()> {
    page.field(INDENT, "expected", &result.expected)?;
    page.field(INDENT, "observed", &result.observed)?;
    evidence(page, &result.evidence, PIECES)?;
    if let Some(stderr) = &result.stderr {
        page.verbatim(INDENT, "stderr", stderr)?;
    }
    if let Some(reproduce) = &result.reproduce {
        page.line(INDENT, &[(HEAD, "See it again:")])?;
        for command in [&reproduce.pipeproof, &reproduce.shell] {
            page.line(INDENT + 2, &[(PLAIN, command)])?;
        }
    }
    Ok(())
}

fn evidence<W: Write>(page: &mut Page<W>, pieces: &[EvidenceRef], most: usize) -> io::Result<()> {
    for piece in pieces.iter().take(most) {
        let label = if piece.stream == Stream::Process { "event" } else { "bytes" };
        page.verbatim(INDENT, label, &format!("{}\n{}", place(piece), bounded(&piece.excerpt)))?;
    }
    if pieces.len() > most {
        let more = format!("and {} more in the JSON report", pieces.len() - most);
        page.verbatim(INDENT, "", &more)?;
    }
    Ok(())
}

/// Where a piece of evidence stands.
pub(in crate::report) fn place(piece: &EvidenceRef) -> String {
    let seconds = format!("{}.{:03} s", piece.at / 1_000_000, piece.at / 1000 % 1000);
    match piece.len {
        0 => format!("{} · {} · at {seconds}", piece.transcript, stream(piece.stream)),
        len => format!(
            "{} · {} · offset {} · {} · at {seconds}",
            piece.transcript,
            stream(piece.stream),
            piece.offset,
            count(usize::try_from(len).unwrap_or(usize::MAX), "byte"),
        ),
    }
}

fn bounded(excerpt: &str) -> String {
    let length = excerpt.chars().count();
    if length <= EXCERPT {
        return excerpt.replace('\n', "\\n");
    }
    let shown: String = excerpt.chars().take(EXCERPT).collect();
    format!("{}… ({} characters more)", shown.replace('\n', "\\n"), length - EXCERPT)
}

/// Writes what has no more to say than a reason: each reason once, and what it holds for.
pub(super) fn write_by_reason<W: Write>(
    page: &mut Page<W>,
    findings: &[Finding<'_>],
    style: Style,
    detail: Detail,
) -> io::Result<()> {
    let mut reasons: Vec<((Verdict, &str), Vec<&CheckResult>)> = Vec::new();
    for result in findings.iter().flat_map(|finding| &finding.results) {
        let reason = (result.verdict, result.observed.as_str());
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, results)) => results.push(result),
            None => reasons.push((reason, vec![result])),
        }
    }
    for ((verdict, reason), results) in reasons {
        if detail > Detail::Headlines {
            page.blank()?;
        }
        let mut ids: Vec<&str> = results.iter().map(|result| result.id.as_str()).collect();
        ids.dedup();
        let whose = match verdict {
            Verdict::Error => " (a fault of Pipeproof or of this machine)",
            _ => "",
        };
        let number = if detail > Detail::Headlines {
            String::new()
        } else {
            format!("  {}:", count(ids.len(), "requirement"))
        };
        let reason = format!("  {reason}");
        let pieces = [(style, verdict.as_str()), (PLAIN, whose), (PLAIN, &number), (HEAD, &reason)];
        page.line(0, &pieces)?;
        if detail > Detail::Headlines {
            page.line(INDENT, &[(DIM, &eras(&results))])?;
            page.paragraph(INDENT, PLAIN, &ids.join(", "))?;
        }
    }
    Ok(())
}

fn era(result: &CheckResult) -> String {
    format!("{} {}", result.era, result.revision)
}

/// The eras and revisions of some results, each once.
fn eras(results: &[&CheckResult]) -> String {
    let mut all: Vec<String> = Vec::new();
    for result in results {
        let era = era(result);
        if !all.contains(&era) {
            all.push(era);
        }
    }
    all.join(", ")
}
