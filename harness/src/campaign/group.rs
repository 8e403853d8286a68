//! The sessions that are judged together: those in which the subject was spoken to in one dialect.

use std::collections::BTreeMap;

use crate::check::Reading;
use crate::protocol::{Dialect, Era};

/// A session in which a finding was looked for again: its scenario and part.
pub(super) type Confirmed = (String, usize);

/// One dialect, and what was recorded in it.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) dialect: Dialect,
    pub(super) readings: Vec<Reading>,
    /// Sessions in which a finding was looked for again, by scenario and part.
    pub(super) confirmed: BTreeMap<Confirmed, Reading>,
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

    /// Hands out all sessions with this confirmed one before them: a judge may need the others to compare it with.
    pub(super) fn with_confirmed<T>(
        &mut self,
        key: &Confirmed,
        judge: impl FnOnce(&[Reading]) -> T,
    ) -> Option<T> {
        let reading = self.confirmed.remove(key)?;
        self.readings.insert(0, reading);
        let judged = judge(&self.readings);
        self.confirmed.insert(key.clone(), self.readings.remove(0));
        Some(judged)
    }
}
