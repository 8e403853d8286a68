//! What happens while a campaign runs, for the person who waits for it.

use std::io::{self, Write};

use super::{Reporter, printable};
use crate::campaign::RunEvent;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Not at all.
    Off,
    /// One line for the start and one for the end of each session.
    Lines,
    /// One line of a terminal of this width, written over and over.
    Status {
        /// The width in columns.
        width: usize,
    },
}

/// Writes progress.
#[derive(Debug)]
pub struct ProgressReporter<W> {
    out: W,
    progress: Progress,
    sessions: usize,
    shown: bool,
}

impl<W: Write> ProgressReporter<W> {
    /// A reporter that writes to `out`.
    pub const fn new(out: W, progress: Progress) -> Self {
        Self { out, progress, sessions: 0, shown: false }
    }

    /// Takes the status line away, so that something else can be written.
    ///
    /// # Errors
    ///
    /// When nothing can be written.
    pub fn clear(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.shown) {
            self.out.write_all(b"\r\x1b[2K")?;
            self.out.flush()?;
        }
        Ok(())
    }

    fn status(&mut self, width: usize, text: &str) -> io::Result<()> {
        let text: String = printable(text).chars().take(width.saturating_sub(1)).collect();
        self.shown = true;
        write!(self.out, "\r\x1b[2K{text}")?;
        self.out.flush()
    }
}

impl<W: Write> Reporter for ProgressReporter<W> {
    fn event(&mut self, event: &RunEvent<'_>) -> io::Result<()> {
        if let RunEvent::SessionStarted { .. } = event {
            self.sessions += 1;
        }
        match (self.progress, event) {
            (_, RunEvent::Finished { .. }) => self.clear(),
            (Progress::Lines, RunEvent::SessionStarted { session, about }) => {
                writeln!(self.out, "session {}: {}", printable(session), printable(about))
            }
            (Progress::Lines, RunEvent::SessionEnded { session, took }) => {
                let took = took.as_secs_f64();
                writeln!(self.out, "session {} ended after {took:.1} s", printable(session))
            }
            (Progress::Status { width }, RunEvent::SessionStarted { session, about }) => {
                let number = self.sessions;
                self.status(width, &format!("certifying, session {number}: {session}, {about}"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn written(progress: Progress) -> String {
        let mut reporter = ProgressReporter::new(Vec::new(), progress);
        let session = "s01-probe";
        let about = "which eras\x1b[2J?";
        reporter.event(&RunEvent::SessionStarted { session, about }).unwrap();
        let took = Duration::from_millis(420);
        reporter.event(&RunEvent::SessionEnded { session, took }).unwrap();
        reporter.clear().unwrap();
        String::from_utf8(reporter.out).unwrap()
    }

    #[test]
    fn each_way_of_showing_shows_the_session_and_nothing_of_a_terminal_command() {
        assert_eq!(written(Progress::Off), "");
        let lines = "session s01-probe: which eras\\x1b[2J?\nsession s01-probe ended after 0.4 s\n";
        assert_eq!(written(Progress::Lines), lines);
        let status = "\r\x1b[2Kcertifying, session 1: s01-probe, which eras\r\x1b[2K";
        assert_eq!(written(Progress::Status { width: 45 }), status);
    }
}
