//! Writes frames to any `AsyncWrite`.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use crate::connection::Outbox;
use crate::error::{Error, ErrorKind};
use crate::tap::{Direction, Tap};

/// Writes each JSON text as one frame, with one write where the sink takes it whole.
///
/// Frames never mix and are never cut. All methods are cancel-safe in this sense: if a future is
/// dropped in the middle of a frame, the rest goes out first with the next call, and
/// [`pending`](Self::pending) tells whether there is a rest; a `send` that was dropped before it
/// accepted its frame has written nothing of it. After a write error the writer is closed.
///
/// # Example
///
/// ```
/// use pipeproof_transport::{ErrorKind, nonblocking::Writer};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut out = Vec::new();
/// let mut writer = Writer::new(&mut out);
/// writer.send(b"{}").await?;
/// writer.close().await?;
/// writer.close().await?;
/// assert_eq!(writer.send(b"{}").await.unwrap_err().kind(), ErrorKind::Closed);
/// assert_eq!(out, b"{}\n");
/// # Ok::<(), pipeproof_transport::Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct Writer<W> {
    sink: Option<W>,
    outbox: Outbox,
    tap: Tap,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
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
    /// It waits while the sink is full. At most one frame is ever pending.
    ///
    /// # Errors
    ///
    /// A text that cannot be one frame is refused, and nothing is written. A write error says
    /// whether the peer is gone.
    pub async fn send(&mut self, json: &[u8]) -> Result<(), Error> {
        self.drain().await?;
        self.outbox.push(json)?;
        self.flush().await
    }

    /// Writes what is pending and flushes the sink.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub async fn flush(&mut self) -> Result<(), Error> {
        self.drain().await?;
        let Some(sink) = &mut self.sink else { return Err(Error::new(ErrorKind::Closed)) };
        match sink.flush().await {
            Ok(()) => Ok(()),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Writes what is pending, shuts the sink down and drops it. Idempotent.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send); the sink is dropped in any case, unless the future is.
    pub async fn close(&mut self) -> Result<(), Error> {
        if self.sink.is_none() {
            return Ok(());
        }
        self.flush().await?;
        let shut = match &mut self.sink {
            Some(sink) => sink.shutdown().await,
            None => Ok(()),
        };
        self.abort();
        shut.map_err(Error::write)
    }

    /// Drops the sink and what is pending, without waiting. Idempotent.
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

    async fn drain(&mut self) -> Result<(), Error> {
        let Some(sink) = &mut self.sink else { return Err(Error::new(ErrorKind::Closed)) };
        while !self.outbox.pending().is_empty() {
            match sink.write(self.outbox.pending()).await {
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
        self.abort();
        Error::write(error)
    }
}
