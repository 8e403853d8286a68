//! The face over tokio: reader, writer, in-memory pair and child.
//!
//! Thin loops around the state in [`connection`](crate::connection). Dropping any future of this
//! module loses no byte: what is half done stands in the reader or writer.

#[cfg(all(feature = "process", unix))]
mod child;
mod pair;
mod reader;
mod writer;

#[cfg(all(feature = "process", unix))]
pub use child::Child;
pub use pair::{Link, pair};
pub use reader::Reader;
pub use writer::Writer;
