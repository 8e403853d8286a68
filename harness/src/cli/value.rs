//! Values of options, read from their text.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

use crate::campaign::Revisions;
use crate::report::redact::Given;

/// The longest time that an option may ask for.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Which revisions are judged, as `--revision` takes them. Whether there is such a revision is for the protocol to say.
pub(super) fn revisions(text: &str) -> Result<Revisions, String> {
    match text {
        "" => Err("it is empty".into()),
        "all" => Ok(Revisions::All),
        revision => Ok(Revisions::One(revision.into())),
    }
}

/// Reads `500ms`, `10s`, `1.5s`, `2m`, or a number of seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no length of time; write `500ms`, `10s` or `2m`");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" => 60.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    match Duration::try_from_secs_f64(number * unit) {
        Ok(duration) if duration > LONGEST => Err(format!("`{text}` is more than a day")),
        Ok(duration) if duration < Duration::from_millis(1) => {
            Err(format!("`{text}` is less than a millisecond"))
        }
        Ok(duration) => Ok(duration),
        Err(_) => Err(format!("`{text}` is more than a day")),
    }
}

/// A variable of the subject's environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// Its name.
    pub(super) key: OsString,
    /// Its value.
    pub(super) value: OsString,
    /// Whether the value stands on the command line, or was taken from our own environment.
    pub(super) given: Given,
}

/// Reads `KEY=VALUE`, or `KEY` for the value that it has here.
pub(super) fn variable(text: OsString) -> Result<Variable, String> {
    let bytes = text.as_bytes();
    let named = |key: &[u8]| match key {
        b"" => Err("the name of a variable is missing; write `KEY=VALUE` or `KEY`".to_string()),
        key => Ok(OsStr::from_bytes(key).to_os_string()),
    };
    if let Some(at) = bytes.iter().position(|byte| *byte == b'=') {
        let value = OsString::from_vec(bytes[at + 1..].into());
        return Ok(Variable { key: named(&bytes[..at])?, value, given: Given::OnCommandLine });
    }
    let key = named(bytes)?;
    match std::env::var_os(&key) {
        Some(value) => Ok(Variable { key, value, given: Given::InEnvironment }),
        None => Err(format!(
            "`{0}` is not set here; write `{0}=VALUE`, or set it first",
            key.to_string_lossy()
        )),
    }
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For CI systems.
    Junit,
}

/// A report that the user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Report {
    /// Its form.
    pub(super) form: Form,
    /// Where it goes; absent: to stdout.
    pub(super) path: Option<PathBuf>,
}

/// Reads a form, or a form and a path as `json=PATH`; the path `-` is stdout.
pub(super) fn report(text: OsString) -> Result<Report, String> {
    let bytes = text.as_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=').unwrap_or(bytes.len());
    let form = match &bytes[..at] {
        b"text" => Form::Text,
        b"json" => Form::Json,
        b"junit" => Form::Junit,
        other => {
            let other = String::from_utf8_lossy(other);
            return Err(format!("`{other}` is no form of report; one of: text, json, junit"));
        }
    };
    match bytes.get(at + 1..) {
        None => Ok(Report { form, path: None }),
        Some(b"") => Err("the path is missing after `=`".into()),
        Some(b"-") => Ok(Report { form, path: None }),
        Some(path) => Ok(Report { form, path: Some(OsStr::from_bytes(path).into()) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_their_unit_and_without() {
        let table = [
            ("500ms", Some(500)),
            ("10s", Some(10_000)),
            ("1.5s", Some(1500)),
            ("2m", Some(120_000)),
            ("7", Some(7000)),
            ("0", None),
            ("-1", None),
            ("", None),
            ("s", None),
            ("1h", None),
            ("1 s", None),
            ("1e9", None),
            ("999999999", None),
            ("999999999999999999999999999999m", None),
        ];
        for (text, millis) in table {
            assert_eq!(duration(text).ok(), millis.map(Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn a_variable_is_given_or_passed_through() {
        let read = |text: &str| variable(text.into());
        let is = |key: &str, value: &str, given| {
            Ok(Variable { key: key.into(), value: value.into(), given })
        };
        assert_eq!(read("A=b=c"), is("A", "b=c", Given::OnCommandLine));
        assert_eq!(read("A="), is("A", "", Given::OnCommandLine));
        let path = std::env::var("PATH").unwrap();
        assert_eq!(read("PATH"), is("PATH", &path, Given::InEnvironment));
        assert!(read("").unwrap_err().contains("name of a variable is missing"));
        assert!(read("=x").unwrap_err().contains("name of a variable is missing"));
        assert!(read("PIPEPROOF_NOT_SET").unwrap_err().contains("is not set here"));
    }

    #[test]
    fn a_report_goes_to_stdout_or_to_a_path() {
        let read = |text: &str| report(text.into());
        let to = |form, path: Option<&str>| Ok(Report { form, path: path.map(PathBuf::from) });
        assert_eq!(read("text"), to(Form::Text, None));
        assert_eq!(read("json=-"), to(Form::Json, None));
        assert_eq!(read("json=a=b.json"), to(Form::Json, Some("a=b.json")));
        assert_eq!(read("junit"), to(Form::Junit, None));
        assert_eq!(read("junit=a.xml"), to(Form::Junit, Some("a.xml")));
        assert!(read("json=").is_err());
        assert!(read("xml=x").unwrap_err().contains("one of: text, json, junit"));
    }
}
