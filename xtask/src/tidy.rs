//! `cargo xtask tidy`: the house rules that a program can check.
//!
//! Each rule is a small function from text to violations, with its tests beside it. All rules run and all violations
//! are printed; there is no way to switch one off but to change it here, where the change is read.

mod budget;
mod catalogue;
mod direction;
mod pure;
mod source;
mod text;

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use xshell::Shell;

pub(crate) const HELP: &str = "\
cargo xtask tidy
    Checks the house rules, and prints each violation as PATH:LINE: what is wrong and what to do.

    direction     a package depends only on packages below it: transport, bridge, harness, then fuzz and benches;
                  xtask on none of ours
    pure          the modules that promise to do without I/O, clock, thread and runtime use none; those that judge do
                  not reach for what drives or reports
    head          each Rust file begins with `//!` and says what it is for
    budget        a package has no more crates in its normal tree than its budget allows
    length        no source file is longer than 800 lines, unless a line near its top gives the reason:
                  // tidy: long because REASON
    place         no file names the host of a package registry or a path of somebody's machine
    unfinished    no test is ignored without a reason; nothing is left as a to-do
    lock          lock files of subjects carry no download addresses
    catalogue     the id of a check is unique, and it has a folder of transcripts in fixtures/transcripts/

    The tables behind the rules stand at the top of the files in xtask/src/tidy/. Files that .gitignore names are not
    read.

    EXAMPLES
        cargo xtask tidy
";

pub(crate) fn run(shell: &Shell, args: Vec<OsString>) -> Result<()> {
    if let Some(arg) = args.first() {
        return Err(
            lexopt::Error::UnexpectedValue { option: "tidy".into(), value: arg.clone() }.into()
        );
    }
    let root = shell.current_dir();
    let files = read_files(&root)?;
    let mut violations = Vec::new();
    for file in &files {
        violations.extend(text::place(file));
        violations.extend(text::length(file));
        violations.extend(text::lock(file));
        if file.is_rust() {
            violations.extend(text::head(file));
            violations.extend(text::unfinished(file));
            violations.extend(pure::pure(file));
        }
    }
    violations.extend(direction::direction(&files));
    violations.extend(catalogue::catalogue(&files));
    let counted = budget::budgets(shell).map(|over| violations.extend(over));
    for violation in &violations {
        println!("{violation}");
    }
    counted?;
    if violations.is_empty() {
        println!("tidy: {} files, every rule holds", files.len());
        return Ok(());
    }
    bail!("{} violations of the house rules", violations.len());
}

/// A file of the repository; what is not UTF-8 in it is replaced.
#[derive(Debug)]
pub(crate) struct File {
    /// Relative to the root, with `/` between.
    path: String,
    text: String,
}

impl File {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    fn violation(&self, line: usize, what: impl Into<String>) -> Violation {
        Violation { path: self.path.clone(), line, what: what.into() }
    }
}

/// A house rule that does not hold at one place.
#[derive(Debug, PartialEq)]
pub(crate) struct Violation {
    path: String,
    line: usize,
    what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

fn read_files(root: &Path) -> Result<Vec<File>> {
    let ignored = Ignored::parse(&fs::read_to_string(root.join(".gitignore")).unwrap_or_default());
    let mut files = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(root.join(&folder));
        for entry in entries.with_context(|| format!("cannot list {folder:?}"))? {
            let entry = entry?;
            let path = format!("{folder}{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type()?;
            if ignored.contains(&path) || kind.is_symlink() {
                continue;
            } else if kind.is_dir() {
                folders.push(format!("{path}/"));
            } else if let Ok(bytes) = fs::read(entry.path()) {
                // A file that has gone meanwhile is no file of the repository.
                files.push(File { path, text: String::from_utf8_lossy(&bytes).into_owned() });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The two forms of line that our .gitignore has: `/path` from the root, and `*.suffix` anywhere.
struct Ignored {
    paths: Vec<String>,
    suffixes: Vec<String>,
}

impl Ignored {
    fn parse(text: &str) -> Self {
        let lines = || text.lines().map(|line| line.trim().trim_end_matches('/'));
        let paths = lines().filter_map(|line| line.strip_prefix('/'));
        let suffixes = lines().filter_map(|line| line.strip_prefix('*'));
        Self {
            paths: paths.chain([".git"]).map(str::to_owned).collect(),
            suffixes: suffixes.map(str::to_owned).collect(),
        }
    }

    fn contains(&self, path: &str) -> bool {
        self.paths.iter().any(|ignored| ignored == path)
            || self.suffixes.iter().any(|suffix| path.ends_with(suffix.as_str()))
    }
}

#[cfg(test)]
fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_files_are_not_read() {
        let ignored = Ignored::parse("/target\n/fuzz/corpus/\n*.snap.new\n");
        for path in ["target", "fuzz/corpus", "a/b.snap.new", ".git"] {
            assert!(ignored.contains(path), "{path}");
        }
        for path in ["fixtures/target", "a/b.snap", ".gitignore"] {
            assert!(!ignored.contains(path), "{path}");
        }
    }
}
