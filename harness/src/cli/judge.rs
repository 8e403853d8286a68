//! `pipeproof judge`: judges a stored run again.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ArgAction;
use clap::builder::{OsStringValueParser, TypedValueParser as _};

use super::failure::Failure;
use super::output::Outputs;
use super::value;
use crate::report::text::Detail;
use crate::verdict::ExitStatus;
use crate::{campaign, store};

/// Judge a stored run again, without the server
#[derive(Debug, clap::Args)]
#[command(
    long_about = "Judges what `pipeproof certify --store DIR` has kept: the transcripts are read and judged by the \
        requirements of this version. The server is not started. The same version comes to the same verdicts; a newer one \
        says of its new requirements what was not stimulated then.",
    after_long_help = "EXAMPLES\n  pipeproof certify --store run -- node server.js\n  pipeproof judge run\n  pipeproof judge run --report json=again.json\n\nThe exit status is the one that the run would have had."
)]
pub(super) struct Args {
    /// The folder that the run was kept in
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Which report is written, and where: text, json, junit, or one of them with =PATH; may be repeated
    #[arg(
        long,
        value_name = "FORM[=PATH]",
        value_parser = OsStringValueParser::new().try_map(|text: OsString| value::report(text)),
    )]
    report: Vec<value::Report>,

    /// Say only the verdict and the headlines of the findings
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,

    /// Say also what passed and what was only noted
    #[arg(short, long, action = ArgAction::SetTrue)]
    verbose: bool,
}

/// Judges, and writes the reports.
pub(super) fn run(args: &Args) -> Result<ExitStatus, Failure> {
    let detail = match (args.quiet, args.verbose) {
        (true, _) => Detail::Headlines,
        (_, true) => Detail::Everything,
        _ => Detail::Findings,
    };
    let outputs = Outputs::plan(&args.report, detail)?;
    let stored = store::open(&args.folder).map_err(|error| {
        let context = format!("cannot read the run in `{}`", args.folder.display());
        Failure::new(ExitStatus::USAGE, anyhow::Error::new(error).context(context))
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let run = runtime.block_on(campaign::judge_again(stored));
    let run = run.map_err(|error| Failure::new(error.exit_status(), error))?;
    outputs.write(&run)?;
    Ok(run.exit)
}
