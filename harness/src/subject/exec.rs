//! `pipeproof __exec`: what runs in the child between its start and the subject.
//!
//! It asks the system to kill it when its parent dies, which nobody but itself can ask for, and then becomes the
//! subject. So even `kill -9` of Pipeproof leaves no subject behind, as far as the subject itself goes (Linux).

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// The name of the hidden subcommand.
pub const SUBCOMMAND: &str = "__exec";

/// The exit code when the program could not be executed, as shells use it.
pub const CANNOT_EXECUTE: u8 = 126;

/// The arguments that make our own binary become `program`, known to it by `name`.
#[must_use]
pub fn arguments(parent: u32, program: &Path, name: &OsStr) -> Vec<OsString> {
    vec![
        SUBCOMMAND.into(),
        "--parent".into(),
        parent.to_string().into(),
        "--name".into(),
        name.into(),
        "--".into(),
        program.into(),
    ]
}

/// Becomes the program. Returns only when that fails.
pub fn exec(parent: u32, name: &OsStr, program: &OsStr, args: &[OsString]) -> io::Error {
    if let Err(error) = die_with(parent) {
        return error;
    }
    Command::new(program).arg0(name).args(args).exec()
}

#[cfg(target_os = "linux")]
fn die_with(parent: u32) -> io::Result<()> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The parent may have died before the signal was set; then nobody will send it.
    let alive = getppid().is_some_and(|pid| pid.as_raw_nonzero().get().unsigned_abs() == parent);
    if alive { Ok(()) } else { Err(io::Error::other("the certifier is gone")) }
}

#[cfg(not(target_os = "linux"))]
fn die_with(_parent: u32) -> io::Result<()> {
    Ok(())
}
