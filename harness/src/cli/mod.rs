//! The command line: one file for each subcommand, and what they share.
//!
//! Nothing here judges. A subcommand reads its arguments, asks the library, and hands what comes back to a report.

mod certify;
mod exec;
mod explain;
mod failure;
mod help;
mod judge;
mod liar;
mod list;
mod output;
mod report_file;
mod signals;
mod suggest;
mod terminal;
mod value;

use std::ffi::OsString;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::verdict::ExitStatus;
use failure::Failure;

/// Certifies stdio JSON-RPC servers: every cut of the bytes, every fault, clause by clause.
#[derive(Debug, Parser)]
#[command(
    name = "pipeproof",
    version,
    about,
    long_about = help::ABOUT,
    after_long_help = help::top(),
    disable_help_subcommand = true,
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Certify(Box<certify::Args>),
    Judge(judge::Args),
    List(list::Args),
    Explain(explain::Args),
    Liar(liar::Args),
    #[command(name = crate::subject::exec::SUBCOMMAND, hide = true)]
    Exec(exec::Args),
}

/// Runs the command line of this process, from its arguments to its exit status.
#[must_use]
pub fn main() -> ExitCode {
    failure::report_panics();
    // What is unwinding ends every session on its way, so no subject outlives a fault of ours.
    panic::catch_unwind(AssertUnwindSafe(|| run(std::env::args_os())))
        .unwrap_or_else(|_| ExitStatus::INTERNAL.code().into())
}

fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Nothing can be said where nobody reads.
            let _unread = error.print();
            return if error.use_stderr() { ExitStatus::USAGE } else { ExitStatus::SUCCESS }
                .code()
                .into();
        }
    };
    dispatch(cli.command).unwrap_or_else(Failure::tell)
}

fn dispatch(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Certify(args) => certify::run(*args).map(|status| status.code().into()),
        Command::Judge(args) => judge::run(&args).map(|status| status.code().into()),
        Command::List(args) => list::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Liar(args) => liar::run(&args),
        Command::Exec(args) => Err(exec::run(&args)),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_declared_consistently() {
        Cli::command().debug_assert();
    }

    #[test]
    fn what_follows_the_program_belongs_to_the_program() {
        let words = "pipeproof certify -v -- node x.js --seed 1 -v -- --help";
        let cli = Cli::try_parse_from(words.split(' ')).unwrap();
        let Command::Certify(args) = cli.command else { panic!("certify was asked for") };
        let command: Vec<_> = args.command.iter().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(command, ["node", "x.js", "--seed", "1", "-v", "--", "--help"]);
        let words = "pipeproof certify -v node x.js --seed 1 -v";
        let cli = Cli::try_parse_from(words.split(' ')).unwrap();
        let Command::Certify(args) = cli.command else { panic!("certify was asked for") };
        assert_eq!(args.command.len(), 5);
        assert!(Cli::try_parse_from(["pipeproof", "certify", "--sead", "1", "x"]).is_err());
    }
}
