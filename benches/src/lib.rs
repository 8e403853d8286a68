//! Streams and peers that the benches share.
//!
//! Every peer is asked for its answer before it is timed: a peer that answers wrongly is shown as wrong, not as a
//! time. What is measured, and what a figure means, is said by the bench that prints it.

pub mod peer;
pub mod stream;
