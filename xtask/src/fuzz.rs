//! `cargo xtask fuzz`: fuzzes with what is installed, and installs nothing.

use std::ffi::OsString;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use xshell::{Shell, cmd};

use crate::run;

pub(crate) const HELP: &str = "\
cargo xtask fuzz [TARGET] [--time TIME]
    Fuzzes one target of fuzz/fuzz_targets/, or all of them one after the other, for TIME each: a number with s, m or
    h, 1m where it is not given. Needs cargo-fuzz. Takes the nightly toolchain, with its address sanitizer, where it is
    installed; falls back to the stable one without a sanitizer and says so. New inputs are kept in fuzz/corpus/, an
    input that breaks something in fuzz/artifacts/.

    To see one broken input again, no tool is needed: cargo run -p pipeproof-fuzz --bin TARGET FILE

    EXAMPLES
        cargo xtask fuzz
        cargo xtask fuzz line --time 10m
";

const TIME: Duration = Duration::from_secs(60);

pub(crate) fn run(shell: &Shell, args: Vec<OsString>) -> Result<()> {
    let (target, time) = parse(args)?;
    let targets = targets(shell)?;
    let chosen = match target {
        None => targets,
        Some(target) if targets.contains(&target) => vec![target],
        Some(target) => {
            bail!("there is no target {target:?}; the targets are {}", targets.join(", "))
        }
    };
    if !run::installed(cmd!(shell, "cargo fuzz --version")) {
        bail!(
            "cargo-fuzz is not installed: `cargo install --locked cargo-fuzz`, then start this again"
        );
    }
    let (toolchain, options): (&[&str], &[&str]) =
        if run::installed(cmd!(shell, "cargo +nightly --version")) {
            (&["+nightly"], &[])
        } else {
            println!("no nightly toolchain: fuzzing on stable, without the address sanitizer");
            (&[], &["-s", "none"])
        };
    let _in_fuzz = shell.push_dir("fuzz");
    let limit = format!("-max_total_time={}", time.as_secs());
    for target in &chosen {
        println!("\n== {target}, {} s", time.as_secs());
        cmd!(shell, "cargo {toolchain...} fuzz run --fuzz-dir . {options...} {target} -- {limit}")
            .run()
            .with_context(|| {
                format!("target {target}; an input that broke it would stand in fuzz/artifacts/{target}/")
            })?;
    }
    Ok(())
}

/// Builds every target as a plain program that replays files, which works on any toolchain.
pub(crate) fn build(shell: &Shell) -> Result<()> {
    Ok(cmd!(shell, "cargo build --locked -p pipeproof-fuzz --bins").run()?)
}

fn targets(shell: &Shell) -> Result<Vec<String>> {
    let mut targets: Vec<String> = shell
        .read_dir("fuzz/fuzz_targets")?
        .iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    targets.sort();
    Ok(targets)
}

fn parse(args: Vec<OsString>) -> Result<(Option<String>, Duration), lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(args);
    let (mut target, mut time) = (None, TIME);
    while let Some(arg) = parser.next()? {
        match arg {
            Long("time") => time = parser.value()?.parse_with(parse_time)?,
            Value(value) if target.is_none() => target = Some(value.string()?),
            other => return Err(other.unexpected()),
        }
    }
    Ok((target, time))
}

fn parse_time(text: &str) -> Result<Duration, &'static str> {
    let wrong = "a time is a whole number with s, m or h, as in 10m";
    let digits = text.trim_end_matches(['s', 'm', 'h']);
    let unit = match &text[digits.len()..] {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(wrong),
    };
    let number: u64 = digits.parse().map_err(|_| wrong)?;
    if number == 0 {
        return Err("a time of nothing would fuzz without end");
    }
    number.checked_mul(unit).map(Duration::from_secs).ok_or(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(parse_time("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_time("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(parse_time("2h"), Ok(Duration::from_secs(7200)));
        for wrong in ["", "10", "m", "1.5m", "-1m", "1ms", "0s"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn one_target_and_a_time() {
        let args = ["--time", "5s", "line"].map(OsString::from).to_vec();
        assert_eq!(parse(args).unwrap(), (Some("line".to_owned()), Duration::from_secs(5)));
        assert_eq!(parse(Vec::new()).unwrap(), (None, TIME));
        assert!(parse(vec!["a".into(), "b".into()]).is_err());
    }
}
