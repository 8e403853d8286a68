//! Children: started, talked to, ended; one table of tests through both faces.
//!
//! What is left alive is read from `/proc`, hence Linux.

#![cfg(all(feature = "process", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "helpers of tests too: what fails is the test")]

mod blocking;
mod ending;
mod family;
mod kid;
#[cfg(feature = "tokio")]
mod nonblocking;
mod pipes;
mod starting;
