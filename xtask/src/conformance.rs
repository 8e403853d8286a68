//! `cargo xtask conformance`: installs real servers in pinned versions and has them certified.
//!
//! The certification and its snapshots stand in `harness/tests/conformance.rs`; this file brings the servers there.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use xshell::{Shell, cmd};

use crate::run::{self, Closing};

pub(crate) const HELP: &str = "\
cargo xtask conformance [--update] [--install] [NAME]...
    Installs the servers of fixtures/subjects/ into target/subjects/, in the versions of their lock files, and runs the
    snapshot tests of harness/tests/conformance.rs over them. Without NAME it takes all. A server whose files, path and
    interpreter are those of its last installation is not installed again.

    Needs the interpreters that the servers need (node with npm, python3 with venv) and, to install, the package
    registries. Installing runs no program of an npm or pip package; Rust packages are built, with their build scripts.

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

/// Says what a subject is and how it is started; the tests read it.
const DESCRIPTION: &str = "subject.toml";

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

/// The servers for continuous integration, against the snapshots as they are.
pub(crate) fn all(shell: &Shell, closing: &mut Closing) -> Result<()> {
    let names = subjects(shell)?.into_iter().filter(|name| is_for_ci(shell, name)).collect();
    conformance(shell, &Options { names, ..Options::default() }, closing)
}

/// Whether a subject is certified in continuous integration: one that says `ci = false` takes too long for that, or comes to
/// something else from run to run.
fn is_for_ci(shell: &Shell, name: &str) -> bool {
    let text = shell.read_file(format!("{SUBJECTS}/{name}/subject.toml")).unwrap_or_default();
    !text.lines().any(|line| line.trim() == "ci = false")
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
        let parts = Parts::read(shell, &shell.current_dir().join(SUBJECTS).join(name))?;
        let word = parts.install(shell, &target.join(name)).with_context(|| {
            format!("subject {name}: not installed, which needs the package registries")
        })?;
        println!("{name}: {} ({word})", parts.pins().join(", "));
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

/// The names of all subjects: the folders with a description.
fn subjects(shell: &Shell) -> Result<Vec<String>> {
    let mut names: Vec<String> = shell
        .read_dir(SUBJECTS)?
        .iter()
        .filter(|path| path.join(DESCRIPTION).is_file())
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

/// The files of one subject: its lock files, and its program where that is ours.
#[derive(Debug)]
struct Parts {
    /// By name, without the description.
    files: BTreeMap<String, String>,
}

impl Parts {
    fn read(shell: &Shell, folder: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        for path in shell.read_dir(folder)?.iter().filter(|path| path.is_file()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name != DESCRIPTION {
                files.insert(name, shell.read_file(path)?);
            }
        }
        if !INSTALLERS.iter().any(|installer| files.contains_key(installer.lock)) {
            let locks: Vec<&str> = INSTALLERS.iter().map(|installer| installer.lock).collect();
            bail!("{}: there is none of {}", folder.display(), locks.join(", "));
        }
        Ok(Self { files })
    }

    fn installers(&self) -> impl Iterator<Item = &Installer> {
        INSTALLERS.iter().filter(|installer| self.files.contains_key(installer.lock))
    }

    /// Brings the folder to what the files say, and answers with a word on what that took.
    fn install(&self, shell: &Shell, folder: &Path) -> Result<&'static str> {
        let stamp = self.stamp(shell, folder)?;
        if shell.read_file(folder.join(STAMP)).is_ok_and(|last| last == stamp) {
            return Ok("already there");
        }
        shell.remove_path(folder)?;
        shell.create_dir(folder)?;
        let _inside = shell.push_dir(folder);
        for (name, text) in &self.files {
            shell.write_file(name, text)?;
        }
        for installer in self.installers() {
            for &command in installer.commands {
                let mut words = command.split(' ');
                let program = words.next().unwrap_or_default();
                shell.cmd(program).args(words).run()?;
            }
        }
        // Written last: an interrupted installation starts again.
        shell.write_file(folder.join(STAMP), stamp)?;
        Ok("installed")
    }

    /// All that an installation depends on. The path is among it, because a virtual environment holds its own.
    fn stamp(&self, shell: &Shell, folder: &Path) -> Result<String> {
        let mut stamp = format!("{}\n", folder.display());
        for Installer { version, .. } in self.installers() {
            let said = shell.cmd(version[0]).args(&version[1..]).quiet().read();
            stamp += &said.with_context(|| format!("{} is needed", version[0]))?;
            stamp.push('\n');
        }
        for (name, text) in &self.files {
            stamp += &format!("== {name}\n{text}\n");
        }
        Ok(stamp)
    }

    /// The direct dependencies with their versions, for people.
    fn pins(&self) -> Vec<String> {
        self.installers()
            .filter_map(|installer| Some((installer.pins)(self.files.get(installer.direct)?)))
            .flatten()
            .collect()
    }
}

/// How the packages of one registry are installed.
struct Installer {
    /// The lock file, whose presence asks for this installer.
    lock: &'static str,
    /// The file with the direct dependencies.
    direct: &'static str,
    /// Finds the direct dependencies in it.
    pins: fn(&str) -> Vec<String>,
    /// A program and its arguments, which say what interprets or compiles the packages.
    version: &'static [&'static str],
    /// Run in the folder of the installed server, one behind the other; a space divides.
    commands: &'static [&'static str],
}

