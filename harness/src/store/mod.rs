//! Runs on disk: one transcript a session, and a manifest that says what was asked and which sessions belong together, so
//! that a run can be judged again without its subject.
//!
//! The report itself is written by [`crate::report`]; what a transcript's lines mean stands in
//! [`crate::transcript`].

mod manifest;

pub use manifest::{FORMAT, Manifest};

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::campaign::{Options, Run};
use crate::subject::Subject;
use crate::transcript::{Transcript, TranscriptError};

/// The name of the manifest in the folder of a run.
const MANIFEST: &str = "run.json";

/// A run as it was stored.
#[derive(Debug)]
pub struct Stored {
    /// What was asked, and which sessions belong together.
    pub manifest: Manifest,
    /// What was recorded.
    pub transcripts: Vec<Transcript>,
}

/// Writes a run into a folder, which is made if it is not there; the files that were written.
///
/// # Errors
///
/// When the folder or a file cannot be written.
pub fn write(
    folder: &Path,
    subject: &Subject,
    options: &Options,
    run: &Run,
) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let mut written = Vec::new();
    for transcript in &run.transcripts {
        let path = folder.join(format!("{}.ndjson", transcript.header.session));
        fs::write(&path, transcript.to_text())?;
        written.push(path);
    }
    let manifest = Manifest::new(subject, options, run);
    let path = folder.join(MANIFEST);
    fs::write(&path, serde_json::to_string_pretty(&manifest)? + "\n")?;
    written.push(path);
    Ok(written)
}

/// Reads the run in a folder.
///
/// # Errors
///
/// When a file cannot be read, or is not what it should be; then of kind [`io::ErrorKind::InvalidData`].
pub fn open(folder: &Path) -> io::Result<Stored> {
    let path = folder.join(MANIFEST);
    let text = fs::read_to_string(&path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    let invalid = |problem: String| io::Error::new(io::ErrorKind::InvalidData, problem);
    let manifest: Manifest = serde_json::from_str(&text)
        .map_err(|error| invalid(format!("{}: {error}", path.display())))?;
    if manifest.format != FORMAT {
        let known = format!("format {} is not known; this version reads {FORMAT}", manifest.format);
        return Err(invalid(format!("{}: {known}", path.display())));
    }
    let names = manifest.session_names();
    let transcripts = names.iter().map(|name| read(&folder.join(format!("{name}.ndjson"))));
    Ok(Stored { transcripts: transcripts.collect::<io::Result<_>>()?, manifest })
}

/// Reads a transcript.
///
/// # Errors
///
/// When the file cannot be read, or is no transcript; then of kind [`io::ErrorKind::InvalidData`].
pub fn read(path: &Path) -> io::Result<Transcript> {
    let text = fs::read_to_string(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    let invalid = |error: TranscriptError| {
        io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", path.display()))
    };
    Transcript::parse(&text).map_err(invalid)
}
