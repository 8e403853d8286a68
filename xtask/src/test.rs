//! `cargo xtask test`: all tests of the workspace, by the best runner that is installed.

use std::ffi::OsString;

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::fuzz;
use crate::run::{self, Closing};

pub(crate) const HELP: &str = "\
cargo xtask test [ARGS]
    Runs every test of the workspace. It needs Rust, `sh` and `python3`, and no network once the crates are there.

    Four steps: the tests of all packages, by `cargo nextest run` where that is installed and by `cargo test` where it
    is not (it says which); the tests of the transport once for each set of its features, because a package built alone
    shows what the workspace hides; the examples in the documentation; the fuzz targets, which are built. The closing
    lines of the runners stand together at the end.

    With ARGS only the first step runs, and its runner is given them. A leading `--` is dropped. In a continuous
    integration run (variable CI set), nextest takes the profile `ci`, which writes target/nextest/ci/junit.xml.

    EXAMPLES
        cargo xtask test
        cargo xtask test line                            tests whose name contains `line`
        cargo xtask test -p pipeproof-transport          tests of one package
        cargo xtask test -- -p pipeproof --test cli      the same form, behind `--`
";

/// The sets of features of the transport that are tested alone. Both together is what the workspace builds.
const TRANSPORT_FEATURES: &[&str] = &["", "process", "tokio"];

pub(crate) fn run(shell: &Shell, mut args: Vec<OsString>) -> Result<()> {
    if args.first().is_some_and(|first| first == "--") {
        args.remove(0);
    }
    let mut closing = Closing::default();
    let outcome = if args.is_empty() {
        workspace(shell, &[], &mut closing)
            .and_then(|()| features(shell, &mut closing))
            .and_then(|()| documentation(shell, &mut closing))
            .and_then(|()| fuzz::build(shell))
    } else {
        println!("only the tests of the packages run, because arguments were given");
        workspace(shell, &args, &mut closing)
    };
    println!();
    closing.print();
    outcome
}

/// The tests of all packages.
pub(crate) fn workspace(shell: &Shell, args: &[OsString], closing: &mut Closing) -> Result<()> {
    // A package that the caller names replaces "all of them".
    let chosen = args.iter().any(|arg| {
        let arg = arg.to_string_lossy();
        arg.starts_with("-p") || arg.starts_with("--package")
    });
    let packages: &[&str] = if chosen { &[] } else { &["--workspace"] };
    if run::installed(cmd!(shell, "cargo nextest --version")) {
        println!("the runner is cargo-nextest");
        let profile = if std::env::var_os("CI").is_some() { "ci" } else { "default" };
        let command =
            cmd!(shell, "cargo nextest run --locked --profile {profile} {packages...} {args...}");
        run::tests("all packages", command, closing)
    } else {
        println!("the runner is cargo test, because cargo-nextest is not installed");
        // The examples of the documentation have a step of their own. An explicit choice of targets replaces ours.
        let command = if args.is_empty() {
            cmd!(shell, "cargo test --locked --workspace --lib --bins --tests")
        } else {
            cmd!(shell, "cargo test --locked {packages...} {args...}")
        };
        run::tests("all packages", command, closing)
    }
}

/// The tests of the transport, once for each set of its features.
pub(crate) fn features(shell: &Shell, closing: &mut Closing) -> Result<()> {
    for features in TRANSPORT_FEATURES {
        let name = if features.is_empty() { "none" } else { features };
        let package = "pipeproof-transport";
        let options = ["--locked", "--no-default-features", "--features", features];
        let command = if run::installed(cmd!(shell, "cargo nextest --version")) {
            cmd!(shell, "cargo nextest run --no-tests pass -p {package} {options...}")
        } else {
            cmd!(shell, "cargo test -p {package} {options...} --lib --tests")
        };
        run::tests(&format!("transport, features: {name}"), command, closing)?;
    }
    Ok(())
}

/// The examples in the documentation, which nextest does not run.
pub(crate) fn documentation(shell: &Shell, closing: &mut Closing) -> Result<()> {
    run::tests("examples", cmd!(shell, "cargo test --locked --workspace --doc"), closing)
}
