//! The command line, as its users meet it: the real binary, its output and its exit status.
#![cfg(all(feature = "cli", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "helpers of tests too: what fails is the test")]

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

use assert_cmd::cargo::cargo_bin;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

const SCHEMA: &str = include_str!("../../fixtures/schema/report.v1.json");

fn pipeproof(args: &[&str]) -> Command {
    let mut command = Command::new(cargo_bin!("pipeproof"));
    command.args(args).env_remove("PIPEPROOF_SECRET").stdin(Stdio::null());
    command
}

struct Said {
    status: i32,
    stdout: String,
    stderr: String,
}

fn said(mut command: Command) -> Said {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Said { status: status.code().unwrap(), stdout: text(stdout), stderr: text(stderr) }
}

fn say(args: &[&str]) -> Said {
    said(pipeproof(args))
}

/// A usage error: status 2, nothing on stdout, and all of these on stderr.
fn refused(args: &[&str], reasons: &[&str]) {
    let said = say(args);
    assert_eq!(said.status, 2, "{args:?}: {}", said.stderr);
    assert_eq!(said.stdout, "", "{args:?}");
    for reason in reasons {
        assert!(said.stderr.contains(reason), "{args:?}: {}", said.stderr);
    }
}

fn valid(report: &str) -> Value {
    let report: Value = serde_json::from_str(report).unwrap();
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&report).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    report
}

#[test]
fn every_help_has_examples() {
    for args in [
        &["--help"][..],
        &["certify", "--help"],
        &["list", "--help"],
        &["explain", "--help"],
        &["liar", "--help"],
    ] {
        let said = say(args);
        assert_eq!(said.status, 0, "{args:?}");
        assert!(said.stdout.contains("\nExamples:\n  pipeproof "), "{args:?}: {}", said.stdout);
        assert!(!said.stdout.contains("__exec"), "{args:?}");
    }
    for args in [&["--help"][..], &["certify", "--help"]] {
        let said = say(args);
        for status in ["70", "2", "4", "1", "3", "5", "0", "130"] {
            assert!(said.stdout.contains(&format!("{status:>5}  ")), "{status}: {}", said.stdout);
        }
    }
}

#[test]
fn wrong_usage_is_refused_with_the_reason() {
    refused(&[], &["Usage: pipeproof <COMMAND>"]);
    refused(&["explain", "mcp.rpc.id-ecko"], &["did you mean `mcp.rpc.id-echo`?"]);
    refused(&["liar", "no-such-fault"], &["`no-such-fault` is no fault"]);
    refused(&["liar", "--era", "old"], &["legacy, modern, dual"]);
    refused(
        &["certify", "--only", "mcp.rpc.id-eco", "--", "true"],
        &["matches no requirement", "did you mean `mcp.rpc.id-echo`"],
    );
    refused(&["certify", "--skip", "mcp.[", "--", "true"], &["`mcp.[` is not a pattern"]);
    refused(
        &["certify", "--report", "text", "--report", "json", "--", "true"],
        &["two reports cannot both go to stdout"],
    );
    refused(&["certify", "--report", "xml", "--", "true"], &["one of: text, json, junit"]);
    refused(
        &["certify", "--report", "json=/nowhere/at/all.json", "--", "true"],
        &["there is no folder `/nowhere/at`"],
    );
    refused(&["certify", "--timeout", "5 minutes", "--", "true"], &["no length of time"]);
    refused(&["certify", "--fail-on", "must,shall", "--", "true"], &["must, should, robust, any"]);
    refused(&["certify", "--env", "PIPEPROOF_SECRET", "--", "true"], &["is not set here"]);
    refused(&["certify", "--cwd", "/nowhere", "--", "true"], &["there is no folder `/nowhere`"]);
    refused(&["certify", "--store", "/dev/null/x", "--", "true"], &["cannot make the folder"]);
    refused(&["certify", "-q", "-v", "--", "true"], &["cannot be used with"]);
}

#[test]
fn a_program_that_is_not_there_is_named() {
    refused(
        &["certify", "--", "pipeproof-no-such-program"],
        &["cannot start `pipeproof-no-such-program`", "not found"],
    );
    refused(&["certify", "--", "sh -c true"], &["hint: ", "stand apart: -- sh -c true"]);
    refused(&["certify", "--", "/dev/null"], &["cannot start `/dev/null`"]);
}

#[test]
fn the_reference_server_is_conformant_in_both_eras() {
    let said = say(&["certify", "--report", "json", "--seed", "1"]);
    let report = valid(&said.stdout);
    assert_eq!(said.status, 0, "{}", said.stdout);
    assert_eq!(report["verdict"], "conformant");
    assert_eq!(report["scope"], "full");
    assert_eq!(report["seed"], 1);
    assert_eq!(report["subject"]["eras"], serde_json::json!(["legacy", "modern"]));
}

