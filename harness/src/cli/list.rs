//! `pipeproof list`: the catalogue, one requirement a line.

use std::process::ExitCode;

use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use super::failure::Failure;
use super::{help, terminal};
use crate::catalogue::{Catalogue, Requirement};

/// List every requirement, one a line
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::LIST)]
pub(super) struct Args {
    /// Write JSON, with all that is known of each requirement but its outcome table
    #[arg(long)]
    json: bool,
}

/// The form of `list --json`, version 1.
#[derive(Debug, Serialize)]
struct List<'a> {
    schema_version: &'static str,
    requirements: Vec<Row<'a>>,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    id: &'a str,
    level: &'static str,
    title: &'a str,
    requirement: &'a str,
    why: &'a str,
    since: Option<&'a str>,
    until: Option<&'a str>,
    core: &'a [String],
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let requirements = Catalogue::built_in().requirements();
    let text = if args.json { json(requirements)? } else { table(requirements) };
    terminal::print(&text).map(|()| ExitCode::SUCCESS)
}

fn json(requirements: &[Requirement]) -> Result<String, Failure> {
    let requirements = requirements
        .iter()
        .map(|row| Row {
            id: &row.id,
            level: row.level.as_str(),
            title: &row.title,
            requirement: &row.requirement,
            why: &row.why,
            since: row.since.as_deref(),
            until: row.until.as_deref(),
            core: row.core.as_ref().map_or(&[], |core| &core.revisions),
        })
        .collect();
    let list = List { schema_version: "1", requirements };
    let text = serde_json::to_string_pretty(&list).map_err(std::io::Error::from)?;
    Ok(text + "\n")
}

fn table(requirements: &[Requirement]) -> String {
    let mut table = plain_table();
    for row in requirements {
        let core = if row.core.is_some() { "core" } else { "" };
        table.add_row([&row.id, row.level.as_str(), core, &row.title]);
    }
    lines(table)
}

/// A table without lines between its columns.
fn plain_table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

/// The lines of a table, without spaces at their ends.
pub(super) fn lines(mut table: Table) -> String {
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

/// A table that is as wide as the page, less its distance from the edge.
pub(super) fn wide_table(indent: usize) -> Table {
    let mut table = plain_table();
    let width = terminal::width().saturating_sub(indent);
    let width = u16::try_from(width).unwrap_or(u16::MAX);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    table
}
