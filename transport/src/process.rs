//! What to start, where it is found, and how it ended: the part of a child that both faces share.
//!
//! No shell is ever involved. The faces hold the pipes and wait; nothing here reads a stream,
//! except that stderr is drained in either face by the same code.

mod exit;
mod leader;
mod resolve;
mod spawn;
mod stderr;

pub use crate::connection::Signal;
pub use exit::Exit;
pub(crate) use leader::Leader;
#[cfg(feature = "tokio")]
pub(crate) use leader::{POLL_INTERVAL, Pipes};
pub use resolve::resolve;
pub use spawn::{Environment, Spawn, Stderr};
pub(crate) use stderr::{Log, Pump};
