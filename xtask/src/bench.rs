//! `cargo xtask bench`: the benches, beside every peer.

use std::ffi::OsString;

use anyhow::Result;
use lexopt::prelude::*;
use xshell::{Shell, cmd};

pub(crate) const HELP: &str = "\
cargo xtask bench [TOPIC] [-- ARGS]
    Runs the benches of one topic, a file in benches/benches/, or of all. Each checks its answer before it measures.
    ARGS go to criterion.

    EXAMPLES
        cargo xtask bench
        cargo xtask bench line
        cargo xtask bench line -- --save-baseline before
        cargo xtask bench line -- --baseline before
";

pub(crate) fn run(shell: &Shell, args: Vec<OsString>) -> Result<()> {
    let (topic, rest) = parse(args)?;
    let topic = match &topic {
        Some(topic) => vec!["--bench", topic],
        None => vec!["--benches"],
    };
    let rest = if rest.is_empty() { rest } else { [vec!["--".into()], rest].concat() };
    Ok(cmd!(shell, "cargo bench --locked -p pipeproof-benches {topic...} {rest...}").run()?)
}

fn parse(args: Vec<OsString>) -> Result<(Option<String>, Vec<OsString>), lexopt::Error> {
    let mut args = args.into_iter();
    let own: Vec<OsString> = args.by_ref().take_while(|arg| arg != "--").collect();
    let mut parser = lexopt::Parser::from_args(own);
    let mut topic = None;
    while let Some(arg) = parser.next()? {
        match arg {
            Value(value) if topic.is_none() => topic = Some(value.string()?),
            other => return Err(other.unexpected()),
        }
    }
    Ok((topic, args.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_two_dashes_goes_to_criterion() {
        let args = ["line", "--", "--baseline", "x"].map(OsString::from).to_vec();
        let (topic, rest) = parse(args).unwrap();
        assert_eq!(topic.as_deref(), Some("line"));
        assert_eq!(rest, ["--baseline", "x"]);
        assert!(parse(vec!["a".into(), "b".into()]).is_err());
    }
}
