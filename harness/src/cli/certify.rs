//! `pipeproof certify`: certifies a server.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use clap::ArgAction;
use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser as _};

use super::failure::Failure;
use super::output::Outputs;
use super::signals::Signals;
use super::{help, terminal, value};
use crate::campaign::{self, CampaignError, Options, Profile, Revisions, Run, RunEvent, Stop};
use crate::protocol::Protocol;
use crate::report::Reporter as _;
use crate::report::progress::{Progress, ProgressReporter, StatusLine};
use crate::report::redact::Secrets;
use crate::report::text::Detail;
use crate::scenario::CallTools;
use crate::session::Pacing;
use crate::store;
use crate::subject::{Hints, Subject};
use crate::verdict::{ExitStatus, FailOn};

/// A seed that is chosen for the user is small enough to be typed, and every JSON reader holds it exactly.
const SEED_LIMIT: u64 = 1 << 32;

/// Certify a server: start it, drive it, judge it
#[derive(Debug, clap::Args)]
#[command(
    long_about = help::CERTIFY,
    after_long_help = help::certify(),
    override_usage = "pipeproof certify [OPTIONS] -- PROGRAM [ARGS]...",
)]
pub(super) struct Args {
    /// The server to certify and its arguments; what follows the program belongs to it
    ///
    /// The program is looked up as a shell would, and started without one. Left out, the built-in reference server is
    /// certified.
    #[arg(value_name = "PROGRAM", trailing_var_arg = true)]
    pub(super) command: Vec<OsString>,

    /// How much is driven
    ///
    /// quick: few sessions, and most of the core; its verdict is no certificate.
    ///
    /// standard: every scenario on the preferred revision of each era.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "standard",
        value_parser = PossibleValuesParser::new(["quick", "standard"]).map(|word| profile(&word)),
        hide_possible_values = true,
        help_heading = "Selection",
    )]
    profile: Profile,

    /// The protocol that the server is held to: mcp, jsonrpc or auto
    ///
    /// mcp: the Model Context Protocol, in every era that the server answers in.
    ///
    /// jsonrpc: plain JSON-RPC 2.0, one message a line.
    ///
    /// auto: jsonrpc where the server answers the openings of the Model Context Protocol as methods that it does not know,
    /// else mcp.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "mcp",
        value_parser = PossibleValuesParser::new(["auto", "mcp", "jsonrpc"]).map(|word| protocol(&word)),
        hide_possible_values = true,
        help_heading = "Selection",
    )]
    protocol: Held,

    /// The revision that is judged, such as 2025-06-18, or all that the server accepts
    ///
    /// Left out, the one that the server prefers is judged in each era that it answers in, and the others that it accepts
    /// are named.
    #[arg(long, value_name = "REVISION|all", value_parser = value::revisions, help_heading = "Selection")]
    revision: Option<Revisions>,

    /// Judge only the requirements whose id matches; may be repeated
    ///
    /// `*` stands for any text, so that `mcp.stdio.*` names a group. A pattern that matches nothing is an error.
    #[arg(long, value_name = "GLOB", help_heading = "Selection")]
    only: Vec<String>,

    /// Leave out the requirements whose id matches; may be repeated, and wins over --only
    #[arg(long, value_name = "GLOB", help_heading = "Selection")]
    skip: Vec<String>,

    /// The seed of every random choice; chosen and printed when it is not given
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(..1 << 53),
        help_heading = "Selection",
    )]
    seed: Option<u64>,

    /// Which tools of the server may be called: read-only, all or none
    ///
    /// read-only: those that say of themselves that they only read.
    #[arg(
        long,
        value_name = "WHICH",
        default_value = "read-only",
        value_parser = PossibleValuesParser::new(["read-only", "all", "none"])
            .try_map(|word| word.parse::<CallTools>()),
        hide_possible_values = true,
        help_heading = "Selection",
    )]
    call_tools: CallTools,

    /// What you know of the server and it does not tell: a TOML file
    ///
    /// It names tools that may be called, valid arguments, a slow tool, a tool that tells of its progress. The form stands
    /// in the README.
    #[arg(long, value_name = "FILE", help_heading = "The server")]
    hints: Option<PathBuf>,

    /// How many sessions are held at once
    ///
    /// Each is a process of its own, and most of the time it is waited for. What only time proves is confirmed alone,
    /// whatever this is.
    #[arg(
        long,
        value_name = "N",
        default_value = "4",
        value_parser = clap::value_parser!(u8).range(1..=64),
        help_heading = "The server",
    )]
    jobs: u8,

    /// How long an answer may take, as 500ms, 10s or 2m
    #[arg(
        long,
        value_name = "TIME",
        default_value = "10s",
        value_parser = value::duration,
        help_heading = "The server",
    )]
    timeout: Duration,

    /// How long the first answer of a process may take
    #[arg(
        long,
        value_name = "TIME",
        default_value = "20s",
        value_parser = value::duration,
        help_heading = "The server",
    )]
    start_timeout: Duration,

    /// Set a variable for the server, or pass ours on; may be repeated
    ///
    /// The server inherits our environment anyway. What is named here is also kept out of every report: a value of four
    /// bytes or more is hidden wherever it appears.
    #[arg(
        long,
        value_name = "KEY[=VALUE]",
        value_parser = OsStringValueParser::new().try_map(value::variable),
        help_heading = "The server",
    )]
    env: Vec<value::Variable>,

    /// The folder that the server starts in
    #[arg(long, value_name = "DIR", help_heading = "The server")]
    cwd: Option<PathBuf>,

    /// What makes the gate fail: must, should, robust or any; may be repeated
    ///
    /// must: a broken requirement; this is the default.
    ///
    /// should: also a broken recommendation, or a deviation that is tolerated.
    ///
    /// robust: a defect outside the specification.
    ///
    /// any: all of these.
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        value_parser = PossibleValuesParser::new(FailOn::ALL.iter().map(|on| on.as_str()))
            .try_map(|word| word.parse::<FailOn>()),
        hide_possible_values = true,
        help_heading = "The gate",
    )]
    fail_on: Vec<FailOn>,

    /// Tolerate nothing: a known deviation counts in full, and a broken recommendation refutes
    #[arg(long, help_heading = "The gate")]
    strict: bool,

    /// Which report is written, and where: text, json or junit, each with =PATH for a file; may be repeated
    ///
    /// Without a path it goes to stdout, which takes one report. The text report goes there by itself, unless another one
    /// does or it has a path. A file is replaced as a whole.
    ///
    /// junit: for CI systems; it holds a failure exactly where the gate fails.
    #[arg(
        long,
        value_name = "FORM[=PATH]",
        value_parser = OsStringValueParser::new().try_map(value::report),
        help_heading = "Reports",
    )]
    report: Vec<value::Report>,

    /// Keep what was recorded: one transcript a session, and the report, in this folder
    #[arg(long, value_name = "DIR", help_heading = "Reports")]
    store: Option<PathBuf>,

    /// Say only the verdict and the headlines of the findings
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Reports")]
    quiet: bool,

    /// Say also what passed, what was only noted, and what happens meanwhile
    #[arg(short, long, action = ArgAction::SetTrue, help_heading = "Reports")]
    verbose: bool,

    /// How cuts are kept apart; `off` only shows why that is needed
    #[arg(
        long,
        hide = true,
        default_value = "pipe-empty",
        value_parser = PossibleValuesParser::new(["pipe-empty", "off"])
            .try_map(|word| word.parse::<Pacing>()),
    )]
    pacing: Pacing,
}

