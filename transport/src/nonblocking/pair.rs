//! Two linked ends in memory, for tests and for peers in one program.

use tokio::io::{DuplexStream, duplex};

use super::{Reader, Writer};
use crate::policy::Policy;

/// One end of an in-memory pair.
#[derive(Debug)]
pub struct Link {
    /// What the other end sends.
    pub reader: Reader<DuplexStream>,
    /// To the other end.
    pub writer: Writer<DuplexStream>,
}

/// Two linked ends; each direction holds at most `capacity` bytes, then a write waits.
///
/// Closing or dropping a writer ends the stream of the other end's reader.
///
/// # Example
///
/// ```
/// use pipeproof_transport::{Policy, line::Item, nonblocking::pair};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (mut near, mut far) = pair(1024, Policy::default());
/// near.writer.send(b"{}").await?;
/// assert!(matches!(far.reader.recv().await?, Some(Item::Line(line)) if line.bytes == b"{}"));
/// near.writer.close().await?;
/// assert!(far.reader.recv().await?.is_none());
/// # Ok::<(), pipeproof_transport::Error>(()) }).unwrap();
/// ```
#[must_use]
pub fn pair(capacity: usize, policy: Policy) -> (Link, Link) {
    let (near_out, far_in) = duplex(capacity);
    let (far_out, near_in) = duplex(capacity);
    (link(near_in, near_out, policy), link(far_in, far_out, policy))
}

fn link(reader: DuplexStream, writer: DuplexStream, policy: Policy) -> Link {
    Link { reader: Reader::with_policy(reader, policy), writer: Writer::new(writer) }
}
