//! `pipeproof explain`: one requirement in full.

use std::io;
use std::process::ExitCode;

use super::failure::Failure;
use super::list::{lines, wide_table};
use super::suggest::did_you_mean;
use super::{help, terminal};
use crate::catalogue::{Catalogue, Requirement};
use crate::liar::{self, FaultInfo};
use crate::protocol::{Era, jsonrpc, mcp};
use crate::report::page::{DIM, HEAD, PLAIN, Page};

/// How far the outcome table stands from the edge.
const INDENT: usize = 2;

/// Explain one requirement: where it is written, why it matters, how it is judged
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::EXPLAIN)]
pub(super) struct Args {
    /// The requirement's id, such as mcp.rpc.id-echo
    id: String,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let catalogue = Catalogue::built_in();
    let Some(requirement) = catalogue.get(&args.id) else {
        let known = catalogue.requirements().iter().map(|row| row.id.as_str());
        let similar = did_you_mean(&args.id, known);
        let id = &args.id;
        return Err(Failure::usage(format!(
            "`{id}` is no requirement; see `pipeproof list`{similar}"
        )));
    };
    let mut page = Page::new(Vec::new(), terminal::width());
    explain(&mut page, requirement)?;
    terminal::print(&String::from_utf8_lossy(&page.into_inner())).map(|()| ExitCode::SUCCESS)
}

fn explain(page: &mut Page<Vec<u8>>, requirement: &Requirement) -> io::Result<()> {
    let level = format!("  {}", requirement.level);
    page.line(0, &[(HEAD, &requirement.id), (DIM, &level)])?;
    page.paragraph(0, PLAIN, &requirement.title)?;
    page.blank()?;
    page.paragraph(0, PLAIN, &requirement.requirement)?;
    page.blank()?;
    page.field(0, "why", &requirement.why)?;
    page.verbatim(0, "clause", &clauses(requirement))?;
    page.field(0, "revisions", &revisions(requirement))?;
    match &requirement.core {
        Some(core) => {
            let text = format!("of {}: {}", core.revisions.join(", "), core.reason);
            page.field(0, "core", &text)?;
        }
        None => page.field(0, "core", "no; a verdict can do without it")?,
    }
    let driven = if requirement.stimuli.is_empty() {
        "nothing of its own: whatever the subject does is evidence".into()
    } else {
        requirement.stimuli.join(", ")
    };
    page.field(0, "takes", &driven)?;
    let plain = requirement.protocol() == jsonrpc::NAME;
    let catches = |fault: &FaultInfo| {
        let mut eras = fault.eras.iter().filter(|era| (**era == Era::Plain) == plain);
        eras.any(|era| fault.catching(*era).contains(requirement.id.as_str()))
    };
    let era = if plain { " --era plain" } else { "" };
    let liars: Vec<String> = liar::faults()
        .iter()
        .filter(|fault| catches(fault))
        .map(|fault| format!("pipeproof liar {}{era}", fault.name))
        .collect();
    if !liars.is_empty() {
        page.verbatim(0, "broken by", &liars.join("\n"))?;
    }
    let held = if plain { "--protocol jsonrpc " } else { "" };
    page.verbatim(
        0,
        "judge it",
        &format!("pipeproof certify {held}--only {} -- PROGRAM", requirement.id),
    )?;
    page.blank()?;
    page.line(0, &[(HEAD, "What may be seen"), (DIM, "  the first that is seen decides")])?;
    for line in outcomes(requirement).lines() {
        page.line(INDENT, &[(PLAIN, line)])?;
    }
    Ok(())
}

/// Where it is written, each place once.
fn clauses(requirement: &Requirement) -> String {
    let mut places: Vec<(String, Vec<Era>)> = Vec::new();
    let plain = &[jsonrpc::REVISION][..];
    let all: &[(Era, &[&str])] = match requirement.protocol() {
        jsonrpc::NAME => &[(Era::Plain, plain)],
        _ => &[(Era::Legacy, mcp::LEGACY), (Era::Modern, mcp::MODERN)],
    };
    for (era, revisions) in all.iter().copied() {
        let binding = |revision: &&&str| requirement.binds(era, revision);
        let Some(revision) = revisions.iter().rev().find(binding) else { continue };
        let place = requirement.clause(era, revision);
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, eras)) => eras.push(era),
            None => places.push((place, vec![era])),
        }
    }
    match places.as_slice() {
        [(place, _)] => place.clone(),
        places => {
            let line = |(place, eras): &(String, Vec<Era>)| {
                let eras: Vec<&str> = eras.iter().map(|era| era.as_str()).collect();
                format!("{place} ({})", eras.join(", "))
            };
            places.iter().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}

fn revisions(requirement: &Requirement) -> String {
    match (&requirement.since, &requirement.until) {
        (None, None) => "all".into(),
        (Some(since), None) => format!("from {since} on"),
        (None, Some(until)) => format!("up to {until}"),
        (Some(since), Some(until)) => format!("from {since} to {until}"),
    }
}

/// The outcome table.
fn outcomes(requirement: &Requirement) -> String {
    let mut table = wide_table(INDENT);
    for row in &requirement.outcome {
        let cause = row.cause.map(|cause| cause.as_str()).unwrap_or_default();
        let text = match &row.tolerated {
            Some(why) => format!("{}\ntolerated, but not with --strict: {why}", row.text),
            None => row.text.clone(),
        };
        table.add_row([&row.when, row.verdict.as_str(), cause, &text]);
    }
    lines(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_requirement_can_be_explained() {
        for requirement in Catalogue::built_in().requirements() {
            let mut page = Page::new(Vec::new(), 80);
            explain(&mut page, requirement).unwrap();
            let text = anstream::adapter::strip_bytes(&page.into_inner()).into_vec();
            let text = String::from_utf8(text).unwrap();
            assert!(text.contains(&requirement.title), "{text}");
            assert!(!text.contains("{revision}"), "{text}");
            for row in &requirement.outcome {
                assert!(text.contains(&row.when), "{text}");
            }
        }
    }
}
