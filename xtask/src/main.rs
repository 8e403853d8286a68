//! The project's own tasks, started as `cargo xtask TASK`.
//!
//! Each task stands in its own file and only starts programs and reads files: no crate of the project is imported here,
//! so that `cargo xtask` runs while any of them does not compile. This file dispatches and changes to the root of the
//! repository, whatever directory the caller stands in.

#![allow(clippy::print_stdout, reason = "a task talks to whoever started it")]

mod bench;
mod ci;
mod conformance;
mod fuzz;
mod run;
mod test;
mod tidy;

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result, bail};
use xshell::Shell;

/// A task: its name, its page of the manual and its code, which is given what stands after the name.
struct Task {
    name: &'static str,
    help: &'static str,
    run: fn(&Shell, Vec<OsString>) -> Result<()>,
}

const TASKS: &[Task] = &[
    Task { name: "test", help: test::HELP, run: test::run },
    Task { name: "ci", help: ci::HELP, run: ci::run },
    Task { name: "tidy", help: tidy::HELP, run: tidy::run },
    Task { name: "conformance", help: conformance::HELP, run: conformance::run },
    Task { name: "fuzz", help: fuzz::HELP, run: fuzz::run },
    Task { name: "bench", help: bench::HELP, run: bench::run },
];

const USAGE: &str = "\
The project's own tasks.

USAGE
    cargo xtask TASK [ARGS]
    cargo xtask TASK --help    one page of this manual
    cargo xtask --help         the whole manual

A task changes to the root of the repository first, so it can be started anywhere in it. It prints each command
before it runs it, and ends with status 0 when all went well, 1 when something failed, 2 on wrong usage.
";

fn main() {
    let mut args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let name = if args.is_empty() { OsString::from("--help") } else { args.remove(0) };
    if ["--help", "-h", "help"].iter().any(|&help| name == help) {
        println!("{USAGE}");
        for task in TASKS {
            println!("{}", task.help);
        }
        return;
    }
    let Some(task) = TASKS.iter().find(|task| name == task.name) else {
        let names: Vec<_> = TASKS.iter().map(|task| task.name).collect();
        println!("xtask: there is no task {name:?}; the tasks are {}", names.join(", "));
        std::process::exit(2);
    };
    // What follows `--` belongs to a program that the task starts.
    if args.iter().take_while(|&arg| arg != "--").any(|arg| arg == "--help" || arg == "-h") {
        println!("{}", task.help);
        return;
    }
    if let Err(error) = start(task, args) {
        if let Some(usage) = error.downcast_ref::<lexopt::Error>() {
            println!("xtask {}: {usage}", task.name);
            std::process::exit(2);
        }
        println!("xtask {}: {error:#}", task.name);
        std::process::exit(1);
    }
}

fn start(task: &Task, args: Vec<OsString>) -> Result<()> {
    let shell = Shell::new()?;
    shell.change_dir(root()?);
    (task.run)(&shell, args)
}

/// The root of the repository: the folder above this package.
fn root() -> Result<std::path::PathBuf> {
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let root = Path::new(&package).parent().context("this package has no folder above it")?;
    if !root.join("Cargo.lock").is_file() {
        bail!("{} holds no Cargo.lock: start the task by `cargo xtask`", root.display());
    }
    Ok(root.to_path_buf())
}
