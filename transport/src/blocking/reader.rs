//! Reads items or messages from any `Read`.

use std::io::{self, Read};

use crate::connection::{Counts, Inbox, Incoming};
use crate::error::Error;
use crate::line::{Found, Item};
use crate::policy::Policy;
use crate::tap::{Direction, Tap};

/// Reads lines and messages from a source, with one 64 KiB buffer.
///
/// Items borrow from the buffer where they can. After the end of the source, or after a read
/// error, which is reported once, every call gives `Ok(None)`; what was pending at a read error
/// comes before that as [`Item::Unterminated`]. `WouldBlock` and `TimedOut` end nothing: the next
/// call goes on.
///
/// # Example
///
/// ```
/// use pipeproof_transport::{blocking::Reader, line::Item};
///
/// let mut reader = Reader::new(&b"{}\n\n[]"[..]);
/// let mut seen = Vec::new();
/// while let Some(item) = reader.recv()? {
///     seen.push(match item {
///         Item::Line(line) => line.bytes.to_vec(),
///         _ => b"no line".to_vec(),
///     });
/// }
/// assert_eq!(seen, [&b"{}"[..], b"no line", b"[]"]);
/// # Ok::<(), pipeproof_transport::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    source: Option<R>,
    ended: bool,
    inbox: Inbox,
    tap: Tap,
}

impl<R: Read> Reader<R> {
    /// A reader with the strict default policy.
    pub fn new(source: R) -> Self {
        Self::with_policy(source, Policy::default())
    }

    /// A reader with a policy.
    pub fn with_policy(source: R, policy: Policy) -> Self {
        Self { source: Some(source), ended: false, inbox: Inbox::new(policy), tap: Tap::default() }
    }

    /// Lets `observer` see every chunk as it was read, before it is decoded.
    #[must_use]
    pub fn with_tap(mut self, observer: impl FnMut(Direction, &[u8]) + Send + 'static) -> Self {
        self.tap = Tap::new(observer);
        self
    }

    /// The next item of the stream; `None` at its end.
    ///
    /// # Errors
    ///
    /// A read error, once; `FinalLine::Error` makes an unterminated last line one.
    pub fn recv(&mut self) -> Result<Option<Item<'_>>, Error> {
        let Some(found) = self.step()? else { return Ok(None) };
        self.inbox.item(found).map(Some)
    }

    /// The next message, or the next line that holds none; `None` at the end of the stream.
    ///
    /// Blank lines are passed over and counted. `OnMalformed::Skip` passes over malformed lines
    /// too, at the price of parsing each message twice.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv); `OnMalformed::Fail` makes a malformed line one, and the next call
    /// goes on after it.
    ///
    /// # Example
    ///
    /// ```
    /// use pipeproof_transport::{blocking::Reader, connection::Incoming};
    ///
    /// let stream = &b"banner\n{\"jsonrpc\":\"2.0\",\"method\":\"ready\"}\n"[..];
    /// let mut reader = Reader::new(stream);
    /// let Some(Incoming::Malformed(line)) = reader.recv_message()? else { panic!("no JSON") };
    /// assert_eq!(line.excerpt, b"banner");
    /// let Some(Incoming::Message(message, _)) = reader.recv_message()? else { panic!("a message") };
    /// assert_eq!(message.method(), Some("ready"));
    /// # Ok::<(), pipeproof_transport::Error>(())
    /// ```
    pub fn recv_message(&mut self) -> Result<Option<Incoming<'_>>, Error> {
        loop {
            let Some(found) = self.step()? else { return Ok(None) };
            if !self.inbox.passes_over(found) {
                return self.inbox.incoming(found).map(Some);
            }
        }
    }

    /// How many items of each sort were seen.
    pub const fn counts(&self) -> Counts {
        self.inbox.counts()
    }

    /// Bytes of the stream that were decoded.
    pub const fn offset(&self) -> u64 {
        self.inbox.offset()
    }

    /// Drops the source and everything unread; further calls give `Ok(None)`. Idempotent.
    pub fn close(&mut self) {
        self.source = None;
        self.ended = true;
        self.inbox.clear();
    }

    fn step(&mut self) -> Result<Option<Found>, Error> {
        loop {
            if let Some(found) = self.inbox.next() {
                return Ok(Some(found));
            }
            let source = match &mut self.source {
                Some(source) if !self.ended => source,
                _ => return Ok(None),
            };
            match source.read(self.inbox.space()) {
                Ok(0) => {
                    self.ended = true;
                    self.inbox.finish();
                }
                Ok(count) => {
                    self.inbox.filled(count);
                    self.tap.see(Direction::Received, self.inbox.chunk());
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                        return Err(Error::read(error, self.inbox.offset()));
                    }
                    _ => {
                        let offset = self.inbox.offset();
                        self.ended = true;
                        self.inbox.abandon();
                        return Err(Error::read(error, offset));
                    }
                },
            }
        }
    }
}
