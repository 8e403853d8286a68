//! The JSON report: one document, written when the run is over.
//!
//! Its form is a contract of its own, apart from the types of the program: [`wire`] holds it, and
//! `fixtures/schema/report.v1.json` describes it. A member may be added to a later version of the schema; none ever
//! changes its meaning.

pub mod wire;

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Reporter;
use super::printable::is_treacherous;
use crate::campaign::{Run, RunEvent};

/// Writes the JSON report.
#[derive(Debug)]
pub struct JsonReporter<W> {
    out: W,
}

impl<W: Write> JsonReporter<W> {
    /// A reporter that writes to `out`.
    pub const fn new(out: W) -> Self {
        Self { out }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> Reporter for JsonReporter<W> {
    fn event(&mut self, event: &RunEvent<'_>) -> io::Result<()> {
        let RunEvent::Finished { run } = event else { return Ok(()) };
        self.out.write_all(to_text(run)?.as_bytes())?;
        self.out.flush()
    }
}

/// The report of a run as text, ended by a line end.
///
/// # Errors
///
/// Never for a run that a campaign yielded.
pub fn to_text(run: &Run) -> io::Result<String> {
    let json = serde_json::to_string_pretty(&wire::Report::new(run))?;
    Ok(careful(&json) + "\n")
}

/// Escapes what JSON allows in a string but a terminal may obey. Outside of strings JSON has no such characters but
/// line ends.
fn careful(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && is_treacherous(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_may_obey_is_escaped_and_reads_back_the_same() {
        let text = "\x1b[31m \u{9b}2J \u{202e} \u{e0041} é 😀 \"\n";
        let json = careful(&serde_json::to_string(text).unwrap());
        let shown = r#""\u001b[31m \u009b2J \u202e \udb40\udc41 é 😀 \"\n""#;
        assert_eq!(json, shown);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
