//! Takes the values that were passed with `--env` out of a run before anything of it is written.
//!
//! Every value of four bytes or more is looked for in what came from the subject and in commands, as it is and as JSON,
//! excerpts and shells spell it. Shorter values would tear a report to pieces, so they are hidden only where they stand
//! as `KEY=VALUE` in a command. A value that the subject changes before it shows it is not found.

mod mask;

use std::ffi::OsStr;

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
    pairs: Vec<Pair>,
    /// Every spelling of every value, longest first.
    forms: Vec<String>,
}

/// Where the value of a variable comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// It stands on the command line; a command that is shown asks the reader to fill it in.
    OnCommandLine,
    /// It is taken from the environment; so is it by a command that is shown.
    InEnvironment,
}

/// A variable where it is a word of a command.
#[derive(Clone, Debug)]
struct Pair {
    /// `KEY=VALUE`.
    word: String,
    /// What stands for it in a command of ours.
    ours: String,
    /// What stands for it in a command of a shell.
    shell: String,
}

impl Secrets {
    /// Adds the value of a variable.
    pub fn add(&mut self, key: &OsStr, value: &OsStr, given: Given) {
        let (key, value) = (key.to_string_lossy(), value.to_string_lossy());
        let (ours, shell) = match given {
            Given::OnCommandLine => (format!("{key}=…"), format!("{key}=…")),
            Given::InEnvironment => (key.to_string(), format!("{key}=\"${key}\"")),
        };
        self.pairs.push(Pair { word: format!("{key}={value}"), ours, shell });
        if value.len() >= SHORTEST {
            self.forms.extend(spellings(&value));
        }
        self.forms.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
        self.forms.dedup();
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
            for pair in &self.pairs {
                hide_word(&mut reproduce.pipeproof, &pair.word, &pair.ours);
                hide_word(&mut reproduce.shell, &pair.word, &pair.shell);
            }
            self.hide_text(&mut reproduce.pipeproof);
            self.hide_text(&mut reproduce.shell);
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
}

/// Puts `shown` where `word` stands as a word of a command, however short its value is.
fn hide_word(command: &mut String, word: &str, shown: &str) {
    let quoted = format!("'{}'", word.replace('\'', "'\\''"));
    for word in [word, &quoted] {
        *command = command.replace(&format!(" {word} "), &format!(" {shown} "));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(pairs: &[(&str, &str)]) -> Secrets {
        let mut secrets = Secrets::default();
        for (key, value) in pairs {
            secrets.add(key.as_ref(), value.as_ref(), Given::OnCommandLine);
        }
        secrets
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
    fn a_word_of_a_command_is_hidden_however_short_it_is() {
        let mut command = String::from("pipeproof --seed 12 --env PIN=12 --env 'WORD=a b' -- x");
        hide_word(&mut command, "PIN=12", "PIN=…");
        hide_word(&mut command, "WORD=a b", "WORD");
        assert_eq!(command, "pipeproof --seed 12 --env PIN=… --env WORD -- x");
    }
}
