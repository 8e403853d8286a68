//! A child of either face, so that one table of tests runs through both.

use pipeproof_transport::Error;
use pipeproof_transport::connection::{Ladder, Signal};
use pipeproof_transport::line::Item;
use pipeproof_transport::process::{Exit, Spawn};

use super::blocking::Blocking;
#[cfg(feature = "tokio")]
use super::nonblocking;

/// A child of either face.
pub(super) trait Kid {
    fn pid(&self) -> u32;
    fn send(&mut self, text: &[u8]) -> Result<(), Error>;
    fn recv(&mut self) -> Option<String>;
    /// Sends a text while it reads; what was read until the end of stdout.
    fn send_and_recv(&mut self, text: &[u8]) -> Vec<String>;
    fn close_stdin(&mut self);
    fn wait(&mut self) -> Result<Exit, Error>;
    fn try_wait(&mut self) -> Result<Option<Exit>, Error>;
    fn shutdown(&mut self, ladder: &Ladder) -> Result<Exit, Error>;
    fn signal(&self, signal: Signal);
    fn stderr_tail(&self) -> String;
    fn stderr_lines(&self) -> Vec<String>;
    fn explain(&self, error: Error) -> Error;
    /// Takes stderr, sends a text, and reads stderr to its end.
    fn read_stderr(&mut self, text: &[u8]) -> String;
}

pub(super) type Start = fn(&Spawn) -> Result<Box<dyn Kid>, Error>;

pub(super) fn faces() -> Vec<(&'static str, Start)> {
    vec![
        ("blocking", |spawn| Blocking::start(spawn).map(|kid| Box::new(kid) as Box<dyn Kid>)),
        #[cfg(feature = "tokio")]
        ("nonblocking", |spawn| {
            nonblocking::Nonblocking::start(spawn).map(|kid| Box::new(kid) as Box<dyn Kid>)
        }),
    ]
}

pub(super) fn text(item: &Item<'_>) -> String {
    match item {
        Item::Line(line) => String::from_utf8_lossy(line.bytes).into_owned(),
        other => format!("{other:?}"),
    }
}
