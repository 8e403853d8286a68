//! A tap: someone who sees the raw bytes of a link as they pass.
//!
//! A tap observes and cannot change anything.

use std::fmt;

/// Which way bytes travel, seen from this end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the peer to us.
    Received,
    /// From us to the peer.
    Sent,
}

type Observer = dyn FnMut(Direction, &[u8]) + Send;

/// Holds the observer of a reader or writer, if there is one.
#[derive(Default)]
pub(crate) struct Tap(Option<Box<Observer>>);

impl Tap {
    pub(crate) fn new(observer: impl FnMut(Direction, &[u8]) + Send + 'static) -> Self {
        Self(Some(Box::new(observer)))
    }

    pub(crate) fn see(&mut self, direction: Direction, bytes: &[u8]) {
        if let Some(observer) = &mut self.0 {
            observer(direction, bytes);
        }
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Tap(..)" } else { "Tap" })
    }
}
