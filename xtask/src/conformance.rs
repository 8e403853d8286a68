//! `cargo xtask conformance`: installs real servers in pinned versions and has them certified.
//!
//! The certification and its snapshots stand in `harness/tests/conformance.rs`; this file brings the servers there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use xshell::{Shell, cmd};

use crate::run::{self, Closing};

pub(crate) const HELP: &str = "\
cargo xtask conformance [--update] [--install] [NAME]...
    Installs the servers of fixtures/subjects/ into target/subjects/, in the versions of their lock files, and runs the
    snapshot tests of harness/tests/conformance.rs over them. Without NAME it takes all. A server whose lock file, path
    and interpreter are those of its last installation is not installed again.

    Needs the interpreters that the servers need (node with npm, python3 with venv) and, to install, the package
    registries. Installing runs no program of a package.

    --update     accept what the tests see as the new snapshots; read the difference before committing it
    --install    install only

    The tests are told where the servers are by the variable PIPEPROOF_SUBJECTS, and which ones were named by
    PIPEPROOF_SUBJECTS_ONLY, names with commas between. Without the first one they have nothing to do, and say so.
    How a server is added: fixtures/subjects/README.md

    EXAMPLES
        cargo xtask conformance
        cargo xtask conformance time
        cargo xtask conformance --update time
";

const SUBJECTS: &str = "fixtures/subjects";

/// What the last installation was made from; a file in the folder of an installed server.
const STAMP: &str = ".installed";

pub(crate) fn run(shell: &Shell, args: Vec<OsString>) -> Result<()> {
    let options = Options::parse(args)?;
    let mut closing = Closing::default();
    let outcome = conformance(shell, &options, &mut closing);
    println!();
    closing.print();
    outcome
}

/// All servers, against the snapshots as they are.
pub(crate) fn all(shell: &Shell, closing: &mut Closing) -> Result<()> {
    conformance(shell, &Options::default(), closing)
}

#[derive(Debug, Default)]
struct Options {
    update: bool,
    install_only: bool,
    names: Vec<String>,
}

impl Options {
    fn parse(args: Vec<OsString>) -> Result<Self, lexopt::Error> {
        let mut parser = lexopt::Parser::from_args(args);
        let mut options = Self::default();
        while let Some(arg) = parser.next()? {
            match arg {
                Long("update") => options.update = true,
                Long("install") => options.install_only = true,
                Value(name) => options.names.push(name.string()?),
                other => return Err(other.unexpected()),
            }
        }
        Ok(options)
    }
}

fn conformance(shell: &Shell, options: &Options, closing: &mut Closing) -> Result<()> {
    let known = subjects(shell)?;
    if let Some(name) = options.names.iter().find(|name| !known.contains(name)) {
        bail!("there is no subject {name:?}; the subjects are {}", known.join(", "));
    }
    let names = if options.names.is_empty() { &known } else { &options.names };
    let target = target(shell).join("subjects");
    for name in names {
        let lock = Lock::read(shell, &shell.current_dir().join(SUBJECTS).join(name))?;
        let word = lock.install(shell, &target.join(name)).with_context(|| {
            format!("subject {name}: not installed, which needs the package registries")
        })?;
        println!("{name}: {} ({word})", lock.pins().join(", "));
    }
    if options.install_only {
        return Ok(());
    }
    // The packages and the profile are those of the other tests, so that nothing is built a second time.
    let selection = ["--locked", "--workspace", "--test", "conformance"];
    let mut command =
        cmd!(shell, "cargo test {selection...} -- --nocapture").env("PIPEPROOF_SUBJECTS", &target);
    if !options.names.is_empty() {
        command = command.env("PIPEPROOF_SUBJECTS_ONLY", names.join(","));
    }
    if options.update {
        command = command.env("INSTA_UPDATE", "always");
    }
    run::tests("conformance", command, closing)
}

/// The names of all subjects: the folders with a `subject.toml`.
fn subjects(shell: &Shell) -> Result<Vec<String>> {
    let mut names: Vec<String> = shell
        .read_dir(SUBJECTS)?
        .iter()
        .filter(|path| path.join("subject.toml").is_file())
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

/// The absolute path of cargo's target directory, as far as the environment says where it is.
fn target(shell: &Shell) -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    shell.current_dir().join(chosen)
}

/// The lock files of one subject.
#[derive(Debug, Default)]
struct Lock {
    /// `package.json` and `package-lock.json`.
    npm: Option<(String, String)>,
    /// `requirements.in` and `requirements.txt`.
    pip: Option<(String, String)>,
}

