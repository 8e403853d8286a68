//! What both faces share and what needs neither clock nor I/O.
//!
//! The inbox and outbox are the state of a reader and a writer; the [`Ladder`] is the state
//! machine of a shutdown. Time comes in as a parameter.

mod inbox;
mod ladder;
mod outbox;

pub(crate) use inbox::Inbox;
pub use inbox::{Counts, Incoming, Malformed, MalformedReason};
pub use ladder::{Action, Descent, Ladder, Signal, Step};
pub(crate) use outbox::Outbox;
