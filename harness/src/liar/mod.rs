//! Liars: MCP servers over stdio that are wrong in one named way, and the honest server that they all are otherwise.
//!
//! They are what the certifier is tested with, and peers that misbehave on purpose for those who write clients
//! (`pipeproof liar FAULT`). The honest server is also meant to be read: a small correct server of both eras.
//!
//! A [`FaultInfo`] departs from the honest server in one place of the loop that serves it; nothing here knows a check,
//! beyond the ids of those that have to catch it.

mod era;
mod fault;
mod faults;
mod honest;
mod serve;

pub use era::EraChoice;
pub use fault::FaultInfo;
pub use faults::faults;
pub use serve::run;
