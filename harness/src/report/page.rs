//! A page of text: wrapped paragraphs, labelled fields, and commands that are never wrapped.
//!
//! Everything that is written goes through [`printable`], so nothing that a subject said can steer a terminal.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::printable;

/// What failed.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What should be looked at.
pub(crate) const ODD: Style = AnsiColor::Yellow.on_default().bold();
/// What is as it should be.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What begins something.
pub(crate) const HEAD: Style = Style::new().bold();
/// What is only there to be looked up.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Plain.
pub(crate) const PLAIN: Style = Style::new();

/// The width of the labels of fields.
const LABEL: usize = 11;

/// Writes a page.
#[derive(Debug)]
pub(crate) struct Page<W> {
    out: W,
    width: usize,
}

impl<W: Write> Page<W> {
    pub(crate) const fn new(out: W, width: usize) -> Self {
        Self { out, width }
    }

    pub(crate) fn into_inner(self) -> W {
        self.out
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    pub(crate) fn blank(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    /// One line of styled pieces, never wrapped.
    pub(crate) fn line(&mut self, indent: usize, pieces: &[(Style, &str)]) -> io::Result<()> {
        write!(self.out, "{:indent$}", "")?;
        for (style, text) in pieces {
            write!(self.out, "{style}{}{style:#}", printable(text))?;
        }
        self.blank()
    }

    /// Text that is wrapped at the width of the page.
    pub(crate) fn paragraph(&mut self, indent: usize, style: Style, text: &str) -> io::Result<()> {
        for line in wrap(&printable(text), self.width.saturating_sub(indent)) {
            writeln!(self.out, "{:indent$}{style}{line}{style:#}", "")?;
        }
        Ok(())
    }

    /// A label, and a text that is wrapped beside it.
    pub(crate) fn field(&mut self, indent: usize, label: &str, text: &str) -> io::Result<()> {
        let text = printable(text);
        let lines = wrap(&text, self.width.saturating_sub(indent + LABEL));
        self.labelled(indent, label, &lines)
    }

    /// A label, and a text of which each line is kept as it is.
    pub(crate) fn verbatim(&mut self, indent: usize, label: &str, text: &str) -> io::Result<()> {
        let lines: Vec<_> = text.lines().map(printable).collect();
        self.labelled(indent, label, &lines)
    }

    fn labelled<T: AsRef<str>>(
        &mut self,
        indent: usize,
        label: &str,
        lines: &[T],
    ) -> io::Result<()> {
        for (index, line) in lines.iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            let line = line.as_ref();
            let text = format!("{:indent$}{DIM}{label:LABEL$}{DIM:#}{line}", "");
            writeln!(self.out, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

/// Breaks a text at spaces so that no line is longer than `width`, as far as its words allow.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        let long = word.chars().count();
        if length > 0 && length + 1 + long > width {
            lines.push(std::mem::take(&mut line));
            length = 0;
        } else if length > 0 || !line.is_empty() {
            line.push(' ');
            length += 1;
        }
        line.push_str(word);
        length += long;
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// A number with its noun, `1 defect`, `2 defects`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_whole_and_lines_within_the_width() {
        assert_eq!(wrap("a bb ccc dddd", 6), ["a bb", "ccc", "dddd"]);
        assert_eq!(wrap("toolongforit x", 4), ["toolongforit", "x"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("é é é", 3), ["é é", "é"]);
    }

    #[test]
    fn nothing_that_is_written_can_steer_a_terminal() {
        let mut page = Page::new(Vec::new(), 40);
        let text = "a\x1b[2J\u{9b}b\rc";
        page.line(0, &[(PLAIN, text)]).unwrap();
        page.paragraph(0, PLAIN, text).unwrap();
        page.field(0, "x", text).unwrap();
        page.verbatim(0, "x", text).unwrap();
        let written = anstream::adapter::strip_bytes(&page.into_inner()).into_vec();
        let written = String::from_utf8(written).unwrap();
        assert!(!written.contains(|c: char| c != '\n' && c.is_control()), "{written:?}");
    }
}
