//! Reports: a stream of events in, one small writer for each form.
//!
//! [`text`] is for people, [`json`] for programs, [`junit`] for CI systems, and [`progress`] says what happens while it
//! happens. A report shows what a run came to and changes nothing of it. What must not be shown is taken out before, by
//! [`redact`].

pub mod json;
#[cfg(feature = "cli")]
pub mod junit;
#[cfg(feature = "cli")]
pub(crate) mod page;
mod printable;
#[cfg(feature = "cli")]
pub mod progress;
pub mod redact;
#[cfg(feature = "cli")]
pub mod text;

pub use printable::printable;

use std::io;

use crate::campaign::RunEvent;

/// Something that is told what happens while a campaign runs, and writes.
pub trait Reporter {
    /// Takes note of an event.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn event(&mut self, event: &RunEvent<'_>) -> io::Result<()>;
}