#[test]
fn what_follows_the_program_belongs_to_it() {
    // It would be a usage error of ours.
    let said = say(&["certify", "--only", "*.utf8", "--", "sh", "-c", "exit 3", "--seed", "x"]);
    assert_ne!(said.status, 2, "{}", said.stderr);
    assert!(said.stdout.contains("command    sh -c 'exit 3' --seed x\n"), "{}", said.stdout);
}

#[test]
fn a_value_of_env_is_written_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let text = format!("text={}", path("report.txt"));
    let store = path("store");
    let mut command = pipeproof(&["certify", "--env", "PIPEPROOF_SECRET", "--env", "PIN=hunter3"]);
    command.args(["--report", "json", "--report", &text, "--store", &store, "--"]);
    command.args(["sh", "-c", "echo $PIPEPROOF_SECRET $PIN; echo $PIN >&2"]);
    command.env("PIPEPROOF_SECRET", "hunter2 \"x\"");
    let said = said(command);
    let report = valid(&said.stdout);
    assert_eq!(report["verdict"], "not-conformant");
    let mut written = said.stdout + &said.stderr;
    let mut files = 0;
    for file in std::fs::read_dir(&store).unwrap() {
        written += &std::fs::read_to_string(file.unwrap().path()).unwrap();
        files += 1;
    }
    let text = std::fs::read_to_string(path("report.txt")).unwrap();
    assert!(files >= 2, "the report and at least one transcript are kept");
    assert!(text.starts_with("not conformant · "), "{text}");
    assert!(text.contains("--env PIPEPROOF_SECRET --env PIN=… --"), "{text}");
    assert!(text.contains("[redacted]"), "{text}");
    assert!(!(written + &text).contains("hunter"));
}

#[test]
fn a_reader_that_leaves_is_no_failure_and_a_full_disk_is() {
    // The status stays what it is: nothing can be said of a server that says nothing.
    for (args, status) in [(&["list"][..], 0), (&["certify", "--only", "*.utf8", "--", "true"], 3)]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = pipeproof(args);
        let said = said_with(command.stdout(writer));
        assert_eq!(said.status, status, "{args:?}: {}", said.stderr);
        assert_eq!(said.stderr, "", "{args:?}");
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = pipeproof(args);
        let said = said_with(command.stdout(full));
        assert_eq!(said.status, 70, "{args:?}: {}", said.stderr);
        assert!(said.stderr.contains("No space left on device"), "{args:?}: {}", said.stderr);
    }
    let to = ["certify", "--only", "*.utf8", "--report", "json=/dev/full", "--", "true"];
    let said = say(&to);
    assert_eq!(said.status, 70);
    assert!(said.stderr.contains("cannot write the report to `/dev/full`"), "{}", said.stderr);
    assert!(said.stdout.contains("exit status"), "the other report is still written");
}

fn said_with(command: &mut Command) -> Said {
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    Said { status: child.wait().unwrap().code().unwrap(), stdout: String::new(), stderr }
}

#[test]
fn an_interrupted_run_reports_what_it_has_and_leaves_nothing_running() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut child = pipeproof(&["certify", "-v", "--report", "json", "--"])
            .args(["sh", "-c", "echo $$ >&2; exec sleep 1000"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        assert!(line.starts_with("session s01-"), "{line}");
        let pid = Pid::from_child(&child);
        kill_process(pid, signal).unwrap();
        let mut report = String::new();
        child.stdout.take().unwrap().read_to_string(&mut report).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal:?}");
        let report = valid(&report);
        assert_eq!(report["interrupted"], true);
        assert_eq!(report["scope"], "partial");
        // Whoever holds the other end of stderr is gone when it ends.
        stderr.read_to_string(&mut line).unwrap();
    }
}

#[test]
fn the_lists_can_be_read_by_programs() {
    let said = say(&["list", "--json"]);
    let list: Value = serde_json::from_str(&said.stdout).unwrap();
    let ids: Vec<&str> = list["requirements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect();
    assert!(ids.contains(&"mcp.rpc.id-echo"));
    let lines = say(&["list"]).stdout;
    assert_eq!(lines.lines().count(), ids.len());
    for (line, id) in lines.lines().zip(&ids) {
        assert_eq!(line.split(' ').next(), Some(*id));
    }
    let said = say(&["liar", "--list", "--json"]);
    let list: Value = serde_json::from_str(&said.stdout).unwrap();
    for fault in list["faults"].as_array().unwrap() {
        for id in fault["caught_by"].as_array().unwrap() {
            assert!(ids.contains(&id.as_str().unwrap()), "{fault}");
            let said = say(&["explain", id.as_str().unwrap()]);
            let name = fault["name"].as_str().unwrap();
            assert!(said.stdout.contains(&format!("pipeproof liar {name}")), "{}", said.stdout);
        }
    }
}
