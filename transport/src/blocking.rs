//! The face over `std`: blocking reader, writer, in-memory pair and child.
//!
//! Thin loops around the state in [`connection`](crate::connection); no thread is started except
//! to drain a child's stderr.

#[cfg(all(feature = "process", unix))]
mod child;
mod pair;
mod reader;
mod writer;

#[cfg(all(feature = "process", unix))]
pub use child::Child;
pub use pair::{Link, PipeReader, PipeWriter, pair, pipe};
pub use reader::Reader;
pub use writer::Writer;
