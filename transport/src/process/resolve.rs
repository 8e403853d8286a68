//! Looks a program up, so that a failed start says why.
//!
//! Follows `execvp`, except that a text without `#!` is refused: `execvp` would hand it to a shell.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::spawn::Spawn;
use crate::error::{Error, ErrorKind};

/// What `execvp` searches if there is no `PATH`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Finds the program that [`Spawn`] names and gives its absolute path.
///
/// A name without a slash is searched in the `PATH` of the child's environment; an entry that is
/// relative or empty counts from the child's directory, as does a relative program with a slash.
///
/// # Errors
///
/// `WorkingDirectory`, `NotFound`, `IsDirectory` or `NotExecutable`, naming what it is about. A
/// text file without an interpreter line is not executable.
///
/// # Example
///
/// ```
/// use pipeproof_transport::{ErrorKind, process::{Spawn, resolve}};
///
/// assert!(resolve(&Spawn::new("sh"))?.is_absolute());
/// let error = resolve(&Spawn::new("/nonexistent/server")).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert!(error.to_string().contains("/nonexistent/server"));
/// # Ok::<(), pipeproof_transport::Error>(())
/// ```
pub fn resolve(spawn: &Spawn) -> Result<PathBuf, Error> {
    let directory = directory(spawn)?;
    let program = spawn.program();
    let fail = |kind: ErrorKind| Error::new(kind).about(program.to_string_lossy());
    if program.is_empty() {
        return Err(fail(ErrorKind::NotFound));
    }
    if program.as_bytes().contains(&b'/') {
        let path = directory.join(program);
        return judge(&path).map(|()| path).map_err(|found| found.error(fail));
    }
    let search = spawn.variable("PATH").unwrap_or_else(|| OsString::from(DEFAULT_PATH));
    let mut worst = Found::Nothing;
    for entry in search.as_bytes().split(|byte| *byte == b':') {
        let path = directory.join(OsStr::from_bytes(entry)).join(program);
        match judge(&path) {
            Ok(()) => return Ok(path),
            Err(Found::Nothing) => {}
            Err(found) => worst = found,
        }
    }
    Err(worst.error(fail))
}

/// The directory that the child starts in, absolute.
fn directory(spawn: &Spawn) -> Result<PathBuf, Error> {
    let directory = spawn.directory().unwrap_or(Path::new("."));
    let fail = |error| {
        Error::new(ErrorKind::WorkingDirectory).about(directory.to_string_lossy()).with_io(error)
    };
    let absolute = std::env::current_dir().map(|ours| ours.join(directory)).map_err(fail)?;
    match fs::metadata(&absolute) {
        Ok(metadata) if metadata.is_dir() => Ok(absolute),
        Ok(_) => Err(fail(io::ErrorKind::NotADirectory.into())),
        Err(error) => Err(fail(error)),
    }
}

/// Why a path is no program.
enum Found {
    Nothing,
    Directory,
    NotExecutable(Option<io::Error>),
}

impl Found {
    fn error(self, fail: impl Fn(ErrorKind) -> Error) -> Error {
        match self {
            Self::Nothing => fail(ErrorKind::NotFound),
            Self::Directory => fail(ErrorKind::IsDirectory),
            Self::NotExecutable(None) => fail(ErrorKind::NotExecutable),
            Self::NotExecutable(Some(error)) => fail(ErrorKind::NotExecutable).with_io(error),
        }
    }
}

fn judge(path: &Path) -> Result<(), Found> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => Found::NotExecutable(Some(error)),
        _ => Found::Nothing,
    })?;
    if metadata.is_dir() {
        return Err(Found::Directory);
    }
    if metadata.permissions().mode() & 0o111 == 0 || is_plain_text(path) {
        return Err(Found::NotExecutable(None));
    }
    Ok(())
}

/// Whether the file begins like a text and names no interpreter. A binary holds a NUL early.
fn is_plain_text(path: &Path) -> bool {
    let mut head = [0; 256];
    let read = File::open(path).and_then(|mut file| file.read(&mut head));
    match read {
        Ok(count) => !head[..count].starts_with(b"#!") && !head[..count].contains(&0),
        Err(_) => false,
    }
}