const INSTALLERS: [Installer; 3] = [
    Installer {
        lock: "package-lock.json",
        direct: "package.json",
        pins: npm_pins,
        version: &["node", "--version"],
        commands: &["npm ci --ignore-scripts --no-audit --no-fund --loglevel=error"],
    },
    Installer {
        lock: "requirements.txt",
        direct: "requirements.in",
        pins: pip_pins,
        version: &["python3", "-c", "import sys; print(sys.version, sys.prefix)"],
        commands: &[
            "python3 -m venv venv",
            "venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check \
             --require-hashes --only-binary :all: -r requirements.txt",
        ],
    },
    // The one that runs programs of packages: build scripts and macros, as every Rust build does.
    Installer {
        lock: "Cargo.lock",
        direct: "Cargo.toml",
        pins: cargo_pins,
        version: &["rustc", "--version"],
        commands: &["cargo build --quiet --release --locked --target-dir target"],
    },
];

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

fn cargo_pins(manifest: &str) -> Vec<String> {
    manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| {
            let (name, rest) = line.split_once('=')?;
            let version = rest.split('"').nth(1)?.trim_start_matches('=');
            Some(format!("{} {version}", name.trim()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_of_all_package_managers() {
        let npm = "{\n  \"name\": \"x\",\n  \"dependencies\": {\n    \"@a/b\": \"1.2.3\",\n    \"c\": \"4.0.0\"\n  }\n}";
        assert_eq!(npm_pins(npm), ["@a/b 1.2.3", "c 4.0.0"]);
        assert_eq!(pip_pins("# why\nsome-server==1.2\n\nother==3"), ["some-server 1.2", "other 3"]);
        let cargo = "[dependencies]\na = \"=1.2\"\nb = { version = \"=3.0\", features = [\"c\"] }\n\n[workspace]\n";
        assert_eq!(cargo_pins(cargo), ["a 1.2", "b 3.0"]);
    }

    #[test]
    fn a_changed_program_is_installed_anew_and_a_changed_description_is_not() {
        let shell = Shell::new().unwrap();
        let folder = shell.create_temp_dir().unwrap();
        let stamp = |name: &str, text: &str| {
            shell.write_file(folder.path().join(name), text).unwrap();
            Parts::read(&shell, folder.path()).and_then(|parts| parts.stamp(&shell, folder.path()))
        };
        assert!(stamp("server.rs", "one").is_err(), "there is no lock file yet");
        let one = stamp("Cargo.lock", "").unwrap();
        let two = stamp("server.rs", "two").unwrap();
        assert_ne!(one, two);
        assert_eq!(stamp(DESCRIPTION, "about").unwrap(), two);
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
