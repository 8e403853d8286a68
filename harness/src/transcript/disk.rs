//! The on-disk form: NDJSON, the header on the first line, then one event a line.

use std::fmt;

use super::{Event, FORMAT, Header, Transcript};

/// Why a text is no transcript.
#[derive(Debug)]
pub struct TranscriptError {
    line: usize,
    problem: String,
}

impl fmt::Display for TranscriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the transcript: {}", self.line, self.problem)
    }
}

impl std::error::Error for TranscriptError {}

impl Transcript {
    /// Reads the on-disk form. Blank lines and lines that begin with `#` are passed over, for those who write by hand.
    ///
    /// # Errors
    ///
    /// When a line is not what stands at its place, or the form is of a version that is not known.
    pub fn parse(text: &str) -> Result<Self, TranscriptError> {
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let Some((number, first)) = lines.next() else {
            return Err(TranscriptError { line: 1, problem: "there is no header".into() });
        };
        let at = |line: usize| {
            move |error: serde_json::Error| TranscriptError { line, problem: error.to_string() }
        };
        let header: Header = serde_json::from_str(first).map_err(at(number))?;
        if header.format != FORMAT {
            let problem =
                format!("format {} is not known; this version reads {FORMAT}", header.format);
            return Err(TranscriptError { line: number, problem });
        }
        let events = lines
            .map(|(number, line)| serde_json::from_str::<Event>(line).map_err(at(number)))
            .collect::<Result<_, _>>()?;
        Ok(Self { header, events })
    }

    /// The on-disk form.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = json(&self.header);
        for event in &self.events {
            text.push('\n');
            text.push_str(&json(event));
        }
        text.push('\n');
        text
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("no map with odd keys and no failing writer is involved")
}

#[cfg(test)]
mod tests {
    use super::super::{Bytes, Expect, Fact, Mark};
    use super::*;
    use crate::protocol::Era;

    fn transcript() -> Transcript {
        let facts = [
            Fact::Spawned { pid: 7 },
            Fact::Mark(Mark::Stimulus {
                name: "unknown-method".into(),
                variant: String::new(),
                expect: Expect::Judged,
                cuts: 3,
            }),
            Fact::Sent(Bytes(b"{}\n".to_vec())),
            Fact::Taken,
            Fact::Received(Bytes(vec![0xff])),
            Fact::Mark(Mark::Waited { millis: 9, expired: true }),
            Fact::Killed(9),
            Fact::NothingLeft,
        ];
        Transcript {
            header: Header {
                format: FORMAT,
                session: "s01".into(),
                scenario: "x".into(),
                part: 0,
                plan: "every=1".into(),
                cuts: Vec::new(),
                protocol: "mcp".into(),
                era: Era::Legacy,
                revision: "2025-11-25".into(),
                command: vec!["cat".into()],
                seed: 3,
                catalogue: "0".into(),
            },
            events: facts
                .into_iter()
                .enumerate()
                .map(|(at, fact)| Event { at: at as u64, fact })
                .collect(),
        }
    }

    #[test]
    fn reading_what_was_written_gives_the_same() {
        let transcript = transcript();
        assert_eq!(Transcript::parse(&transcript.to_text()).unwrap(), transcript);
    }

    #[test]
    fn a_bad_line_is_named() {
        let text = format!("{}{{\"at\":1,\"fact\":\"gone\"}}\n", transcript().to_text());
        let error = Transcript::parse(&text).unwrap_err().to_string();
        assert!(error.starts_with("line 10 of the transcript: unknown variant `gone`"), "{error}");
    }

    #[test]
    fn a_later_form_is_refused() {
        let text = transcript().to_text().replace("\"format\":1", "\"format\":2");
        let error = Transcript::parse(&text).unwrap_err().to_string();
        assert_eq!(error, "line 1 of the transcript: format 2 is not known; this version reads 1");
    }
}
