//! The first lines of the report and the last: the verdict, the subject, the numbers.

use std::io::{self, Write};

use anstyle::Style;

use super::Detail;
use super::section::{Kind, Section};
use crate::campaign::{Run, SubjectFacts};
use crate::report::page::{BAD, DIM, GOOD, ODD, PLAIN, Page, count};
use crate::verdict::{Conformance, ExitStatus, Gate, Robustness, Scope, Verdict};

/// The verdict in one line, and what it means in a few words.
pub(super) fn verdict<W: Write>(
    page: &mut Page<W>,
    run: &Run,
    sections: &[Section<'_>],
    detail: Detail,
) -> io::Result<()> {
    let word = run.conformance.as_str().replace('-', " ");
    let scope = format!("scope {}", run.scope);
    let robustness = format!("robustness {}", run.robustness);
    let gate = format!("gate {}", run.gate);
    let status = format!("exit status {}", run.exit.code());
    let dot = (DIM, " · ");
    let mut pieces = vec![
        (conformance_style(run.conformance), word.as_str()),
        dot,
        (PLAIN, &scope),
        dot,
        (if run.robustness == Robustness::Sound { PLAIN } else { ODD }, &robustness),
        dot,
        (if run.gate == Gate::Passed { PLAIN } else { BAD }, &gate),
        dot,
        (PLAIN, &status),
    ];
    if run.interrupted {
        pieces.extend([dot, (ODD, "interrupted")]);
    }
    page.line(0, &pieces)?;
    if detail == Detail::Headlines {
        return Ok(());
    }
    page.paragraph(0, PLAIN, &meaning(run, sections))
}

const fn conformance_style(conformance: Conformance) -> Style {
    match conformance {
        Conformance::Conformant | Conformance::ConformantWithNotes => GOOD,
        Conformance::Inconclusive => ODD,
        Conformance::NotConformant => BAD,
    }
}

/// What the verdict means, in sentences.
fn meaning(run: &Run, sections: &[Section<'_>]) -> String {
    let number = |kind: Kind| {
        let section = sections.iter().find(|section| section.kind == kind);
        section.map_or(0, |section| section.findings.len())
    };
    let judged = run
        .results
        .iter()
        .any(|result| !matches!(result.verdict, Verdict::NotApplicable | Verdict::Skip));
    let mut sentences = Vec::new();
    if run.interrupted {
        sentences.push("The run was interrupted; what follows was judged until then.".into());
    }
    sentences.push(match run.conformance {
        _ if !judged && run.exit == ExitStatus::NOTHING_APPLIES => {
            "Nothing of what was selected applies to this subject, so nothing was judged.".into()
        }
        _ if !judged => "Nothing was judged.".into(),
        Conformance::Conformant => {
            "Every requirement that applies and was exercised held.".to_string()
        }
        Conformance::ConformantWithNotes => {
            format!("No requirement is broken; see {} below.", count(number(Kind::Notes), "note"))
        }
        Conformance::Inconclusive => "No requirement was seen broken, but one that the verdict \
                                      cannot do without could not be judged."
            .into(),
        Conformance::NotConformant => match number(Kind::Broken) {
            1 => "1 requirement is broken.".into(),
            number => format!("{number} requirements are broken."),
        },
    });
    if run.robustness == Robustness::Defects {
        sentences.push(match number(Kind::Defects) {
            1 => "There is 1 defect outside the specification.".into(),
            number => format!("There are {number} defects outside the specification."),
        });
    }
    if run.scope == Scope::Partial {
        sentences.push("Only a selection was judged, so this is no certificate.".into());
    }
    sentences.join(" ")
}

/// Who was judged.
pub(super) fn subject<W: Write>(page: &mut Page<W>, subject: &SubjectFacts) -> io::Result<()> {
    page.blank()?;
    let name = match (&subject.name, &subject.version) {
        (Some(name), Some(version)) => format!("{name} {version}"),
        (Some(name), None) => name.clone(),
        (None, Some(version)) => format!("version {version}"),
        (None, None) => "it gave no name".into(),
    };
    page.field(0, "server", &name)?;
    let eras: Vec<&str> = subject.eras.iter().map(|era| era.as_str()).collect();
    let spoken = match (eras.as_slice(), subject.revisions.join(", ")) {
        ([], _) => "it answered in no era that is known".into(),
        (eras, revisions) if revisions.is_empty() => format!("era {}", eras.join(" and ")),
        (eras, revisions) => {
            let noun = if subject.revisions.len() == 1 { "revision" } else { "revisions" };
            format!("era {} · {noun} {revisions}", eras.join(" and "))
        }
    };
    page.field(0, "protocol", &format!("{} · {spoken}", subject.protocol))?;
    let command: Vec<String> = subject.command.iter().map(|word| quote(word)).collect();
    page.verbatim(0, "command", &command.join(" ").replace('\n', "\\n"))
}

/// What was done, in numbers.
pub(super) fn numbers<W: Write>(page: &mut Page<W>, run: &Run, detail: Detail) -> io::Result<()> {
    let counts = run.counts();
    page.blank()?;
    let words: Vec<String> =
        counts.iter().map(|(verdict, number)| format!("{number} {verdict}")).collect();
    page.field(0, "results", &words.join(" · "))?;
    let any = |verdicts: &[Verdict]| {
        verdicts.iter().any(|verdict| counts.get(verdict).is_some_and(|number| *number > 0))
    };
    let hidden = any(&[Verdict::Pass, Verdict::Info, Verdict::NotApplicable, Verdict::Skip]);
    let finding = any(&[Verdict::Fail, Verdict::Warn]);
    if hidden && detail < Detail::Everything {
        page.field(0, "", "what passed, was noted, left out or does not apply: -v")?;
    }
    if finding && detail < Detail::Everything {
        page.field(0, "", "what a requirement means: pipeproof explain ID")?;
    }
    let seconds = run.duration.as_secs_f64();
    let starts = count(run.starts, "start");
    page.field(0, "sessions", &format!("{starts} of the subject in {seconds:.1} s"))?;
    let delivery = run.delivery;
    let cuts = if delivery.planned == 0 {
        "none planned".into()
    } else {
        format!("delivered {} of {}", delivery.delivered, delivery.planned)
    };
    page.field(0, "cuts", &cuts)?;
    let run_of = format!("seed {} · profile {} · {}", run.seed, run.profile.as_str(), run.started);
    page.field(0, "run", &run_of)
}

/// A word as a shell reads it back.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "@%+=:,./-_".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
