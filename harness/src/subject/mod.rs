//! How the program under test is reached: the command, its environment, and how it is started.
//!
//! Nothing here talks to the program; that is a [`crate::session`].

pub mod exec;
mod hints;

pub use hints::{Hints, PromptHints, ToolHints};

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use pipeproof_transport::nonblocking::Child;
use pipeproof_transport::process::{Environment, Spawn, Stderr, resolve};
use thiserror::Error;

/// The variable that marks every process of a session, so that what it leaves running can be found.
const MARK: &str = "PIPEPROOF_SESSION";

/// The program under test and how it is started. Never through a shell.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The program, looked up as `execvp` would.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The folder that it starts in; ours when absent.
    pub cwd: Option<PathBuf>,
    /// Variables set beside the inherited environment.
    pub env: Vec<(OsString, OsString)>,
    /// Our own binary, through whose `__exec` the program is started so that it dies with us; absent: started
    /// directly, as tests of the library do.
    pub launcher: Option<PathBuf>,
}

/// Why a subject could not be started.
#[derive(Debug, Error)]
#[error("cannot start `{program}`")]
pub struct StartError {
    program: String,
    source: pipeproof_transport::Error,
}

impl Subject {
    /// A subject that is started directly, in our folder and with our environment.
    pub fn new(program: impl Into<OsString>, args: impl IntoIterator<Item = OsString>) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().collect(),
            cwd: None,
            env: Vec::new(),
            launcher: None,
        }
    }

    /// The command as reports show it.
    #[must_use]
    pub fn command(&self) -> Vec<String> {
        std::iter::once(&self.program)
            .chain(&self.args)
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    /// Starts the program in a process group of its own. The mark is what every process of the session carries in its
    /// environment.
    ///
    /// # Errors
    ///
    /// When the program cannot be found or started; found out before anything is started.
    pub fn start(&self) -> Result<(Child, String), StartError> {
        let value = mark();
        let spawn = |program: &OsStr| {
            let mut spawn =
                Spawn::new(program).environment(Environment::Inherit).stderr(Stderr::Pipe);
            for (key, value) in &self.env {
                spawn = spawn.env(key, value);
            }
            if let Some(cwd) = &self.cwd {
                spawn = spawn.cwd(cwd);
            }
            spawn.env(MARK, &value)
        };
        let direct = spawn(&self.program).args(&self.args);
        let start = || -> Result<Child, pipeproof_transport::Error> {
            let program = resolve(&direct)?;
            match &self.launcher {
                None => Child::spawn(&direct),
                Some(launcher) => Child::spawn(
                    &spawn(launcher.as_os_str())
                        .args(exec::arguments(std::process::id(), &program, &self.program))
                        .args(&self.args),
                ),
            }
        };
        match start() {
            Ok(child) => Ok((child, format!("{MARK}={value}"))),
            Err(source) => {
                Err(StartError { program: self.program.to_string_lossy().into_owned(), source })
            }
        }
    }
}

/// A value that no other session has.
fn mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{}-{count}", std::process::id(), now.as_nanos())
}