impl Lock {
    fn read(shell: &Shell, folder: &Path) -> Result<Self> {
        let pair = |direct: &str, all: &str| -> Result<Option<(String, String)>> {
            if !folder.join(all).is_file() {
                return Ok(None);
            }
            let read = |name: &str| shell.read_file(folder.join(name));
            Ok(Some((read(direct)?, read(all)?)))
        };
        let npm = pair("package.json", "package-lock.json")?;
        let pip = pair("requirements.in", "requirements.txt")?;
        if npm.is_none() && pip.is_none() {
            bail!("{}: neither package-lock.json nor requirements.txt", folder.display());
        }
        Ok(Self { npm, pip })
    }

    /// Brings the folder to what the lock files say, and answers with a word on what that took.
    fn install(&self, shell: &Shell, folder: &Path) -> Result<&'static str> {
        let stamp = self.stamp(shell, folder)?;
        if shell.read_file(folder.join(STAMP)).is_ok_and(|last| last == stamp) {
            return Ok("already there");
        }
        shell.remove_path(folder)?;
        shell.create_dir(folder)?;
        let _inside = shell.push_dir(folder);
        if let Some((direct, all)) = &self.npm {
            shell.write_file("package.json", direct)?;
            shell.write_file("package-lock.json", all)?;
            cmd!(shell, "npm ci --ignore-scripts --no-audit --no-fund --loglevel=error").run()?;
        }
        if let Some((_, all)) = &self.pip {
            shell.write_file("requirements.txt", all)?;
            cmd!(shell, "python3 -m venv venv").run()?;
            let options = ["--quiet", "--no-input", "--disable-pip-version-check"];
            let safe = ["--require-hashes", "--only-binary", ":all:"];
            cmd!(
                shell,
                "venv/bin/python -m pip install {options...} {safe...} -r requirements.txt"
            )
            .run()?;
        }
        // Written last: an interrupted installation starts again.
        shell.write_file(folder.join(STAMP), stamp)?;
        Ok("installed")
    }

    /// All that an installation depends on. The path is among it, because a virtual environment holds its own.
    fn stamp(&self, shell: &Shell, folder: &Path) -> Result<String> {
        let mut stamp = format!("{}\n", folder.display());
        if let Some((direct, all)) = &self.npm {
            let node = cmd!(shell, "node --version").quiet().read().context("node is needed")?;
            stamp += &format!("{node}\n{direct}\n{all}\n");
        }
        if let Some((direct, all)) = &self.pip {
            let script = "import sys; print(sys.version, sys.prefix)";
            let python = cmd!(shell, "python3 -c {script}").quiet().read();
            let python = python.context("python3 is needed")?;
            stamp += &format!("{python}\n{direct}\n{all}\n");
        }
        Ok(stamp)
    }

    /// The direct dependencies with their versions, for people.
    fn pins(&self) -> Vec<String> {
        let npm = self.npm.iter().flat_map(|(direct, _)| npm_pins(direct));
        let pip = self.pip.iter().flat_map(|(direct, _)| pip_pins(direct));
        npm.chain(pip).collect()
    }
}

fn npm_pins(package: &str) -> Vec<String> {
    package
        .lines()
        .skip_while(|line| !line.contains("\"dependencies\""))
        .skip(1)
        .take_while(|line| !line.contains('}'))
        .filter_map(|line| {
            let mut parts = line.split('"').skip(1).step_by(2);
            Some(format!("{} {}", parts.next()?, parts.next()?))
        })
        .collect()
}

fn pip_pins(requirements: &str) -> Vec<String> {
    requirements
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.replacen("==", " ", 1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_of_both_package_managers() {
        let npm = "{\n  \"name\": \"x\",\n  \"dependencies\": {\n    \"@a/b\": \"1.2.3\",\n    \"c\": \"4.0.0\"\n  }\n}";
        assert_eq!(npm_pins(npm), ["@a/b 1.2.3", "c 4.0.0"]);
        assert_eq!(pip_pins("# why\nsome-server==1.2\n\nother==3"), ["some-server 1.2", "other 3"]);
    }

    #[test]
    fn options_and_names_stand_in_any_order() {
        let args = ["time", "--update", "everything"].map(OsString::from).to_vec();
        let options = Options::parse(args).unwrap();
        assert!(options.update && !options.install_only);
        assert_eq!(options.names, ["time", "everything"]);
        assert!(Options::parse(vec!["--bogus".into()]).is_err());
    }
}
