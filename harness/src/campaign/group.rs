//! The sessions that are judged together: those in which the subject was spoken to in one dialect.

use std::collections::BTreeMap;

use crate::check::Reading;
use crate::protocol::{Dialect, Era};

/// One dialect, and what was recorded in it.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) dialect: Dialect,
    pub(super) readings: Vec<Reading>,
    /// Sessions in which a finding was looked for again, by scenario and part.
    pub(super) confirmed: BTreeMap<(String, usize), Reading>,
    negotiated: Option<String>,
}

impl Group {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, readings: Vec::new(), confirmed: BTreeMap::new(), negotiated: None }
    }

    pub(super) fn era(&self) -> Era {
        self.dialect.era
    }

    /// The revision that is judged: what the subject agreed to, else what it was asked for.
    pub(super) fn revision(&self) -> String {
        self.negotiated.clone().unwrap_or_else(|| self.dialect.revision.clone())
    }

    pub(super) fn keep(&mut self, reading: Reading) {
        if self.negotiated.is_none() {
            self.negotiated = (self.dialect.negotiated)(&reading.ledger);
        }
        self.readings.push(reading);
    }
}