/// The protocol that the server is held to; `None`: the one that it is found to speak.
#[derive(Clone, Copy, Debug)]
struct Held(Option<Protocol>);

fn protocol(word: &str) -> Held {
    Held(match word {
        "mcp" => Some(Protocol::Mcp),
        "jsonrpc" => Some(Protocol::JsonRpc),
        _ => None,
    })
}

fn profile(word: &str) -> Profile {
    if word == Profile::Quick.as_str() { Profile::Quick } else { Profile::Standard }
}

/// Certifies, writes the reports, and says how to end.
pub(super) fn run(args: Args) -> Result<ExitStatus, Failure> {
    let mut outputs = Outputs::plan(&args.report, args.detail())?;
    if let Some(folder) = &args.store {
        make(folder)?;
        outputs.add_json(folder.join("report.json"));
    }
    let subject = args.subject()?;
    let options = args.options()?;
    let progress = ProgressReporter::new(args.progress());
    become_subreaper()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on(async move {
        let mut signals = Signals::new()?;
        let run = drive(&subject, &options, progress, &mut signals).await?;
        let Some(mut run) = run else { return Ok(ExitStatus::INTERRUPTED) };
        let secrets = args.secrets();
        let kept = args.store.clone().map(|folder| (folder, subject, options));
        let status = run.exit;
        let written = tokio::task::spawn_blocking(move || {
            secrets.hide(&mut run);
            keep(kept, &run).and(outputs.write(&run))
        });
        tokio::select! {
            // A panic in there has been told by its hook.
            written = written => written.unwrap_or_else(|panic| {
                Err(Failure::new(ExitStatus::INTERNAL, panic))
            })?,
            () = signals.next() => return Ok(ExitStatus::INTERRUPTED),
        }
        Ok(status)
    });
    // Nothing is left to do but, after a signal, a write that nobody takes.
    runtime.shutdown_background();
    status
}

