//! What to start and with what around it.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::resolve::resolve;
use crate::error::Error;

/// What to start: program, arguments, directory, environment.
///
/// The program is started without a shell, in a process group of its own, with pipes for stdin and
/// stdout. Arguments are passed as they are.
///
/// # Example
///
/// ```
/// use pipeproof_transport::process::{Environment, Spawn};
///
/// let spawn = Spawn::new("server")
///     .args(["--stdio", "a b"])
///     .environment(Environment::Allow(vec!["PATH".into(), "HOME".into()]))
///     .env("LOG", "off");
/// assert_eq!(spawn.program(), "server");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spawn {
    program: OsString,
    args: Vec<OsString>,
    cwd: Option<PathBuf>,
    environment: Environment,
    overrides: Vec<(OsString, Option<OsString>)>,
    stderr: Stderr,
}

/// What a child inherits of our environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Environment {
    /// All of it.
    #[default]
    Inherit,
    /// The variables with these names, where they are set.
    Allow(Vec<OsString>),
    /// Nothing.
    Clear,
}

/// Where a child's stderr goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stderr {
    /// Into a pipe that is always drained; its last 64 KiB are kept.
    #[default]
    Capture,
    /// Into a pipe that nobody drains until it is taken: the caller must read it, or the child
    /// stops when the pipe is full.
    Pipe,
    /// Where ours goes.
    Inherit,
    /// Nowhere.
    Null,
}

impl Spawn {
    /// Starts `program`, which is looked up as [`resolve`] says.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: None,
            environment: Environment::Inherit,
            overrides: Vec::new(),
            stderr: Stderr::Capture,
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Starts it in this directory instead of ours.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Sets what it inherits of our environment.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Sets one variable, whatever it inherits.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.overrides.push((name.into(), Some(value.into())));
        self
    }

    /// Takes one variable away, whatever it inherits.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.overrides.push((name.into(), None));
        self
    }

    /// Sets where its stderr goes.
    #[must_use]
    pub const fn stderr(mut self, stderr: Stderr) -> Self {
        self.stderr = stderr;
        self
    }

    /// The program as it was named.
    #[must_use]
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    /// The arguments, without the program.
    #[must_use]
    pub fn arguments(&self) -> &[OsString] {
        &self.args
    }

    /// The directory to start in, if it is not ours.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    pub(crate) const fn stderr_choice(&self) -> Stderr {
        self.stderr
    }

    /// A variable as the child will see it.
    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        if let Some((_, value)) = self.overrides.iter().rev().find(|(key, _)| key == name) {
            return value.clone();
        }
        match &self.environment {
            Environment::Inherit => std::env::var_os(name),
            Environment::Allow(names) if names.iter().any(|allowed| allowed == name) => {
                std::env::var_os(name)
            }
            Environment::Allow(_) | Environment::Clear => None,
        }
    }

    pub(super) fn command(&self) -> Result<Command, Error> {
        let mut command = Command::new(resolve(self)?);
        command
            .arg0(&self.program)
            .args(&self.args)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(match self.stderr {
                Stderr::Capture | Stderr::Pipe => Stdio::piped(),
                Stderr::Inherit => Stdio::inherit(),
                Stderr::Null => Stdio::null(),
            });
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        match &self.environment {
            Environment::Inherit => {}
            Environment::Clear => {
                command.env_clear();
            }
            Environment::Allow(names) => {
                command.env_clear();
                for name in names {
                    if let Some(value) = std::env::var_os(name) {
                        command.env(name, value);
                    }
                }
            }
        }
        for (name, value) in &self.overrides {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        Ok(command)
    }
}
