//! Starts a program, shows what it prints as it prints it, and keeps the closing lines of test runners.
//!
//! Both of the program's streams are shown on standard output, in the order in which they arrive, so that a log which
//! keeps one of them keeps all.

use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use xshell::Cmd;

/// The lines with which test runners closed, each with the name of what was run.
///
/// A whole run prints thousands of lines after the first runner is done; the task that the user started prints these
/// again at its end.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    lines: Vec<(String, String)>,
}

impl Closing {
    /// Prints every kept line, aligned.
    pub(crate) fn print(&self) {
        let width = self.lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, line) in &self.lines {
            println!("{name:width$}  {line}");
        }
    }
}

/// Runs the command, shows its output, and keeps its closing lines under the name.
pub(crate) fn tests(name: &str, command: Cmd<'_>, closing: &mut Closing) -> Result<()> {
    let shown = command.to_string();
    println!("$ {shown}");
    let mut command = Command::from(command);
    if std::io::stdout().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{shown}`"))?;
    let kept = Mutex::new(Vec::new());
    let (out, err) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        scope.spawn(|| out.map(|stream| echo(stream, &kept)));
        scope.spawn(|| err.map(|stream| echo(stream, &kept)));
    });
    let status = child.wait().with_context(|| format!("cannot wait for `{shown}`"))?;
    let kept = kept.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    closing.lines.extend(kept.into_iter().map(|line| (name.to_owned(), line)));
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Whether the program answers `--version` with success.
pub(crate) fn installed(command: Cmd<'_>) -> bool {
    command.quiet().ignore_stdout().ignore_stderr().run().is_ok()
}

fn echo(stream: impl Read, kept: &Mutex<Vec<String>>) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while stream.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\n', '\r']);
        println!("{text}");
        if let Some(closing) = closing_line(text)
            && let Ok(mut kept) = kept.lock()
        {
            kept.push(closing);
        }
        line.clear();
    }
}

/// The line without colours where it is the last word of a test runner, and that runner ran something.
fn closing_line(line: &str) -> Option<String> {
    let plain = without_colours(line);
    // What a failed test had printed is shown again, indented; it may be such a line, too.
    let closes_cargo = plain.starts_with("test result: ");
    let plain = plain.trim();
    let idle = plain.contains(" 0 passed; 0 failed;") || plain.contains("] 0 tests run:");
    ((closes_cargo || plain.starts_with("Summary [")) && !idle).then(|| plain.to_owned())
}

fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, escape)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest =
            escape.split_once(|end: char| end.is_ascii_alphabetic()).map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_both_runners_are_kept() {
        let nextest =
            "\u{1b}[32;1m     Summary\u{1b}[0m [   0.5s] \u{1b}[1m3\u{1b}[0m tests run: 3 passed";
        assert_eq!(closing_line(nextest).unwrap(), "Summary [   0.5s] 3 tests run: 3 passed");
        let cargo = "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(closing_line(cargo).unwrap(), cargo);
    }

    #[test]
    fn other_lines_and_idle_runners_are_not_kept() {
        assert_eq!(closing_line("     Running unittests src/lib.rs"), None);
        assert_eq!(closing_line("test result: ok. 0 passed; 0 failed; 0 ignored"), None);
        assert_eq!(closing_line("     Summary [   0.0s] 0 tests run: 0 passed, 0 skipped"), None);
        assert_eq!(closing_line("    test result: FAILED. 0 passed; 1 failed; 0 ignored"), None);
        assert_eq!(closing_line("\u{1b}["), None);
    }
}
