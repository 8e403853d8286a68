//! Certifies stdio JSON-RPC servers: every cut of the bytes, every fault, clause by clause.
//!
//! One direction: a [`subject`] is driven in a [`session`] by a [`scenario`] and cut by a [`split`] plan; the
//! [`transcript`] that is recorded is read by the [`ledger`] and judged by the [`check`]s of the [`catalogue`]; the
//! [`verdict`]s become a report. Only the [`campaign`] may ask for another session.
//!
//! This crate starts processes and judges bytes. Framing, JSON-RPC messages and child processes themselves are the
//! business of `pipeproof_transport`.

pub mod campaign;
pub mod catalogue;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod generate;
pub mod ledger;
#[cfg(feature = "cli")]
pub mod liar;
pub mod oracle;
pub mod protocol;
#[cfg(feature = "cli")]
pub mod report;
pub mod scenario;
pub mod session;
pub mod shape;
pub mod split;
pub mod store;
pub mod subject;
pub mod transcript;
pub mod verdict;
