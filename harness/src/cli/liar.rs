//! `pipeproof liar`: the built-in server, honest or wrong in one named way.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use serde::Serialize;

use super::failure::Failure;
use super::list::{lines, wide_table};
use super::suggest::did_you_mean;
use super::{help, terminal};
use crate::liar::{self, EraChoice};
use crate::verdict::ExitStatus;

/// Be a server that is wrong in one named way, or the honest reference server
///
/// It speaks on stdin and stdout. Use it to see what a finding looks like, or to test a client against a peer that
/// misbehaves.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::LIAR)]
pub(super) struct Args {
    /// The way to be wrong; left out: honest
    fault: Option<String>,

    /// The era of the protocol to speak: legacy, modern, dual, or plain for plain JSON-RPC 2.0
    #[arg(
        long,
        default_value = "dual",
        value_parser = PossibleValuesParser::new(EraChoice::ALL.map(EraChoice::as_str))
            .try_map(|word| word.parse::<EraChoice>()),
        hide_possible_values = true,
    )]
    era: EraChoice,

    /// List every fault and the requirements that it breaks
    #[arg(long, conflicts_with = "fault")]
    list: bool,

    /// List as JSON
    #[arg(long, requires = "list")]
    json: bool,

    /// Write the length of every read to this file, one a line
    #[arg(long, value_name = "PATH", hide = true)]
    log_reads: Option<PathBuf>,
}

/// The form of `liar --list --json`, version 1.
#[derive(Debug, Serialize)]
struct List {
    schema_version: &'static str,
    faults: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: &'static str,
    about: &'static str,
    eras: Vec<&'static str>,
    caught_by: BTreeSet<&'static str>,
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.list {
        let text = if args.json { json()? } else { table() };
        return terminal::print(&text).map(|()| ExitCode::SUCCESS);
    }
    let fault = args.fault.as_deref();
    let known = || liar::faults().iter().map(|fault| fault.name);
    if let Some(name) = fault.filter(|name| !known().any(|known| known == *name)) {
        let similar = did_you_mean(name, known());
        return Err(Failure::usage(format!(
            "`{name}` is no fault; see `pipeproof liar --list`{similar}"
        )));
    }
    liar::run(fault, args.era, args.log_reads.as_deref()).map_err(|error| {
        let error = anyhow::Error::new(error).context("the built-in server cannot go on");
        Failure::new(ExitStatus::INTERNAL, error)
    })
}

fn json() -> Result<String, Failure> {
    let faults = liar::faults()
        .iter()
        .map(|fault| Row {
            name: fault.name,
            about: fault.about,
            eras: fault.eras.iter().map(|era| era.as_str()).collect(),
            caught_by: fault.caught_in_any(),
        })
        .collect();
    let list = List { schema_version: "1", faults };
    let text = serde_json::to_string_pretty(&list).map_err(std::io::Error::from)?;
    Ok(text + "\n")
}

fn table() -> String {
    let mut table = wide_table(0);
    for fault in liar::faults() {
        let ids: Vec<&str> = fault.caught_in_any().into_iter().collect();
        table.add_row([fault.name, fault.about, &ids.join("\n")]);
    }
    lines(table)
}
