//! What happens while a campaign runs, for the person who waits for it.
//!
//! On a terminal it is one line that is written over and over and gone at the end; else, when it is asked for, two lines
//! for each session. How the line is drawn is left to [`indicatif`].

use std::io::{self, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::page::count;
use super::{Reporter, printable};
use crate::campaign::RunEvent;

/// How often the line moves while nothing else happens.
const TICK: Duration = Duration::from_millis(100);

/// How progress is shown.
#[derive(Debug)]
pub enum Progress<W> {
    /// Not at all.
    Off,
    /// One line for the start and one for the end of each session.
    Lines(W),
    /// One line of a terminal.
    Status(StatusLine),
}

/// A line of a terminal that says how far the campaign is.
#[derive(Debug)]
pub struct StatusLine {
    bar: ProgressBar,
}

impl StatusLine {
    /// The line on stderr; nothing is shown where that is no terminal.
    #[must_use]
    pub fn on_stderr(coloured: bool) -> Self {
        let line = Self::new(ProgressDrawTarget::stderr(), coloured);
        line.bar.enable_steady_tick(TICK);
        line
    }

    fn new(target: ProgressDrawTarget, coloured: bool) -> Self {
        let spinner = if coloured { "{spinner:.cyan}" } else { "{spinner}" };
        let template = format!("{spinner} {{elapsed_precise}} {{wide_msg}}");
        let style = ProgressStyle::with_template(&template)
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = ProgressBar::with_draw_target(None, target);
        bar.set_style(style.tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "));
        Self { bar }
    }
}

/// Writes progress.
#[derive(Debug)]
pub struct ProgressReporter<W> {
    progress: Progress<W>,
    /// How many sessions have begun.
    sessions: usize,
    /// How many checks were judged.
    judged: usize,
    /// The sessions that have not ended, by name, and what is driven in them; the latest is the last.
    open: Vec<(String, String)>,
}

impl<W: Write> ProgressReporter<W> {
    /// A reporter that shows progress in this way.
    pub const fn new(progress: Progress<W>) -> Self {
        Self { progress, sessions: 0, judged: 0, open: Vec::new() }
    }

    /// Takes the status line away, so that something else can be written; it does not come back.
    pub fn clear(&mut self) {
        if let Progress::Status(line) = &self.progress {
            line.bar.finish_and_clear();
        }
    }

    /// Keeps count of what has happened.
    fn note(&mut self, event: &RunEvent<'_>) {
        match event {
            RunEvent::SessionStarted { session, about } => {
                self.sessions += 1;
                self.open.push(((*session).into(), (*about).into()));
            }
            RunEvent::SessionEnded { session, .. } => {
                self.open.retain(|(open, _)| open != session);
            }
            RunEvent::Judged { .. } => self.judged += 1,
            RunEvent::Started { .. } | RunEvent::EraFound { .. } | RunEvent::Finished { .. } => {}
        }
    }

    /// What the status line says now.
    fn status(&self) -> String {
        let numbers = [count(self.sessions, "session"), count(self.judged, "check")].join(" · ");
        let Some((session, about)) = self.open.last() else { return numbers };
        let others = match self.open.len() {
            1 => String::new(),
            all => format!(" +{}", all - 1),
        };
        format!("{numbers} · {}{others}: {}", printable(session), printable(about))
    }
}

impl<W: Write> Reporter for ProgressReporter<W> {
    fn event(&mut self, event: &RunEvent<'_>) -> io::Result<()> {
        self.note(event);
        if let Progress::Status(line) = &self.progress {
            match event {
                RunEvent::Finished { .. } => self.clear(),
                _ => line.bar.set_message(self.status()),
            }
        }
        let Progress::Lines(out) = &mut self.progress else { return Ok(()) };
        match event {
            RunEvent::SessionStarted { session, about } => {
                writeln!(out, "session {}: {}", printable(session), printable(about))
            }
            RunEvent::SessionEnded { session, took } => {
                let took = took.as_secs_f64();
                writeln!(out, "session {} ended after {took:.1} s", printable(session))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;

    const TOOK: Duration = Duration::from_millis(420);

    fn started<'a>(session: &'a str, about: &'a str) -> RunEvent<'a> {
        RunEvent::SessionStarted { session, about }
    }

    fn ended(session: &str) -> RunEvent<'_> {
        RunEvent::SessionEnded { session, took: TOOK }
    }

    /// A terminal of one line that keeps everything it has shown.
    #[derive(Clone, Debug)]
    struct Screen {
        width: u16,
        line: Arc<Mutex<String>>,
        shown: Arc<Mutex<Vec<String>>>,
    }

    impl Screen {
        fn new(width: u16) -> Self {
            Self { width, line: Arc::default(), shown: Arc::default() }
        }

        fn reporter(&self) -> ProgressReporter<Vec<u8>> {
            let target = ProgressDrawTarget::term_like(Box::new(self.clone()));
            ProgressReporter::new(Progress::Status(StatusLine::new(target, false)))
        }

        /// What was shown after the spinner and the time.
        fn shown(&self) -> Vec<String> {
            let shown = self.shown.lock().unwrap();
            let text = |line: &String| line.splitn(3, ' ').nth(2).unwrap_or_default().to_string();
            shown.iter().map(text).collect()
        }
    }

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            self.width
        }

        fn move_cursor_up(&self, lines: usize) -> io::Result<()> {
            assert_eq!(lines, 0);
            Ok(())
        }

        fn move_cursor_down(&self, lines: usize) -> io::Result<()> {
            assert_eq!(lines, 0);
            Ok(())
        }

        fn move_cursor_right(&self, _columns: usize) -> io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _columns: usize) -> io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            panic!("a line that stays: {text}");
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.line.lock().unwrap().push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            self.line.lock().unwrap().clear();
            Ok(())
        }

        fn flush(&self) -> io::Result<()> {
            let line = self.line.lock().unwrap();
            self.shown.lock().unwrap().push(line.trim_end().into());
            Ok(())
        }
    }

    #[test]
    fn lines_show_the_start_and_the_end_of_each_session() {
        let mut written = Vec::new();
        let mut reporter = ProgressReporter::new(Progress::Lines(&mut written));
        reporter.event(&started("s01-probe", "which eras\x1b[2J?")).unwrap();
        reporter.event(&ended("s01-probe")).unwrap();
        reporter.clear();
        let lines = "session s01-probe: which eras\\x1b[2J?\nsession s01-probe ended after 0.4 s\n";
        assert_eq!(String::from_utf8(written).unwrap(), lines);
    }

    #[test]
    fn the_line_shows_the_latest_session_and_how_many_others_are_open() {
        let screen = Screen::new(80);
        let mut reporter = screen.reporter();
        for event in [
            started("s01-probe", "which eras?"),
            started("s02-cuts", "cuts"),
            started("s03-end", "the end"),
            ended("s02-cuts"),
            ended("s03-end"),
            ended("s01-probe"),
        ] {
            reporter.event(&event).unwrap();
        }
        reporter.clear();
        reporter.clear();
        let mut shown = screen.shown();
        shown.dedup();
        let wanted = [
            "1 session · 0 checks · s01-probe: which eras?",
            "2 sessions · 0 checks · s02-cuts +1: cuts",
            "3 sessions · 0 checks · s03-end +2: the end",
            "3 sessions · 0 checks · s03-end +1: the end",
            "3 sessions · 0 checks · s01-probe: which eras?",
            "3 sessions · 0 checks",
            "",
        ];
        assert_eq!(shown, wanted);
    }

    #[test]
    fn the_line_is_cut_at_the_width_and_holds_nothing_that_a_terminal_obeys() {
        let screen = Screen::new(60);
        let mut reporter = screen.reporter();
        reporter.event(&started("s01-probe", &"日本\x1b[2J".repeat(20))).unwrap();
        drop(reporter);
        let shown = screen.shown.lock().unwrap();
        let [line, gone] = &shown[..] else { panic!("{shown:?}") };
        assert!(line.contains("日本\\x1b[2J"), "{line}");
        assert!(!line.contains(char::is_control), "neither a colour: {line:?}");
        let columns: usize =
            line.chars().map(|c| if ('日'..='本').contains(&c) { 2 } else { 1 }).sum();
        assert!(columns <= 60, "{line}");
        assert_eq!(gone, "", "what is dropped leaves nothing behind");
    }
}
