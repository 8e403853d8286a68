//! Two commands that show a finding again: one of ours, one that needs only a shell.
//!
//! The shell command sends what the session sent: the opening, then the stimulus that the finding belongs to, cut
//! where it was cut. It leaves everything else out, so that a person can read it.

use std::fmt::Write as _;

use super::{Options, Revisions};
use crate::check::Reading;
use crate::protocol::mcp;
use crate::subject::Subject;
use crate::transcript::{Fact, Mark};
use crate::verdict::Reproduce;

/// How many chunks a command may hold before it stops being readable.
const CHUNKS: usize = 400;
/// A run of one byte that is longer is counted, and not written out.
const LONG: usize = 1024;

/// The commands for a finding of a requirement, seen at a time of a session.
pub(super) fn commands(
    subject: &Subject,
    options: &Options,
    id: &str,
    reading: &Reading,
    at: u64,
) -> Reproduce {
    let command = command(subject);
    let tools = match options.call_tools {
        crate::scenario::CallTools::ReadOnly => String::new(),
        other => format!(" --call-tools {other}"),
    };
    let protocol = match reading.transcript.header.protocol.as_str() {
        mcp::NAME => String::new(),
        other => format!(" --protocol {other}"),
    };
    let revision = match &options.revisions {
        Revisions::Preferred => String::new(),
        Revisions::All => " --revision all".into(),
        Revisions::One(revision) => format!(" --revision {revision}"),
    };
    let hints = options.hints_file.as_ref();
    let hints = hints.map(|path| format!(" --hints {}", quote(&path.to_string_lossy())));
    let hints = hints.unwrap_or_default();
    let seed = options.seed;
    let place = subject.cwd.as_ref().map(|cwd| quote(&cwd.to_string_lossy()));
    let cwd = place.as_ref().map(|cwd| format!(" --cwd {cwd}")).unwrap_or_default();
    let env: String = subject
        .env
        .iter()
        .map(|(key, value)| format!("{}={}", key.to_string_lossy(), value.to_string_lossy()))
        .map(|pair| format!(" --env {}", quote(&pair)))
        .collect();
    Reproduce {
        pipeproof: format!(
            "pipeproof certify --only {id} --seed {seed}{protocol}{revision}{tools}{hints}{cwd}{env} -- {command}"
        ),
        shell: shell(subject, &command, place.as_deref(), reading, at),
    }
}

fn command(subject: &Subject) -> String {
    subject.command().iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

fn shell(
    subject: &Subject,
    command: &str,
    cwd: Option<&str>,
    reading: &Reading,
    at: u64,
) -> String {
    let mut script = String::from("{ ");
    let mut millis = 0;
    for piece in pieces(reading, at) {
        match piece {
            Piece::Bytes(bytes) => {
                for run in runs(&bytes) {
                    _ = match run {
                        // A system takes no command of a mebibyte, and nobody reads one.
                        Run::Repeated(byte, count) => write!(
                            script,
                            "head -c {} /dev/zero | tr '\\0' '{}'; ",
                            count,
                            printf(&[byte]),
                        ),
                        Run::Bytes(bytes) => write!(script, "printf '{}'; ", printf(bytes)),
                    };
                }
            }
            Piece::Pause(pause) => {
                millis += pause;
                _ = write!(script, "sleep {}; ", seconds(pause));
            }
        }
    }
    // A server that stays is ended, but not before it has been told everything.
    let limit = millis.div_ceil(1000) + 15;
    script.push_str("} | ");
    if let Some(cwd) = cwd {
        script.insert_str(0, &format!("cd {cwd} && "));
    }
    if !subject.env.is_empty() {
        script.push_str("env ");
        for (key, value) in &subject.env {
            let pair = format!("{}={}", key.to_string_lossy(), value.to_string_lossy());
            _ = write!(script, "{} ", quote(&pair));
        }
    }
    _ = write!(script, "timeout {limit} {command}; echo \"exit status $?\"");
    let left = reading.ledger.process().left.iter().flatten().next();
    if let Some(left) = left {
        _ = write!(script, "; ps -A -o pid,ppid,comm | grep -F {}", quote(&left.name));
    }
    script
}

/// A part of what is sent.
#[derive(Debug, PartialEq)]
enum Run<'a> {
    /// One byte so many times.
    Repeated(u8, usize),
    /// Bytes as they are.
    Bytes(&'a [u8]),
}

/// The bytes in order, with every long run of one byte apart.
fn runs(bytes: &[u8]) -> Vec<Run<'_>> {
    let mut runs = Vec::new();
    let mut begun = 0;
    let mut at = 0;
    for same in bytes.chunk_by(|one, other| one == other) {
        if same.len() >= LONG {
            runs.extend((begun < at).then(|| Run::Bytes(&bytes[begun..at])));
            runs.push(Run::Repeated(same[0], same.len()));
            begun = at + same.len();
        }
        at += same.len();
    }
    runs.extend((begun < at).then(|| Run::Bytes(&bytes[begun..])));
    runs
}

