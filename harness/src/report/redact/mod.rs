//! Takes the values that were passed with `--env` out of a run before anything of it is written.
//!
//! Every value of four bytes or more is looked for in what came from the subject and in commands, as it is and as JSON,
//! excerpts and shells spell it. Shorter values would tear a report to pieces, so they are hidden only where they stand
//! as `KEY=VALUE` in a command. A value that the subject changes before it shows it is not found.

mod mask;

use std::ffi::OsString;

use crate::campaign::Run;
use crate::transcript::escape;
use crate::verdict::CheckResult;

/// What stands in the place of a value.
pub const HIDDEN: &str = "[redacted]";

/// A value shorter than this is no secret worth the harm of hiding it everywhere.
const SHORTEST: usize = 4;

/// The values that must not be shown.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    /// `KEY=VALUE` and `KEY=…`, as a shell is given them.
    pairs: Vec<(String, String)>,
    /// Every spelling of every value, longest first.
    forms: Vec<String>,
}

impl Secrets {
    /// The values of these variables.
    #[must_use]
    pub fn new(env: &[(OsString, OsString)]) -> Self {
        let mut secrets = Self::default();
        for (key, value) in env {
            let (key, value) = (key.to_string_lossy(), value.to_string_lossy());
            secrets.pairs.push((format!("{key}={value}"), format!("{key}=…")));
            if value.len() >= SHORTEST {
                secrets.forms.extend(spellings(&value));
            }
        }
        secrets.forms.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
        secrets.forms.dedup();
        secrets
    }

    /// Whether there is nothing to hide.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Hides the values in all that reports and the store show of a run. Transcripts keep their length.
    pub fn hide(&self, run: &mut Run) {
        if self.is_empty() {
            return;
        }
        let subject = &mut run.subject;
        let told = [&mut subject.name, &mut subject.version].into_iter().flatten();
        for text in subject.command.iter_mut().chain(&mut subject.revisions).chain(told) {
            self.hide_text(text);
        }
        for result in &mut run.results {
            self.hide_result(result);
        }
        for transcript in &mut run.transcripts {
            for word in &mut transcript.header.command {
                self.hide_text(word);
            }
            mask::hide(&self.forms, &mut transcript.events);
        }
    }

    /// Hides the values in a result.
    pub fn hide_result(&self, result: &mut CheckResult) {
        for text in [&mut result.expected, &mut result.observed] {
            self.hide_text(text);
        }
        for piece in &mut result.evidence {
            self.hide_text(&mut piece.excerpt);
        }
        if let Some(text) = &mut result.stderr {
            self.hide_text(text);
            self.hide_head(text);
        }
        if let Some(reproduce) = &mut result.reproduce {
            for command in [&mut reproduce.pipeproof, &mut reproduce.shell] {
                self.hide_pairs(command);
                self.hide_text(command);
            }
        }
    }

    /// Hides the values in a text, also where the end of a bounded excerpt cuts one.
    pub fn hide_text(&self, text: &mut String) {
        for form in &self.forms {
            if text.contains(form) {
                *text = text.replace(form, HIDDEN);
            }
        }
        let mut from = 0;
        while let Some(cut) = text[from..].find("… (").map(|at| from + at) {
            let end = |form: &String| {
                (SHORTEST..form.len())
                    .rev()
                    .filter(|len| form.is_char_boundary(*len))
                    .find(|len| text[..cut].ends_with(&form[..*len]))
            };
            from = cut + "… (".len();
            if let Some(len) = self.forms.iter().filter_map(end).max() {
                text.replace_range(cut - len..cut, HIDDEN);
                from = from + HIDDEN.len() - len;
            }
        }
    }

    /// Hides a value whose beginning was cut off by the bound of the tail of stderr.
    fn hide_head(&self, text: &mut String) {
        let head = |form: &String| {
            (1..=form.len().saturating_sub(SHORTEST))
                .filter(|at| form.is_char_boundary(*at))
                .find(|at| text.starts_with(&form[*at..]))
                .map(|at| form.len() - at)
        };
        if let Some(len) = self.forms.iter().filter_map(head).max() {
            text.replace_range(..len, HIDDEN);
        }
    }

    /// Hides `KEY=VALUE` where it is a word of a command, however short the value is.
    fn hide_pairs(&self, command: &mut String) {
        for (pair, shown) in &self.pairs {
            for word in [pair.clone(), quoted(pair)] {
                *command = command.replace(&format!(" {word} "), &format!(" {shown} "));
            }
        }
    }
}

/// The ways in which a value is spelled in what a report shows.
fn spellings(value: &str) -> Vec<String> {
    let json = serde_json::to_string(value).unwrap_or_default();
    let json = json.get(1..json.len().saturating_sub(1)).unwrap_or_default().to_string();
    let quoted = value.replace('\'', "'\\''");
    let excerpts = [value, &json].map(|text| escape(text.as_bytes(), usize::MAX));
    let mut all = vec![value.to_string(), json, quoted];
    all.extend(excerpts);
    all.retain(|form| form.len() >= SHORTEST);
    all
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(pairs: &[(&str, &str)]) -> Secrets {
        let env: Vec<(OsString, OsString)> =
            pairs.iter().map(|(key, value)| (key.into(), value.into())).collect();
        Secrets::new(&env)
    }

    #[test]
    fn a_value_is_hidden_in_every_spelling() {
        let secrets = secrets(&[("TOKEN", "p\"a'ß\\ss")]);
        for spelling in ["p\"a'ß\\ss", "p\\\"a'ß\\\\ss", "p\"a'\\''ß\\ss", "p\\\\\"a'ß\\\\\\\\ss"]
        {
            let mut text = format!("<{spelling}>");
            secrets.hide_text(&mut text);
            assert_eq!(text, "<[redacted]>", "{spelling}");
        }
    }

    #[test]
    fn a_value_that_an_excerpt_cuts_is_hidden() {
        let secrets = secrets(&[("A", "hunter2hunter2")]);
        let mut text = String::from("x hunter2hu… (9 bytes more)\ny hunter… (8 bytes more)");
        secrets.hide_text(&mut text);
        assert_eq!(text, "x [redacted]… (9 bytes more)\ny [redacted]… (8 bytes more)");
        let mut tail = String::from("r2hunter2 is wrong");
        secrets.hide_head(&mut tail);
        assert_eq!(tail, "[redacted] is wrong");
    }

    #[test]
    fn the_longer_of_two_values_is_hidden_first() {
        let secrets = secrets(&[("A", "abcd"), ("B", "abcdefgh")]);
        let mut text = String::from("abcdefgh abcd");
        secrets.hide_text(&mut text);
        assert_eq!(text, "[redacted] [redacted]");
    }

    #[test]
    fn a_short_value_is_hidden_only_in_its_pair() {
        let secrets = secrets(&[("PIN", "12"), ("WORD", "a b")]);
        let mut command = String::from("pipeproof --seed 12 --env PIN=12 --env 'WORD=a b' -- x");
        secrets.hide_pairs(&mut command);
        secrets.hide_text(&mut command);
        assert_eq!(command, "pipeproof --seed 12 --env PIN=… --env WORD=… -- x");
    }
}
