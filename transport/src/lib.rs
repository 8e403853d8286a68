//! Framing, JSON-RPC messages and child processes for stdio servers.
//!
//! The crate is layered, and each layer is useful alone:
//!
//! - [`mod@line`] turns bytes into lines and back. It does no I/O and copies a line only when it
//!   straddles two chunks.
//! - [`message`] reads one JSON-RPC message out of a line; `params` and `result` stay raw JSON.
//! - [`policy`] names every leniency. The default is strict; [`Policy::seed`] is lenient.
//! - [`connection`] holds what both faces share and what needs neither clock nor I/O.
//! - [`blocking`] and `nonblocking` (feature `tokio`) are two thin faces: reader, writer,
//!   in-memory pair, and with feature `process` the child.
//!
//! Nothing here knows a protocol above JSON-RPC, keeps pending calls, or prints.
//!
//! # Features
//!
//! A feature adds items and never changes what is there without it.
//!
//! - `process`: start a program in its own process group and end it with all it started (Unix).
//! - `tokio`: the nonblocking face.
//!
//! # Example
//!
//! ```
//! use pipeproof_transport::{Policy, line::{Item, LineDecoder}, message::Message};
//!
//! let mut decoder = LineDecoder::new();
//! let mut input: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
//! let Some(Item::Line(line)) = decoder.decode(&mut input) else { panic!("one line") };
//! let Ok(Message::Request(request)) = Message::parse(line.bytes, &Policy::default()) else {
//!     panic!("a request")
//! };
//! assert_eq!(request.method, "ping");
//! ```

pub mod blocking;
pub mod connection;
mod error;
pub mod line;
pub mod message;
#[cfg(feature = "tokio")]
pub mod nonblocking;
pub mod policy;
#[cfg(all(feature = "process", unix))]
pub mod process;
mod tap;

pub use error::{Error, ErrorKind};
pub use policy::Policy;
pub use tap::Direction;