enum Piece {
    Bytes(Vec<u8>),
    /// Milliseconds.
    Pause(u64),
}

/// What was sent for the opening and for the stimulus that was on when the finding was seen.
fn pieces(reading: &Reading, at: u64) -> Vec<Piece> {
    let mut number = 0usize;
    // At the end of the input nothing is sent: what was sent before it matters.
    let sending = reading.ledger.stimuli().iter().filter(|one| one.name != "end-of-input");
    let wanted = sending.filter(|stimulus| stimulus.at <= at).count();
    let mut opened = false;
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut sent_in_stimulus, mut taken) = (false, false);
    // Whether the input is closed right after it, with no answer waited for.
    let (mut hurried, mut closed) = (false, false);
    for event in &reading.transcript.events {
        match &event.fact {
            Fact::Mark(Mark::Stimulus { .. }) => {
                number += 1;
                sent_in_stimulus = false;
            }
            Fact::Mark(Mark::Waited { .. }) => hurried = false,
            Fact::Mark(Mark::Barrier) if number == wanted => pieces.push(Piece::Pause(500)),
            Fact::Mark(Mark::Open) => {
                opened = true;
                pieces.push(Piece::Pause(2000));
            }
            Fact::Taken => taken = true,
            Fact::Sent(bytes) if !opened || number == wanted => {
                if sent_in_stimulus && taken && number == wanted {
                    pieces.push(Piece::Pause(100));
                }
                match pieces.last_mut() {
                    Some(Piece::Bytes(last)) => last.extend_from_slice(&bytes.0),
                    _ => pieces.push(Piece::Bytes(bytes.0.clone())),
                }
                (sent_in_stimulus, taken) = (true, false);
                hurried = number == wanted;
            }
            Fact::StdinClosed => {
                closed = true;
                break;
            }
            _ => {}
        }
        if pieces.len() > CHUNKS {
            break;
        }
    }
    let waits = matches!(pieces.last(), Some(Piece::Pause(2000)));
    let at_once = closed && hurried;
    if !waits && !at_once {
        pieces.push(Piece::Pause(2000));
    }
    pieces
}

/// A pause as `sleep` takes it.
fn seconds(millis: u64) -> String {
    match (millis / 1000, millis % 1000) {
        (whole, 0) => whole.to_string(),
        (whole, rest) => format!("{whole}.{}", format!("{rest:03}").trim_end_matches('0')),
    }
}

/// Bytes as the format of `printf`, inside single quotes.
fn printf(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'%' => text.push_str("%%"),
            b'\\' => text.push_str("\\\\"),
            b'\'' => text.push_str("'\\''"),
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => _ = write!(text, "\\{byte:03o}"),
        }
    }
    text
}

/// A word as a shell reads it back.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./-_".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        for word in ["a", "", "it's", "a b", "$HOME", "é", "*", "a\nb"] {
            let output = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {}", quote(word))])
                .output()
                .unwrap();
            assert_eq!(output.stdout, word.as_bytes());
        }
    }

    #[test]
    fn a_long_run_of_one_byte_stands_apart() {
        let long = "x".repeat(LONG);
        let text = format!("a{long}bb");
        let expected = [Run::Bytes(b"a"), Run::Repeated(b'x', LONG), Run::Bytes(b"bb")];
        assert_eq!(runs(text.as_bytes()), expected);
        assert_eq!(runs(b"aabb"), [Run::Bytes(b"aabb")]);
        assert_eq!(runs(long.as_bytes()), [Run::Repeated(b'x', LONG)]);
        assert!(runs(b"").is_empty());
        // Many bytes are no run of one.
        let many = "ab".repeat(LONG);
        assert_eq!(runs(many.as_bytes()), [Run::Bytes(many.as_bytes())]);
    }

    #[test]
    fn a_pause_is_written_as_sleep_takes_it() {
        let table = [(2000, "2"), (500, "0.5"), (100, "0.1"), (1050, "1.05")];
        for (millis, text) in table {
            assert_eq!(seconds(millis), text);
        }
    }

    #[test]
    fn printf_gives_back_every_byte() {
        let bytes: Vec<u8> = (0..=255).collect();
        let output = std::process::Command::new("sh")
            .args(["-c", &format!("printf '{}'", printf(&bytes))])
            .output()
            .unwrap();
        assert_eq!(output.stdout, bytes);
    }
}
