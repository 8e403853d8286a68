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
    /// Sessions that show a finding with as few cuts as will do, by the requirement that they break.
    pub(super) reduced: BTreeMap<String, Reading>,
    negotiated: Option<String>,
}

impl Group {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            readings: Vec::new(),
            again: BTreeMap::new(),
            reduced: BTreeMap::new(),
            negotiated: None,
        }
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

    /// Hands out all sessions with another before them: a judge may need the others to compare it with.
    pub(super) fn with<T>(
        &mut self,
        reading: Reading,
        judge: impl FnOnce(&[Reading]) -> T,
    ) -> (T, Reading) {
        self.readings.insert(0, reading);
        let judged = judge(&self.readings);
        (judged, self.readings.remove(0))
    }
}
