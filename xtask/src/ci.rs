//! `cargo xtask ci`: everything that must hold before a change goes in.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use xshell::{Shell, cmd};

use crate::run::{self, Closing};
use crate::{conformance, fuzz, test, tidy};

pub(crate) const HELP: &str = "\
cargo xtask ci [STAGE]...
    Runs everything that must hold before a change goes in, stops at the first stage that fails, and prints what each
    stage took beside the budget of 40 minutes that CONTRIBUTING.md gives to a cold run on two cores.

    The stages, in order:
        fmt            the sources are formatted
        clippy         no lint speaks, in any package, target and feature
        doc            the documentation builds without a warning
        tidy           the house rules hold, see `cargo xtask tidy --help`
        deny           licences, duplicates and sources of all dependencies; skipped, and it says so, without cargo-deny
        fuzz           the fuzz targets build, as plain programs
        test           the tests of all packages
        features       the transport's tests, once for each set of its features
        examples       the examples in the documentation
        conformance    real servers are certified; needs node, npm, python3 and their package registries

    With names of stages it runs those only, in the order above.

    EXAMPLES
        cargo xtask ci
        cargo xtask ci fmt clippy tidy         before a commit, in seconds
";

const BUDGET: Duration = Duration::from_secs(40 * 60);

type Stage = fn(&Shell, &mut Closing) -> Result<()>;

const STAGES: &[(&str, Stage)] = &[
    ("fmt", |shell, _| Ok(cmd!(shell, "cargo fmt --all --check").run()?)),
    ("clippy", |shell, _| {
        let options = ["--locked", "--workspace", "--all-targets", "--all-features"];
        Ok(cmd!(shell, "cargo clippy {options...} -- -D warnings").run()?)
    }),
    ("doc", |shell, _| {
        let command = cmd!(shell, "cargo doc --locked --workspace --all-features --no-deps");
        Ok(command.env("RUSTDOCFLAGS", "-D warnings").run()?)
    }),
    ("tidy", |shell, _| tidy::run(shell, Vec::new())),
    ("deny", |shell, _| deny(shell)),
    ("fuzz", |shell, _| fuzz::build(shell)),
    ("test", |shell, closing| test::workspace(shell, &[], closing)),
    ("features", test::features),
    ("examples", test::documentation),
    ("conformance", |shell, closing| conformance::all(shell, closing)),
];

pub(crate) fn run(shell: &Shell, args: Vec<OsString>) -> Result<()> {
    let chosen = chosen(args)?;
    let mut closing = Closing::default();
    let mut table = Vec::new();
    let mut outcome = Ok(());
    for (name, stage) in STAGES {
        if !chosen.is_empty() && !chosen.iter().any(|chosen| chosen == name) {
            continue;
        }
        println!("\n== {name}");
        let start = Instant::now();
        let result = stage(shell, &mut closing);
        table.push((*name, start.elapsed(), if result.is_ok() { "ok" } else { "FAILED" }));
        if let Err(error) = result {
            outcome = Err(error).with_context(|| {
                format!("stage {name} failed; `cargo xtask ci {name}` runs it alone")
            });
            break;
        }
    }
    println!();
    closing.print();
    print_table(&table);
    outcome
}

fn chosen(args: Vec<OsString>) -> Result<Vec<String>, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(args);
    let mut chosen = Vec::new();
    while let Some(arg) = parser.next()? {
        match arg {
            Value(stage) => {
                let stage = stage.string()?;
                if !STAGES.iter().any(|(name, _)| *name == stage) {
                    return Err(format!("there is no stage {stage:?}, see `--help`").into());
                }
                chosen.push(stage);
            }
            other => return Err(other.unexpected()),
        }
    }
    Ok(chosen)
}

fn deny(shell: &Shell) -> Result<()> {
    if !run::installed(cmd!(shell, "cargo deny --version")) {
        println!("skipped: cargo-deny is not installed (`cargo install --locked cargo-deny`)");
        return Ok(());
    }
    // It reads the crates of every target. The database of advisories is not asked, so nothing else needs the network.
    cmd!(shell, "cargo fetch --locked").run()?;
    let command = cmd!(shell, "cargo deny --offline check licenses bans sources");
    if command.run().is_err() {
        bail!("a dependency breaks deny.toml");
    }
    Ok(())
}

fn print_table(table: &[(&str, Duration, &str)]) {
    println!();
    for (name, took, word) in table {
        println!("{name:12} {:8.1} s  {word}", took.as_secs_f64());
    }
    let total: Duration = table.iter().map(|(_, took, _)| *took).sum();
    let share = 100.0 * total.as_secs_f64() / BUDGET.as_secs_f64();
    println!(
        "{:12} {:8.1} s  of {} s, {share:.0} %{}",
        "total",
        total.as_secs_f64(),
        BUDGET.as_secs(),
        if total > BUDGET { ": OVER THE BUDGET of CONTRIBUTING.md" } else { "" },
    );
}
