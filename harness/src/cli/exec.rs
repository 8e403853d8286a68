//! `pipeproof __exec`: becomes the subject. Not for people; see [`crate::subject::exec`].

use std::ffi::OsString;
use std::io;

use super::failure::Failure;
use crate::subject::exec;

/// The exit code when there is no such program, as shells use it.
const NOT_FOUND: u8 = 127;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The process that must still be the parent.
    #[arg(long)]
    parent: u32,
    /// What the program is told that it is called.
    #[arg(long)]
    name: OsString,
    /// The program and its arguments.
    #[arg(required = true, last = true)]
    command: Vec<OsString>,
}

/// Returns only when the program could not be executed.
pub(super) fn run(args: &Args) -> Failure {
    let Some((program, rest)) = args.command.split_first() else {
        return Failure::usage("there is no program to execute");
    };
    let error = exec::exec(args.parent, &args.name, program, rest);
    let code = match error.kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        _ => exec::CANNOT_EXECUTE,
    };
    let context = format!("cannot execute `{}`", program.to_string_lossy());
    Failure::with_code(code, anyhow::Error::new(error).context(context))
}
