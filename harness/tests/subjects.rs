//! Subjects that do not behave: each run ends within its deadline with the cause named, and nothing is left running.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "in a test, what failed is the message")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Processes that carry this variable belong to one test.
const MARKER: &str = "PIPEPROOF_TEST";

/// A run of `pipeproof certify` against a subject.
struct Run {
    marker: String,
    command: Command,
}

impl Run {
    fn new(name: &str, subject: &[&str]) -> Self {
        let marker = format!("{MARKER}={name}-{}", std::process::id());
        let mut command = Command::new(env!("CARGO_BIN_EXE_pipeproof"));
        command
            .args(["certify", "--start-timeout", "600ms", "--timeout", "500ms", "--seed", "1"])
            .args(["--report", "json", "--env", &marker, "--"])
            .args(subject)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Self { marker, command }
    }

    /// Runs to the end, which has to come within a time that no deadline of the run allows to pass.
    fn output(mut self) -> (Output, Value) {
        let started = Instant::now();
        let output = self.command.output().unwrap();
        assert!(started.elapsed() < Duration::from_secs(60), "it took {:?}", started.elapsed());
        assert_eq!(marked(&self.marker), Vec::<u32>::new(), "something is left running");
        let report = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (output, report)
    }

    fn start(&mut self) -> Child {
        self.command.spawn().unwrap()
    }
}

/// The processes that carry a marker in their environment.
fn marked(marker: &str) -> Vec<u32> {
    let own = std::process::id();
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != own)
        .filter(|pid| {
            fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == marker.as_bytes()))
        })
        .collect()
}

/// Waits for something that has to come soon.
fn eventually(what: &str, is_there: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_there() {
        assert!(Instant::now() < deadline, "{what} did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The results of a requirement in a report.
fn result<'a>(report: &'a Value, id: &str) -> &'a Value {
    let checks = report["checks"].as_array().unwrap_or_else(|| panic!("no report: {report}"));
    checks.iter().find(|check| check["id"] == id).unwrap_or_else(|| panic!("no result of {id}"))
}

#[test]
fn a_program_that_is_not_found_is_a_matter_of_usage() {
    let (output, _) = Run::new("not-found", &["pipeproof-no-such-program"]).output();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("pipeproof-no-such-program"), "{text}");
    assert!(text.contains("not found") || text.contains("no such"), "{text}");
}

#[test]
fn a_program_that_cannot_be_executed_is_a_matter_of_usage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.txt");
    fs::write(&path, "no program").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let (output, _) = Run::new("not-executable", &[path.to_str().unwrap()]).output();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("execut"), "{text}");
}

#[test]
fn a_program_that_exits_at_once_is_told_with_its_last_words() {
    let script = "echo 'API_KEY is not set' >&2; exit 3";
    let (output, report) = Run::new("exits", &["sh", "-c", script]).output();
    assert_eq!(output.status.code(), Some(1));
    let finding = result(&report, "mcp.life.initialize-response");
    assert_eq!((&finding["verdict"], &finding["cause"]), (&"fail".into(), &"exited".into()));
    assert!(finding["observed"].as_str().unwrap().contains("exit code 3"), "{finding}");
    assert!(finding["stderr"].as_str().unwrap().contains("API_KEY is not set"), "{finding}");
}

#[test]
fn a_program_that_never_answers_is_told_from_one_that_is_slow() {
    let (output, report) = Run::new("silent", &["sleep", "1000"]).output();
    assert_eq!(output.status.code(), Some(1));
    let finding = result(&report, "mcp.life.initialize-response");
    assert_eq!((&finding["verdict"], &finding["cause"]), (&"fail".into(), &"no-answer".into()));
    assert_eq!(finding["flaky"], false);
}

