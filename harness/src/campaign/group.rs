//! The sessions that are judged together: those in which the subject was spoken to in one dialect.

use std::collections::BTreeMap;

use crate::check::Reading;
use crate::protocol::{Dialect, Era};
use crate::transcript::Header;

/// One dialect, and what was recorded in it.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) dialect: Dialect,
    pub(super) readings: Vec<Reading>,
    /// Sessions in which a finding was looked for again, by the name of the one that they repeat.
    pub(super) again: BTreeMap<String, Reading>,
    negotiated: Option<String>,
}

impl Group {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, readings: Vec::new(), again: BTreeMap::new(), negotiated: None }
    }

    pub(super) fn era(&self) -> Era {
        self.dialect.era
    }

    /// The revision that is judged: what the subject agreed to, else what it was asked for.
    pub(super) fn revision(&self) -> String {
        self.negotiated.clone().unwrap_or_else(|| self.dialect.revision.clone())
    }

    pub(super) fn keep(&mut self, reading: Reading) {
        let asked = reading.transcript.header.revision == self.dialect.revision;
        if self.negotiated.is_none() && asked {
            self.negotiated = (self.dialect.negotiated)(&reading.ledger);
        }
        self.readings.push(reading);
    }

    /// The header of a session.
    pub(super) fn header(&self, session: usize) -> &Header {
        &self.readings[session].transcript.header
    }

    /// Hands out all sessions with the one that repeats this one before them: a judge may need the others to compare it
    /// with. `None` where it was not repeated.
    pub(super) fn with_again<T>(
        &mut self,
        name: &str,
        judge: impl FnOnce(&[Reading]) -> T,
    ) -> Option<T> {
        let reading = self.again.remove(name)?;
        self.readings.insert(0, reading);
        let judged = judge(&self.readings);
        self.again.insert(name.to_string(), self.readings.remove(0));
        Some(judged)
    }
}
