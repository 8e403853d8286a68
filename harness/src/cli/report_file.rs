//! A file that is there as a whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that is written beside its place and takes it when it is complete.
///
/// What stands at the place and is no plain file, such as a pipe or a device, is written to as it is. Without
/// [`Self::commit`] nothing of a file is left.
#[derive(Debug)]
pub(super) struct ReportFile {
    file: File,
    /// Where it is now, and where it goes.
    move_to: Option<(PathBuf, PathBuf)>,
}

impl ReportFile {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize().unwrap_or_else(|_| path.into());
        if fs::metadata(&path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
            let file = OpenOptions::new().write(true).open(&path)?;
            return Ok(Self { file, move_to: None });
        }
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let Some(name) = path.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it names no file"));
        };
        let mut beside = std::ffi::OsString::from(".");
        beside.push(name);
        beside.push(format!(".{}.tmp", std::process::id()));
        let beside = path.with_file_name(beside);
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&beside)?;
        Ok(Self { file, move_to: Some((beside, path)) })
    }

    /// Puts the complete file into its place.
    pub(super) fn commit(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some((beside, path)) = &self.move_to else { return Ok(()) };
        fs::rename(beside, path)?;
        self.move_to = None;
        Ok(())
    }
}

impl Write for ReportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for ReportFile {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.move_to {
            // It was not committed because something failed already; that is what will be told.
            let _left = fs::remove_file(beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_file_stays_until_the_new_one_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        fs::write(&path, "old").unwrap();
        let mut file = ReportFile::create(&path).unwrap();
        file.write_all(b"ne").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        drop(file);
        let mut file = ReportFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_link_keeps_pointing_and_its_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut file = ReportFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_device_is_written_to_and_never_replaced() {
        let mut file = ReportFile::create(Path::new("/dev/null")).unwrap();
        file.write_all(b"x").unwrap();
        file.commit().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
