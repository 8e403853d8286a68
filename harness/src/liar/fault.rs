//! What a fault is: a name, and one place at which it departs from the honest server.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::faults::TWINS;
use super::honest::{Heard, Reply};
use crate::protocol::Era;

/// One way of being wrong.
#[derive(Clone, Copy, Debug)]
pub struct FaultInfo {
    /// Its name, as given to `pipeproof liar`.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// The eras in which it can be.
    pub eras: &'static [Era],
    /// The ids of the requirements that have to catch it, wherever they bind; no other may.
    pub caught_by: &'static [&'static str],
    /// The revision that shows it, where not every one does.
    pub at: Option<&'static str>,
    /// Where it departs from the honest server.
    pub(super) lie: Lie,
}

impl FaultInfo {
    /// The ids of the requirements that have to catch it in any of its eras.
    #[must_use]
    pub fn caught_in_any(&self) -> BTreeSet<&'static str> {
        self.eras.iter().flat_map(|era| self.catching(*era)).collect()
    }

    /// The ids of the requirements of an era's protocol that have to catch it, wherever they bind.
    #[must_use]
    pub fn catching(&self, era: Era) -> BTreeSet<&'static str> {
        let is_plain = |id: &str| id.starts_with("jsonrpc.");
        let own = self.caught_by.iter().copied();
        if era != Era::Plain {
            return own.filter(|id| !is_plain(id)).collect();
        }
        let twin = |id: &'static str| {
            let twins = TWINS.iter().filter(move |(mcp, _)| *mcp == id).map(|(_, plain)| *plain);
            twins.chain(is_plain(id).then_some(id))
        };
        own.flat_map(twin).collect()
    }
}

/// The place at which a fault departs from the honest server, and what happens there in its stead.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lie {
    /// Before anything is read.
    Start(fn(&mut dyn Write) -> io::Result<()>),
    /// One read: what the bytes become before they are cut into lines.
    Read(fn(&mut Memory, &[u8]) -> Vec<u8>),
    /// One line: what is heard of it, if anything.
    Line(fn(&mut Memory, &[u8]) -> Option<Vec<u8>>),
    /// What was heard, and the reply to it where there is one: what is replied in its stead.
    Reply(fn(&mut Memory, &Heard, Option<Reply>) -> Option<Reply>),
    /// What was heard, and all that is to be written for it now: what is written in its stead.
    Messages(fn(&mut Memory, &Heard, Vec<Reply>) -> Vec<Reply>),
    /// Any message that is about to be written, whenever: what is written in its stead.
    Emit(fn(&mut Memory, Reply) -> Vec<Reply>),
    /// A message as JSON: the bytes that are written for it.
    Write(fn(&mut Memory, &Spoken<'_>) -> Vec<u8>),
    /// After the end of the input.
    End(fn(&mut dyn Write) -> io::Result<()>),
}

/// A message that is about to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spoken<'a> {
    /// The message on one line, without its line end.
    pub(super) json: &'a str,
    /// Whether it is the first that the process writes.
    pub(super) first: bool,
    /// Whether another line is waiting that came in the same read.
    pub(super) more: bool,
}

/// What a fault remembers from one time to the next.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Bytes kept back.
    pub(super) held: Vec<u8>,
    /// Whether it has heard what makes it deaf.
    pub(super) deaf: bool,
    /// How often it was asked.
    pub(super) count: usize,
}
