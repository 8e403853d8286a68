//! Runs on disk: one transcript a session, to be read, judged again or sent with a report.
//!
//! The report itself is written by [`crate::report`]; what a transcript's lines mean stands in
//! [`crate::transcript`].

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::transcript::{Transcript, TranscriptError};

/// Writes the transcripts into a folder, which is made if it is not there; the files that were written.
///
/// # Errors
///
/// When the folder or a file cannot be written.
pub fn write(folder: &Path, transcripts: &[Transcript]) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let mut written = Vec::new();
    for transcript in transcripts {
        let path = folder.join(format!("{}.ndjson", transcript.header.session));
        fs::write(&path, transcript.to_text())?;
        written.push(path);
    }
    Ok(written)
}

/// Reads a transcript.
///
/// # Errors
///
/// When the file cannot be read, or is no transcript; then of kind [`io::ErrorKind::InvalidData`].
pub fn read(path: &Path) -> io::Result<Transcript> {
    let text = fs::read_to_string(path)?;
    let invalid = |error: TranscriptError| {
        io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", path.display()))
    };
    Transcript::parse(&text).map_err(invalid)
}
