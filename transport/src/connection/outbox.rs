//! The state of a writer: frames that were accepted and not yet written.
//!
//! It never writes. What a cancelled write leaves half done stands here, so that no frame is ever
//! cut or mixed with another.

use crate::line::{EncodeError, encode};

/// A buffer no larger than this is kept for the next frame.
const KEPT: usize = 64 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Outbox {
    bytes: Vec<u8>,
    sent: usize,
}

impl Outbox {
    /// Accepts one frame whole, or nothing of it.
    pub(crate) fn push(&mut self, json: &[u8]) -> Result<(), EncodeError> {
        encode(json, &mut self.bytes)
    }

    /// What is still to be written.
    pub(crate) fn pending(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// The first `count` pending bytes were written.
    pub(crate) fn written(&mut self, count: usize) {
        self.sent += count;
        if self.sent >= self.bytes.len() {
            self.clear();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.sent = 0;
        if self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        } else {
            self.bytes.clear();
        }
    }
}
