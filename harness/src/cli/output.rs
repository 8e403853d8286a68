//! Where reports go: which are written, to which place, in which order.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, StripStream};

use super::failure::Failure;
use super::report_file::ReportFile;
use super::terminal;
use super::value::{Form, Report};
use crate::campaign::{Run, RunEvent};
use crate::report::Reporter;
use crate::report::json::JsonReporter;
use crate::report::junit::JunitReporter;
use crate::report::text::{Detail, TextReporter};
use crate::verdict::ExitStatus;

/// The reports of a run.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    reports: Vec<Report>,
    detail: Detail,
}

impl Outputs {
    /// Plans what the user asked for. The text report goes to stdout, unless another one does or it has a place of
    /// its own.
    pub(super) fn plan(asked: &[Report], detail: Detail) -> Result<Self, Failure> {
        let mut reports = asked.to_vec();
        let on_stdout = reports.iter().filter(|report| report.path.is_none()).count();
        if on_stdout > 1 {
            return Err(Failure::usage(
                "two reports cannot both go to stdout; give one a path: `--report json=PATH`",
            ));
        }
        for (index, report) in reports.iter().enumerate() {
            let Some(path) = &report.path else { continue };
            if reports[..index].iter().any(|other| other.path == report.path) {
                let path = path.display();
                return Err(Failure::usage(format!("two reports cannot both go to `{path}`")));
            }
            check(path)?;
        }
        let text = reports.iter().any(|report| report.form == Form::Text);
        if on_stdout == 0 && !text {
            reports.insert(0, Report { form: Form::Text, path: None });
        }
        Ok(Self { reports, detail })
    }

    /// Adds a JSON report, whatever else is asked for.
    pub(super) fn add_json(&mut self, path: PathBuf) {
        self.reports.push(Report { form: Form::Json, path: Some(path) });
    }

    /// Writes every report; when one fails the others are still written.
    pub(super) fn write(&self, run: &Run) -> Result<(), Failure> {
        let failed: Vec<String> =
            self.reports.iter().filter_map(|report| self.write_one(report, run).err()).collect();
        if failed.is_empty() {
            return Ok(());
        }
        Err(Failure::new(ExitStatus::INTERNAL, anyhow::Error::msg(failed.join("; "))))
    }

    fn write_one(&self, report: &Report, run: &Run) -> Result<(), String> {
        let event = RunEvent::Finished { run };
        match &report.path {
            None => {
                let out = io::BufWriter::new(AutoStream::auto(io::stdout()));
                let written = self.reporter(report.form, out, terminal::width()).event(&event);
                match written {
                    // Whoever read it has read enough.
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                    Err(error) => Err(format!("cannot write the report to stdout: {error}")),
                    Ok(()) => Ok(()),
                }
            }
            Some(path) => self.write_file(report.form, path, &event).map_err(|error| {
                format!("cannot write the report to `{}`: {error}", path.display())
            }),
        }
    }

    fn write_file(&self, form: Form, path: &Path, event: &RunEvent<'_>) -> io::Result<()> {
        let mut file = ReportFile::create(path)?;
        let plain = StripStream::new(&mut file as &mut dyn Write);
        let out = io::BufWriter::new(plain);
        self.reporter(form, out, terminal::WIDTH).event(event)?;
        file.commit()
    }

    fn reporter<'a>(
        &self,
        form: Form,
        out: impl Write + 'a,
        width: usize,
    ) -> Box<dyn Reporter + 'a> {
        match form {
            Form::Text => Box::new(TextReporter::new(out, self.detail, width)),
            Form::Json => Box::new(JsonReporter::new(out)),
            Form::Junit => Box::new(JunitReporter::new(out)),
        }
    }
}

/// Finds out before a run that its report will have no place.
fn check(path: &Path) -> Result<(), Failure> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let problem = if path.is_dir() {
        format!("the report cannot go to `{}`: it is a folder", path.display())
    } else if !folder.is_dir() {
        let folder = folder.display();
        format!("the report cannot go to `{}`: there is no folder `{folder}`", path.display())
    } else {
        return Ok(());
    };
    Err(Failure::usage(problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(asked: &[(Form, Option<&str>)]) -> Option<Vec<(Form, bool)>> {
        let asked: Vec<Report> = asked
            .iter()
            .map(|(form, path)| Report { form: *form, path: path.map(PathBuf::from) })
            .collect();
        let outputs = Outputs::plan(&asked, Detail::Findings).ok()?;
        Some(outputs.reports.iter().map(|one| (one.form, one.path.is_none())).collect())
    }

    #[test]
    fn text_goes_to_stdout_unless_something_else_does() {
        use Form::{Json, Junit, Text};
        let planned = |asked: &[_], planned: &[_]| {
            assert_eq!(plan(asked).as_deref(), Some(planned), "{asked:?}");
        };
        planned(&[], &[(Text, true)]);
        planned(&[(Json, None)], &[(Json, true)]);
        planned(&[(Json, Some("a"))], &[(Text, true), (Json, false)]);
        planned(&[(Text, Some("a"))], &[(Text, false)]);
        planned(&[(Text, Some("a")), (Json, None)], &[(Text, false), (Json, true)]);
        planned(&[(Junit, None), (Json, Some("a"))], &[(Junit, true), (Json, false)]);
        planned(&[(Junit, Some("a"))], &[(Text, true), (Junit, false)]);
        let refused = |asked: &[_]| assert_eq!(plan(asked), None, "{asked:?}");
        refused(&[(Text, None), (Json, None)]);
        refused(&[(Text, None), (Text, None)]);
        refused(&[(Junit, None), (Json, None)]);
        refused(&[(Text, Some("a")), (Json, Some("a"))]);
        refused(&[(Json, Some("/nowhere/at/all.json"))]);
        refused(&[(Json, Some("/"))]);
    }
}
