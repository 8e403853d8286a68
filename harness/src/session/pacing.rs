//! How cuts are kept apart: a cut counts only when it is delivered.
//!
//! Two writes in a row reach a reader as one read. So the next chunk is written when the pipe has been seen empty,
//! which on Linux both of its ends can tell; elsewhere a pause has to do, and the transcript does not claim more.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use super::{Session, Step};
use crate::transcript::Fact;

/// What is waited for between two chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pacing {
    /// That the subject has taken everything before.
    #[default]
    PipeEmpty,
    /// Nothing: only to show that waiting is needed.
    Off,
}

impl fmt::Display for Pacing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PipeEmpty => "pipe-empty",
            Self::Off => "off",
        })
    }
}

impl FromStr for Pacing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "pipe-empty" => Ok(Self::PipeEmpty),
            "off" => Ok(Self::Off),
            _ => Err(format!("`{text}` is not a pacing; one of: pipe-empty, off")),
        }
    }
}

/// A quick reader takes a chunk within this time; looking so often costs little.
const GLANCE: Duration = Duration::from_micros(40);
/// After so many glances the reader is a slow one, and is looked at once a millisecond.
const GLANCES: u32 = 50;
/// The pause where the system does not tell whether a pipe is empty.
#[cfg(not(target_os = "linux"))]
const PAUSE: Duration = Duration::from_millis(3);

impl Session {
    /// Waits until the subject has taken everything that was sent, or the deadline is over.
    pub(super) async fn until_taken(&mut self, deadline: Instant) {
        if !self.unread || self.pacing == Pacing::Off {
            return;
        }
        #[cfg(target_os = "linux")]
        for glance in 0.. {
            let Some(stdin) = &self.stdin else { return };
            match rustix::io::ioctl_fionread(stdin) {
                Ok(0) => {
                    self.unread = false;
                    self.record(Fact::Taken);
                    return;
                }
                Ok(_) if glance < GLANCES => {
                    // The runtime's timer is too coarse for a reader that needs microseconds.
                    std::thread::sleep(GLANCE);
                    tokio::task::yield_now().await;
                }
                Ok(_) => {
                    let next = Instant::now() + Duration::from_millis(1);
                    let stopped =
                        matches!(self.step(None, next.min(deadline)).await, Step::Stopped);
                    if stopped || self.is_gone() || Instant::now() >= deadline {
                        return;
                    }
                }
                Err(_) => return,
            }
        }
        #[cfg(not(target_os = "linux"))]
        {
            self.step(None, (Instant::now() + PAUSE).min(deadline)).await;
        }
    }
}
