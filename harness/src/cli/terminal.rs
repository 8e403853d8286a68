//! What is known of the terminal, and writing to it.

use std::io::{self, ErrorKind, IsTerminal, Write};

use anstream::AutoStream;

use super::failure::Failure;
use crate::verdict::ExitStatus;

/// The width of a page that is not shown on a terminal, in columns.
pub(super) const WIDTH: usize = 100;
/// Lines longer than this are hard to read, however wide the terminal is.
const WIDEST: usize = 120;
/// Below this nothing can be laid out.
const NARROWEST: usize = 40;

/// The width to lay out a page for stdout.
pub(super) fn width() -> usize {
    let stdout = io::stdout();
    if !stdout.is_terminal() {
        return WIDTH;
    }
    columns(&stdout).clamp(NARROWEST, WIDEST)
}

/// The width of the terminal that stderr is, where a line can be written over.
pub(super) fn status_width() -> Option<usize> {
    let stderr = io::stderr();
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    (stderr.is_terminal() && !dumb).then(|| columns(&stderr))
}

fn columns(terminal: &impl std::os::fd::AsFd) -> usize {
    terminal_size::terminal_size_of(terminal).map_or(80, |(width, _)| width.0.into())
}

/// Writes a text to stdout, without its styles where they are not wanted. That nobody reads it is no failure.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = AutoStream::auto(io::stdout());
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let error = anyhow::Error::new(error).context("cannot write to stdout");
            Err(Failure::new(ExitStatus::INTERNAL, error))
        }
        _ => Ok(()),
    }
}