/// Holds the campaign. The first signal ends it early; at the second nothing is waited for any more, and what is dropped
/// kills its processes. Then there is no run.
async fn drive(
    subject: &Subject,
    options: &Options,
    progress: ProgressReporter<io::Stderr>,
    signals: &mut Signals,
) -> Result<Option<Run>, Failure> {
    let stop = Stop::new();
    let progress = RefCell::new(progress);
    let mut events = |event: RunEvent<'_>| {
        // Progress that nobody can see is no reason to stop.
        let _unseen = progress.borrow_mut().event(&event);
    };
    let campaign = campaign::certify(subject, options, &stop, &mut events);
    tokio::pin!(campaign);
    let run = loop {
        tokio::select! {
            run = &mut campaign => break run,
            () = signals.next() => {
                if stop.is_stopped() {
                    return Ok(None);
                }
                stop.stop();
            }
        }
    };
    progress.borrow_mut().clear();
    run.map(Some).map_err(|error| {
        let hint = hint(&error, subject);
        Failure::new(error.exit_status(), error).with_hint(hint)
    })
}

/// What to do about it, where there is a usual slip.
fn hint(error: &CampaignError, subject: &Subject) -> Option<String> {
    let program = subject.program.to_string_lossy();
    let slip = matches!(error, CampaignError::Start(_)) && program.contains(' ');
    slip.then(|| format!("the program and its arguments stand apart: -- {program}"))
}

fn read_hints(path: &Path) -> Result<Hints, Failure> {
    let failed = |error: anyhow::Error| {
        let context = format!("cannot read the hints in `{}`", path.display());
        Failure::new(ExitStatus::USAGE, error.context(context))
    };
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.into()))?;
    Hints::parse(&text).map_err(|error| failed(error.into()))
}

/// Keeps the transcripts of a run.
fn keep(place: Option<(PathBuf, Subject, Options)>, run: &Run) -> Result<(), Failure> {
    let Some((folder, subject, options)) = place else { return Ok(()) };
    store::write(&folder, &subject, &options, run).map(|_files| ()).map_err(|error| {
        let context = format!("cannot keep the transcripts in `{}`", folder.display());
        Failure::new(ExitStatus::INTERNAL, anyhow::Error::new(error).context(context))
    })
}

fn make(folder: &PathBuf) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let context = format!("cannot make the folder `{}`", folder.display());
        Failure::new(ExitStatus::USAGE, anyhow::Error::new(error).context(context))
    })
}

/// What a subject leaves running becomes ours, so that it can be found and ended.
fn become_subreaper() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

impl Args {
    fn subject(&self) -> Result<Subject, Failure> {
        let own = std::env::current_exe().map_err(|error| {
            let error = anyhow::Error::new(error).context("cannot find the program itself");
            Failure::new(ExitStatus::INTERNAL, error)
        })?;
        if let Some(folder) = self.cwd.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(Failure::usage(format!("there is no folder `{}`", folder.display())));
        }
        let mut subject = match self.command.split_first() {
            Some((program, args)) => Subject::new(program, args.to_vec()),
            None => Subject::new(&own, ["liar", "--era", "dual"].map(OsString::from)),
        };
        subject.cwd.clone_from(&self.cwd);
        subject.env = self.env.iter().map(|one| (one.key.clone(), one.value.clone())).collect();
        subject.launcher = Some(own);
        Ok(subject)
    }

    fn secrets(&self) -> Secrets {
        let mut secrets = Secrets::default();
        for variable in &self.env {
            secrets.add(&variable.key, &variable.value, variable.given);
        }
        secrets
    }

    fn options(&self) -> Result<Options, Failure> {
        Ok(Options {
            protocol: self.protocol.0,
            revisions: self.revision.clone().unwrap_or_default(),
            hints: self.hints.as_deref().map(read_hints).transpose()?.unwrap_or_default(),
            hints_file: self.hints.clone(),
            jobs: self.jobs.into(),
            profile: self.profile,
            only: self.only.clone(),
            skip: self.skip.clone(),
            seed: self.seed.unwrap_or_else(|| fastrand::u64(..SEED_LIMIT)),
            timeout: self.timeout,
            start_timeout: self.start_timeout,
            call_tools: self.call_tools,
            fail_on: self.fail_on.iter().copied().collect(),
            strict: self.strict,
            cut_sessions: true,
            pacing: self.pacing,
        })
    }

    const fn detail(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Headlines,
            (_, true) => Detail::Everything,
            _ => Detail::Findings,
        }
    }

    fn progress(&self) -> Progress<io::Stderr> {
        match (self.quiet, self.verbose, terminal::status_width()) {
            (true, _, _) => Progress::Off,
            (_, true, _) => Progress::Lines(io::stderr()),
            (_, _, Some(_)) => {
                let coloured = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
                Progress::Status(StatusLine::on_stderr(coloured))
            }
            _ => Progress::Off,
        }
    }
}
