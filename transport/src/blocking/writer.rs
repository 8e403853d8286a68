//! Writes frames to any `Write`.

use std::io::{self, Write};

use crate::connection::Outbox;
use crate::error::{Error, ErrorKind};
use crate::tap::{Direction, Tap};

/// Writes each JSON text as one frame, with one write where the sink takes it whole.
///
/// Frames never mix and are never cut: if the sink would block in the middle, the rest goes out
/// first with the next call. After any other write error the writer is closed.
///
/// # Example
///
/// ```
/// use pipeproof_transport::{ErrorKind, blocking::Writer};
///
/// let mut out = Vec::new();
/// let mut writer = Writer::new(&mut out);
/// writer.send(b"{}")?;
/// writer.close()?;
/// writer.close()?;
/// assert_eq!(writer.send(b"{}").unwrap_err().kind(), ErrorKind::Closed);
/// assert_eq!(out, b"{}\n");
/// # Ok::<(), pipeproof_transport::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer<W> {
    sink: Option<W>,
    outbox: Outbox,
    tap: Tap,
}

impl<W: Write> Writer<W> {
    /// A writer to `sink`.
    pub fn new(sink: W) -> Self {
        Self { sink: Some(sink), outbox: Outbox::default(), tap: Tap::default() }
    }

    /// Lets `observer` see the bytes of every write that the sink took.
    #[must_use]
    pub fn with_tap(mut self, observer: impl FnMut(Direction, &[u8]) + Send + 'static) -> Self {
        self.tap = Tap::new(observer);
        self
    }

    /// Writes one frame and flushes the sink.
    ///
    /// # Errors
    ///
    /// A text that cannot be one frame is refused, and nothing is written. A write error says
    /// whether the peer is gone; if [`pending`](Self::pending) is not 0 after it, the frame was
    /// accepted and the next call goes on with it.
    pub fn send(&mut self, json: &[u8]) -> Result<(), Error> {
        self.drain()?;
        self.outbox.push(json)?;
        self.flush()
    }

    /// Writes what is pending and flushes the sink.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn flush(&mut self) -> Result<(), Error> {
        self.drain()?;
        let Some(sink) = &mut self.sink else { return Err(Error::new(ErrorKind::Closed)) };
        match sink.flush() {
            Ok(()) => Ok(()),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Writes what is pending and drops the sink. Idempotent.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); the sink is dropped in any case.
    pub fn close(&mut self) -> Result<(), Error> {
        if self.sink.is_none() {
            return Ok(());
        }
        let flushed = self.flush();
        self.abort();
        flushed
    }

    /// Drops the sink and what is pending. Idempotent.
    pub fn abort(&mut self) {
        self.sink = None;
        self.outbox.clear();
    }

    /// Bytes that were accepted and not yet written.
    pub fn pending(&self) -> usize {
        self.outbox.pending().len()
    }

    /// Whether it was closed, or a write has failed.
    pub const fn is_closed(&self) -> bool {
        self.sink.is_none()
    }

    fn drain(&mut self) -> Result<(), Error> {
        let Some(sink) = &mut self.sink else { return Err(Error::new(ErrorKind::Closed)) };
        while !self.outbox.pending().is_empty() {
            match sink.write(self.outbox.pending()) {
                Ok(0) => return Err(self.failed(io::ErrorKind::WriteZero.into())),
                Ok(count) => {
                    self.tap.see(Direction::Sent, &self.outbox.pending()[..count]);
                    self.outbox.written(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
        Ok(())
    }

    fn failed(&mut self, error: io::Error) -> Error {
        if !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) {
            self.abort();
        }
        Error::write(error)
    }
}