#[test]
fn a_program_that_floods_stdout_is_stopped_at_a_limit() {
    let (output, report) = Run::new("flood", &["yes", "flood"]).output();
    assert_eq!(output.status.code(), Some(1));
    let finding = result(&report, "mcp.life.initialize-response");
    assert_eq!((&finding["verdict"], &finding["cause"]), (&"fail".into(), &"resource".into()));
    let stray = result(&report, "mcp.stdio.only-mcp-on-stdout");
    assert_eq!((&stray["verdict"], &stray["cause"]), (&"fail".into(), &"stray-output".into()));
}

#[test]
fn a_line_without_an_end_is_stopped_at_a_limit() {
    let script = "exec tr '\\0' x < /dev/zero";
    let (output, report) = Run::new("endless-line", &["sh", "-c", script]).output();
    assert_eq!(output.status.code(), Some(1));
    let finding = result(&report, "mcp.life.initialize-response");
    assert_eq!((&finding["verdict"], &finding["cause"]), (&"fail".into(), &"resource".into()));
}

#[test]
fn a_program_that_closes_stdout_and_lives_is_not_waited_for() {
    let script = "exec >&-; exec sleep 1000";
    let (output, report) = Run::new("closed", &["sh", "-c", script]).output();
    assert_eq!(output.status.code(), Some(1));
    let finding = result(&report, "mcp.life.initialize-response");
    assert_eq!((&finding["verdict"], &finding["cause"]), (&"fail".into(), &"no-answer".into()));
    assert_eq!(finding["outcome"], "closed");
}

#[test]
fn a_program_that_ignores_signals_and_forks_is_ended_with_its_children() {
    let script = "trap '' TERM HUP INT; (trap '' TERM HUP INT; setsid sleep 1000) & sleep 1000 & wait; sleep 1000";
    let (output, report) = Run::new("stubborn", &["sh", "-c", script]).output();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(result(&report, "mcp.life.initialize-response")["verdict"], "fail");
}

#[test]
fn a_daemon_that_hides_from_its_session_is_found_and_ended() {
    // It leaves the group, the family and the environment, while four sessions are held at once.
    let time = format!("10{:06}", std::process::id());
    let script = format!("(setsid env -i sleep {time} &); exec \"$0\" liar --era legacy");
    let liar = env!("CARGO_BIN_EXE_pipeproof");
    let mut run = Run::new("daemon", &["sh", "-c", &script, liar]);
    let output = run.command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = result(&report, "mcp.stdio.no-orphan-children");
    assert_eq!(found["verdict"], "warn", "{found}");
    let is_daemon = |entry: fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line == format!("sleep\0{time}\0").into_bytes()
    };
    assert!(!fs::read_dir("/proc").unwrap().flatten().any(is_daemon), "a daemon still runs");
}

#[test]
fn stderr_is_drained_however_much_comes() {
    // More than any pipe holds: a server that is not drained would never answer.
    let server = env!("CARGO_BIN_EXE_pipeproof");
    let script = format!("head -c 4000000 /dev/zero >&2; exec {server} liar");
    let (output, report) = Run::new("stderr-flood", &["sh", "-c", &script]).output();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(report["verdict"], "conformant");
}

#[test]
fn a_signal_ends_the_run_with_a_report_and_nothing_left() {
    for (name, signal) in [("int", Signal::INT), ("term", Signal::TERM), ("hup", Signal::HUP)] {
        let mut run = Run::new(name, &["sleep", "1000"]);
        let child = run.start();
        let marker = run.marker.clone();
        eventually("the subject", || !marked(&marker).is_empty());
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["interrupted"], true);
        assert_eq!(report["scope"], "partial");
        assert_eq!(marked(&marker), Vec::<u32>::new());
    }
}

#[test]
fn kill_9_takes_the_subject_along() {
    let mut run = Run::new("kill-9", &["sleep", "1000"]);
    let mut child = run.start();
    let marker = run.marker.clone();
    eventually("the subject", || {
        marked(&marker).iter().any(|pid| {
            fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name == "sleep\n")
        })
    });
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("the end of the subject", || marked(&marker).is_empty());
}
