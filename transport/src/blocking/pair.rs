//! Two linked ends in memory, for tests and for peers in one program.
//!
//! A bounded queue of bytes under a lock; no system pipe and no thread.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Reader, Writer};
use crate::policy::Policy;

/// One end of an in-memory pair.
#[derive(Debug)]
pub struct Link {
    /// What the other end sends.
    pub reader: Reader<PipeReader>,
    /// To the other end.
    pub writer: Writer<PipeWriter>,
}

/// Two linked ends; each direction holds at most `capacity` bytes, then a write waits.
///
/// Closing or dropping a writer ends the stream of the other end's reader and wakes it.
///
/// # Example
///
/// ```
/// use pipeproof_transport::{Policy, blocking::pair, line::Item};
///
/// let (mut near, mut far) = pair(1024, Policy::default());
/// near.writer.send(b"{}")?;
/// assert!(matches!(far.reader.recv()?, Some(Item::Line(line)) if line.bytes == b"{}"));
/// near.writer.close()?;
/// assert!(far.reader.recv()?.is_none());
/// # Ok::<(), pipeproof_transport::Error>(())
/// ```
#[must_use]
pub fn pair(capacity: usize, policy: Policy) -> (Link, Link) {
    let (near_in, far_out) = pipe(capacity);
    let (far_in, near_out) = pipe(capacity);
    (link(near_in, near_out, policy), link(far_in, far_out, policy))
}

fn link(reader: PipeReader, writer: PipeWriter, policy: Policy) -> Link {
    Link { reader: Reader::with_policy(reader, policy), writer: Writer::new(writer) }
}

/// One direction in memory that holds at most `capacity` bytes (at least one).
///
/// # Example
///
/// ```
/// use std::io::{Read as _, Write as _};
/// use pipeproof_transport::blocking::pipe;
///
/// let (mut reader, mut writer) = pipe(16);
/// writer.write_all(b"abc")?;
/// drop(writer);
/// let mut text = String::new();
/// reader.read_to_string(&mut text)?;
/// assert_eq!(text, "abc");
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn pipe(capacity: usize) -> (PipeReader, PipeWriter) {
    let shared = Arc::new(Shared {
        state: Mutex::new(State { bytes: VecDeque::new(), reader: true, writer: true }),
        changed: Condvar::new(),
        capacity: capacity.max(1),
    });
    (PipeReader(Arc::clone(&shared)), PipeWriter(shared))
}

/// The reading end of [`pipe`]. Dropping it breaks the pipe.
#[derive(Debug)]
pub struct PipeReader(Arc<Shared>);

/// The writing end of [`pipe`]. Dropping it ends the stream.
#[derive(Debug)]
pub struct PipeWriter(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    capacity: usize,
}

#[derive(Debug)]
struct State {
    bytes: VecDeque<u8>,
    /// Whether the ends live.
    reader: bool,
    writer: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_when(&self, ready: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        self.changed
            .wait_while(self.lock(), |state| !ready(state))
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Read for PipeReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.lock_when(|state| !state.bytes.is_empty() || !state.writer);
        let count = state.bytes.read(out)?;
        self.0.changed.notify_all();
        Ok(count)
    }
}

impl Write for PipeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let capacity = self.0.capacity;
        let mut state = self.0.lock_when(|state| state.bytes.len() < capacity || !state.reader);
        if !state.reader {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let count = bytes.len().min(capacity - state.bytes.len());
        state.bytes.extend(&bytes[..count]);
        self.0.changed.notify_all();
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        self.0.lock().reader = false;
        self.0.changed.notify_all();
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.0.lock().writer = false;
        self.0.changed.notify_all();
    }
}
