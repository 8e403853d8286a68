//! Children: started, talked to, ended; one table of tests through both faces.
//!
//! What is left alive is read from `/proc`, hence Linux.
//
// tidy: long because one table of cases has to run through both faces, and a second file would repeat its helpers.
#![cfg(all(feature = "process", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "helpers of tests too: what fails is the test")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pipeproof_transport::connection::{Ladder, Signal};
use pipeproof_transport::line::Item;
use pipeproof_transport::process::{Environment, Exit, Spawn, Stderr, resolve};
use pipeproof_transport::{Error, ErrorKind, blocking};

/// Longer than anything that goes right takes, also on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A child of either face.
trait Kid {
    fn pid(&self) -> u32;
    fn send(&mut self, text: &[u8]) -> Result<(), Error>;
    fn recv(&mut self) -> Option<String>;
    /// Sends a text while it reads; what was read until the end of stdout.
    fn send_and_recv(&mut self, text: &[u8]) -> Vec<String>;
    fn close_stdin(&mut self);
    fn wait(&mut self) -> Result<Exit, Error>;
    fn try_wait(&mut self) -> Result<Option<Exit>, Error>;
    fn shutdown(&mut self, ladder: &Ladder) -> Result<Exit, Error>;
    fn signal(&self, signal: Signal);
    fn stderr_tail(&self) -> String;
    fn stderr_lines(&self) -> Vec<String>;
    fn explain(&self, error: Error) -> Error;
    /// Takes stderr, sends a text, and reads stderr to its end.
    fn read_stderr(&mut self, text: &[u8]) -> String;
}

type Start = fn(&Spawn) -> Result<Box<dyn Kid>, Error>;

fn faces() -> Vec<(&'static str, Start)> {
    vec![
        ("blocking", |spawn| Blocking::start(spawn).map(|kid| Box::new(kid) as Box<dyn Kid>)),
        #[cfg(feature = "tokio")]
        ("nonblocking", |spawn| {
            nonblocking::Nonblocking::start(spawn).map(|kid| Box::new(kid) as Box<dyn Kid>)
        }),
    ]
}

struct Blocking {
    // Dropped first, as a user's would be.
    child: blocking::Child,
    reader: blocking::Reader<std::process::ChildStdout>,
    writer: blocking::Writer<std::process::ChildStdin>,
}

impl Blocking {
    fn start(spawn: &Spawn) -> Result<Self, Error> {
        let mut child = blocking::Child::spawn(spawn)?;
        let reader = blocking::Reader::new(child.take_stdout().unwrap());
        let writer = blocking::Writer::new(child.take_stdin().unwrap());
        assert!(child.take_stdin().is_none() && child.take_stdout().is_none());
        Ok(Self { child, reader, writer })
    }
}

fn text(item: &Item<'_>) -> String {
    match item {
        Item::Line(line) => String::from_utf8_lossy(line.bytes).into_owned(),
        other => format!("{other:?}"),
    }
}

impl Kid for Blocking {
    fn pid(&self) -> u32 {
        self.child.pid()
    }

    fn send(&mut self, text: &[u8]) -> Result<(), Error> {
        self.writer.send(text)
    }

    fn recv(&mut self) -> Option<String> {
        self.reader.recv().unwrap().map(|item| text(&item))
    }

    fn send_and_recv(&mut self, frame: &[u8]) -> Vec<String> {
        let Self { reader, writer, .. } = self;
        std::thread::scope(|scope| {
            scope.spawn(|| writer.send(frame).unwrap());
            let mut lines = Vec::new();
            while let Some(item) = reader.recv().unwrap() {
                lines.push(text(&item));
            }
            lines
        })
    }

    fn close_stdin(&mut self) {
        self.writer.close().unwrap();
    }

    fn wait(&mut self) -> Result<Exit, Error> {
        self.child.wait()
    }

    fn try_wait(&mut self) -> Result<Option<Exit>, Error> {
        self.child.try_wait()
    }

    fn shutdown(&mut self, ladder: &Ladder) -> Result<Exit, Error> {
        self.writer.abort();
        self.child.shutdown(ladder)
    }

    fn signal(&self, signal: Signal) {
        self.child.signal_group(signal).unwrap();
    }

    fn stderr_tail(&self) -> String {
        String::from_utf8(self.child.stderr_tail()).unwrap()
    }

    fn stderr_lines(&self) -> Vec<String> {
        self.child.stderr_lines()
    }

    fn explain(&self, error: Error) -> Error {
        self.child.explain(error)
    }

    fn read_stderr(&mut self, frame: &[u8]) -> String {
        let mut stderr = self.child.take_stderr().unwrap();
        assert!(self.child.take_stderr().is_none(), "taken once");
        self.writer.send(frame).unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut stderr, &mut text).unwrap();
        text
    }
}

fn sh(script: &str) -> Spawn {
    Spawn::new("sh").args(["-c", script])
}

/// Close stdin, SIGTERM, SIGKILL, with next to no time between.
fn short() -> Ladder {
    let moment = Duration::from_millis(20);
    Ladder::new().close_stdin(moment).signal(Signal::Terminate, moment).then_kill()
}

/// State and process group of a process, if there is one.
fn process(pid: u32) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?.chars().next()?;
    let group = fields.nth(1)?.parse().ok()?;
    Some((state, group))
}

/// A zombie whose new parent has not collected it is as good as gone.
fn lives(pid: u32) -> bool {
    process(pid).is_some_and(|(state, _)| state != 'Z' && state != 'X')
}

fn members(group: u32) -> Vec<u32> {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| lives(*pid) && process(*pid).is_some_and(|(_, of)| of == group))
        .collect()
}

/// A killed process is gone when the kernel gets to it.
fn wait_until(what: &str, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

fn assert_nothing_left(group: u32) {
    wait_until("group members are left", || members(group).is_empty());
    assert!(process(group).is_none(), "the leader was not reaped");
}

/// A process that no child owns any more; ended with the test, however that ends.
struct Escaped(u32);

impl Drop for Escaped {
    fn drop(&mut self) {
        let _ = std::process::Command::new("kill").arg(self.0.to_string()).status();
    }
}

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Writes a file by another process, so that no descriptor of ours is open for writing while a
/// test beside this one forks: the file could not be executed then.
fn script(path: &Path, text: &str, mode: u32) {
    let status = std::process::Command::new("sh")
        .args(["-c", "printf %s \"$2\" > \"$1\"", "sh"])
        .args([path.as_os_str(), text.as_ref()])
        .status()
        .unwrap();
    assert!(status.success());
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_child_that_ends_with_its_stdin_needs_no_signal() {
    for (face, start) in faces() {
        let mut kid = start(&Spawn::new("cat")).unwrap();
        kid.send(b"{}").unwrap();
        assert_eq!(kid.recv().as_deref(), Some("{}"), "{face}");
        assert_eq!(kid.shutdown(&Ladder::default()).unwrap(), Exit::Code(0), "{face}");
        assert_nothing_left(kid.pid());
    }
}

#[test]
fn a_child_that_ignores_stdin_and_sigterm_is_killed() {
    for (face, start) in faces() {
        let mut kid = start(&sh("trap '' TERM; echo ready; exec sleep 1000")).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("ready"));
        assert_eq!(kid.shutdown(&short()).unwrap(), Exit::Signal(9), "{face}");
        assert_nothing_left(kid.pid());
    }
}

#[test]
fn sigterm_comes_before_sigkill_and_reaches_the_whole_group() {
    // The inner shell says what it got; the outer one waits for it and passes nothing on.
    let wrapped = "trap : TERM; sh -c 'trap \"echo term; exit 7\" TERM; echo ready; \
                   while :; do sleep 0.01; done' & wait; wait";
    for (face, start) in faces() {
        let mut kid = start(&sh(wrapped)).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("ready"));
        let ladder = Ladder::new().signal(Signal::Terminate, PATIENCE).then_kill();
        assert!(matches!(kid.shutdown(&ladder).unwrap(), Exit::Code(_)), "{face}");
        assert_eq!(kid.recv().as_deref(), Some("term"), "{face}");
        assert_nothing_left(kid.pid());
    }
}

#[test]
fn a_ladder_that_is_too_short_is_an_error_and_drop_still_ends_the_child() {
    for (face, start) in faces() {
        let mut kid =
            start(&sh("trap '' TERM; echo ready; echo why >&2; exec sleep 1000")).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("ready"));
        wait_until("stderr", || !kid.stderr_tail().is_empty());
        let error = kid.shutdown(&Ladder::term_only(Duration::from_millis(20))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{face}");
        assert_eq!(error.exit(), None);
        assert_eq!(error.stderr_tail(), b"why\n");
        let pid = kid.pid();
        assert!(lives(pid));
        drop(kid);
        assert_nothing_left(pid);
    }
}

#[test]
fn a_stopped_child_is_ended_too() {
    for (face, start) in faces() {
        let mut kid = start(&sh("echo ready; exec sleep 1000")).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("ready"));
        kid.signal(Signal::Stop);
        wait_until("stop", || process(kid.pid()).is_some_and(|(state, _)| state == 'T'));
        assert_eq!(kid.shutdown(&short()).unwrap(), Exit::Signal(9), "{face}");
        assert_nothing_left(kid.pid());
    }
}

#[test]
fn a_grandchild_that_holds_the_pipes_neither_stays_nor_delays() {
    for (face, start) in faces() {
        let mut kid = start(&sh("sleep 1000 & echo $!; exit 4")).unwrap();
        let grandchild = kid.recv().unwrap().parse().unwrap();
        assert_eq!(kid.wait().unwrap(), Exit::Code(4), "{face}");
        assert!(lives(grandchild), "waiting leaves the group alone");
        assert_eq!(kid.shutdown(&Ladder::default()).unwrap(), Exit::Code(4), "{face}");
        wait_until("grandchild", || !lives(grandchild));
        assert_eq!(kid.recv(), None, "nobody holds stdout any more");
        assert_nothing_left(kid.pid());
    }
}

#[test]
fn a_grandchild_in_its_own_session_is_out_of_reach_but_delays_nothing() {
    for (face, start) in faces() {
        let mut kid = start(&sh("setsid sh -c 'echo $$; exec sleep 1000' & wait")).unwrap();
        let escaped = kid.recv().unwrap().parse().unwrap();
        let _ended = Escaped(escaped);
        assert_eq!(kid.shutdown(&Ladder::kill()).unwrap(), Exit::Signal(9), "{face}");
        let pid = kid.pid();
        let start = Instant::now();
        drop(kid);
        assert!(start.elapsed() < PATIENCE / 2, "{face}: the drain waited for the pipe");
        assert_nothing_left(pid);
        assert!(lives(escaped));
    }
}

#[test]
fn drop_without_shutdown_leaves_nothing() {
    for (_, start) in faces() {
        let mut kid =
            start(&sh("trap '' TERM HUP INT; sleep 1000 & sleep 1000 & echo ready; wait")).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("ready"));
        let pid = kid.pid();
        assert_eq!(members(pid).len(), 3);
        drop(kid);
        assert_nothing_left(pid);
    }
}

#[test]
fn drop_of_an_ended_child_ends_what_it_left() {
    for (_, start) in faces() {
        let mut kid = start(&sh("sleep 1000 & echo ready")).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("ready"));
        kid.wait().unwrap();
        let pid = kid.pid();
        drop(kid);
        assert_nothing_left(pid);
    }
}

#[test]
fn a_panic_leaves_nothing() {
    for (_, start) in faces() {
        let mut pid = 0;
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let mut kid = start(&sh("trap '' TERM; sleep 1000 & echo ready; wait")).unwrap();
            assert_eq!(kid.recv().as_deref(), Some("ready"));
            pid = kid.pid();
            std::panic::resume_unwind(Box::new("in the middle"));
        }));
        assert!(panic.is_err());
        assert_nothing_left(pid);
    }
}

#[test]
fn a_child_that_forks_without_end_leaves_nothing() {
    for (_, start) in faces() {
        let forks = "echo ready; i=0; while [ $i -lt 300 ]; do sleep 1000 & i=$((i+1)); done; wait";
        let mut kid = start(&sh(forks)).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("ready"));
        let pid = kid.pid();
        drop(kid);
        assert_nothing_left(pid);
    }
}

#[test]
fn a_start_that_fails_leaves_nothing_and_names_the_program() {
    let here = directory("start");
    script(&here.join("plain"), "#!/bin/sh\n", 0o644);
    script(&here.join("text"), "echo started by a shell\n", 0o755);
    script(&here.join("lost"), "#!/nonexistent/interpreter\n", 0o755);
    let in_path = |name: &str| Spawn::new(name).env("PATH", &here);
    for (spawn, kind) in [
        (Spawn::new("/nonexistent/demo server"), ErrorKind::NotFound),
        (in_path("absent"), ErrorKind::NotFound),
        (Spawn::new(""), ErrorKind::NotFound),
        (Spawn::new("sh").env("PATH", ""), ErrorKind::NotFound),
        (Spawn::new(&here), ErrorKind::IsDirectory),
        (Spawn::new(here.join("plain")), ErrorKind::NotExecutable),
        (in_path("plain"), ErrorKind::NotExecutable),
        (in_path("text"), ErrorKind::NotExecutable),
        (in_path("lost"), ErrorKind::InterpreterNotFound),
        (Spawn::new("sh").cwd("/nonexistent/cwd"), ErrorKind::WorkingDirectory),
        (Spawn::new("sh").cwd(here.join("plain")), ErrorKind::WorkingDirectory),
        (Spawn::new("sh").arg("nul\0byte"), ErrorKind::Spawn),
    ] {
        for (face, start) in faces() {
            let error = start(&spawn).err().unwrap_or_else(|| panic!("{spawn:?} started"));
            assert_eq!(error.kind(), kind, "{face}: {spawn:?}: {error}");
            let named = spawn.directory().unwrap_or(Path::new(spawn.program()));
            assert!(error.to_string().contains(&*named.to_string_lossy()), "{face}: {error}");
        }
    }
}

#[test]
fn programs_are_found_as_the_child_would_find_them() {
    let here = directory("resolve");
    fs::create_dir(here.join("bin")).unwrap();
    fs::create_dir(here.join("tool")).unwrap();
    script(&here.join("bin/tool"), "#!/bin/sh\n", 0o755);
    let found = |spawn: Spawn| {
        let path = resolve(&spawn.cwd(&here)).unwrap();
        assert!(path.is_absolute());
        path.canonicalize().unwrap()
    };
    let expected = here.join("bin/tool").canonicalize().unwrap();
    assert_eq!(found(Spawn::new("bin/tool")), expected);
    assert_eq!(found(Spawn::new("./bin/tool")), expected);
    assert_eq!(found(Spawn::new("tool").env("PATH", "/nonexistent:bin")), expected);
    let empty_entry = Spawn::new("tool").env("PATH", ":").cwd(here.join("bin"));
    assert_eq!(resolve(&empty_entry).unwrap().canonicalize().unwrap(), expected);
    let skips_directory = Spawn::new("tool").env("PATH", format!("{}:bin", here.display()));
    assert_eq!(found(skips_directory), expected);
    let cleared = Spawn::new("sh").environment(Environment::Clear);
    assert!(resolve(&cleared).is_ok(), "without a PATH the default is searched");
    let error = resolve(&Spawn::new("tool").env("PATH", &here)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IsDirectory);
}

#[test]
fn arguments_and_program_pass_through_no_shell() {
    let here = directory("dir with blank");
    let program = here.join("demo server");
    script(&program, "#!/bin/sh\nfor arg; do printf '[%s]' \"$arg\"; done; echo\n", 0o755);
    for (face, start) in faces() {
        let spawn = Spawn::new(&program).args(["a b", "c\"d", "$HOME", "", "*.txt"]);
        let mut kid = start(&spawn).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("[a b][c\"d][$HOME][][*.txt]"), "{face}");
    }
}

#[test]
fn the_program_is_named_as_it_was_asked_for() {
    for (face, start) in faces() {
        let mut kid = start(&sh("tr '\\0' '\\n' < /proc/$$/cmdline")).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("sh"), "{face}");
    }
}

#[test]
fn the_environment_is_what_was_chosen() {
    let path = std::env::var("PATH").unwrap();
    let allow = Environment::Allow(vec!["PATH".into(), "UNSET_IN_TESTS".into()]);
    for (face, start) in faces() {
        let seen = |spawn: Spawn| {
            let mut kid = start(&spawn).unwrap();
            let mut lines: Vec<String> = std::iter::from_fn(|| kid.recv()).collect();
            lines.sort();
            lines
        };
        let env = || Spawn::new("env");
        let inherited = seen(env().env("ADDED", "1"));
        for line in [format!("PATH={path}"), "ADDED=1".to_owned()] {
            assert!(inherited.contains(&line), "{face}: {inherited:?}");
        }
        assert!(inherited.len() > 2, "{face}: {inherited:?}");
        assert_eq!(seen(env().environment(Environment::Clear)), Vec::<String>::new(), "{face}");
        assert_eq!(seen(env().environment(allow.clone())), [format!("PATH={path}")], "{face}");
        let overridden =
            env().environment(allow.clone()).env("A", "1").env("A", "2").env_remove("PATH");
        assert_eq!(seen(overridden), ["A=2"], "{face}");
    }
}

#[test]
fn the_working_directory_is_what_was_chosen() {
    let here = directory("cwd").canonicalize().unwrap();
    for (face, start) in faces() {
        let mut kid = start(&sh("pwd -P").cwd(&here)).unwrap();
        assert_eq!(kid.recv().as_deref(), here.to_str(), "{face}");
    }
}

#[test]
fn stderr_is_drained_and_only_its_end_is_kept() {
    let flood = "i=0; while [ $i -lt 20000 ]; do echo \"log line $i\"; i=$((i+1)); done >&2; \
                 echo answer; read end; printf last >&2";
    for (face, start) in faces() {
        let mut kid = start(&sh(flood)).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("answer"), "{face}");
        assert_eq!(kid.shutdown(&Ladder::default()).unwrap(), Exit::Code(0));
        let tail = kid.stderr_tail();
        assert_eq!(tail.len(), 64 * 1024);
        assert!(tail.ends_with("log line 19999\nlast"), "{face}");
        let lines = kid.stderr_lines();
        assert!(lines.iter().all(|line| line.starts_with("log line ") || line == "last"), "{face}");
        assert_eq!(lines.last().map(String::as_str), Some("last"));
    }
}

#[test]
fn long_stderr_lines_are_cut_and_bad_utf8_is_replaced() {
    let script = "head -c 10000 /dev/zero | tr '\\0' x >&2; printf '\\nbad \\377\\r\\n\\n' >&2";
    for (face, start) in faces() {
        let mut kid = start(&sh(script)).unwrap();
        kid.wait().unwrap();
        let lines = kid.stderr_lines();
        assert_eq!(lines[0], "x".repeat(4096), "{face}");
        assert_eq!(lines[1..], ["bad \u{fffd}", ""], "{face}");
    }
}

#[test]
fn stderr_is_whole_when_the_end_is_known() {
    for (face, start) in faces() {
        for _ in 0..30 {
            let mut kid = start(&sh("echo 'demo: missing setting X' >&2; exit 3")).unwrap();
            assert_eq!(kid.recv(), None);
            assert_eq!(kid.wait().unwrap(), Exit::Code(3));
            assert_eq!(kid.stderr_tail(), "demo: missing setting X\n", "{face}");
        }
    }
}

#[test]
fn a_taken_stderr_is_the_callers_and_whole() {
    for (face, start) in faces() {
        let mut kid =
            start(&sh("echo one >&2; read go; echo two >&2").stderr(Stderr::Pipe)).unwrap();
        assert_eq!(kid.read_stderr(b"go"), "one\ntwo\n", "{face}");
        assert_eq!(kid.stderr_tail(), "");
        assert_eq!(kid.wait().unwrap(), Exit::Code(0));
    }
}

#[test]
fn stderr_taken_from_the_drain_goes_on_where_the_drain_stopped() {
    for (face, start) in faces() {
        let mut kid = start(&sh("echo early >&2; read go; echo late >&2")).unwrap();
        wait_until("stderr", || kid.stderr_tail() == "early\n");
        assert_eq!(kid.read_stderr(b"go"), "late\n", "{face}");
        assert_eq!(kid.stderr_tail(), "early\n", "{face}");
    }
}

#[test]
fn stderr_can_go_nowhere() {
    for (face, start) in faces() {
        let mut kid = start(&sh("echo x >&2; exit 0").stderr(Stderr::Null)).unwrap();
        assert_eq!(kid.wait().unwrap(), Exit::Code(0));
        assert_eq!(kid.stderr_tail(), "", "{face}");
    }
}

#[test]
fn every_error_can_tell_exit_and_stderr() {
    for (face, start) in faces() {
        let mut kid = start(&sh("echo 'demo: missing setting X' >&2; exit 1")).unwrap();
        kid.wait().unwrap();
        let error = kid.send(&[b'x'; 1000]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PeerGone, "{face}");
        let error = kid.explain(error);
        assert_eq!(error.exit(), Some(Exit::Code(1)));
        assert_eq!(error.stderr_tail(), b"demo: missing setting X\n");
        assert_eq!(
            error.to_string(),
            "peer is gone (child ended with exit code 1) \
             (last on stderr: \"demo: missing setting X\")",
        );
    }
}

#[test]
fn the_last_answer_before_the_end_is_not_lost() {
    for (face, start) in faces() {
        for _ in 0..200 {
            let mut kid = start(&sh("read request; echo answer")).unwrap();
            kid.send(b"{}").unwrap();
            assert_eq!(kid.wait().unwrap(), Exit::Code(0));
            assert_eq!(kid.recv().as_deref(), Some("answer"), "{face}");
            assert_eq!(kid.recv(), None);
        }
    }
}

#[test]
fn shutdown_is_idempotent_also_after_the_end() {
    for (face, start) in faces() {
        let mut kid = start(&sh("exit 5")).unwrap();
        assert_eq!(kid.wait().unwrap(), Exit::Code(5));
        assert_eq!(kid.wait().unwrap(), Exit::Code(5), "waiting twice is the same");
        for _ in 0..3 {
            assert_eq!(kid.shutdown(&Ladder::default()).unwrap(), Exit::Code(5), "{face}");
        }
        assert_eq!(kid.wait().unwrap(), Exit::Code(5), "waiting after shutdown too");
        assert_eq!(kid.try_wait().unwrap(), Some(Exit::Code(5)));
        kid.signal(Signal::Kill);
        assert_nothing_left(kid.pid());
    }
}

#[test]
fn a_child_ended_by_a_signal_says_which() {
    for (face, start) in faces() {
        let mut kid = start(&sh("kill -9 $$")).unwrap();
        assert_eq!(kid.wait().unwrap().to_string(), "signal 9 (SIGKILL)", "{face}");
        let mut kid = start(&sh("echo ready; exec sleep 1000")).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("ready"));
        assert_eq!(kid.try_wait().unwrap(), None);
        kid.signal(Signal::Terminate);
        assert_eq!(kid.wait().unwrap(), Exit::Signal(15), "{face}");
    }
}

#[test]
fn a_child_that_closed_its_stdin_is_a_gone_peer() {
    for (face, start) in faces() {
        let mut kid = start(&sh("exec <&-; echo ready; exec sleep 1000")).unwrap();
        assert_eq!(kid.recv().as_deref(), Some("ready"));
        assert_eq!(kid.send(&[b'x'; 200_000]).unwrap_err().kind(), ErrorKind::PeerGone, "{face}");
    }
}

#[test]
fn both_directions_can_be_full_at_once() {
    let script = "head -c 1048576 /dev/zero | tr '\\0' x; echo; read line; echo ${#line}";
    for (face, start) in faces() {
        let mut kid = start(&sh(script)).unwrap();
        let lines = kid.send_and_recv(&vec![b'y'; 1 << 20]);
        assert_eq!(lines.len(), 2, "{face}");
        assert_eq!((lines[0].len(), &*lines[1]), (1 << 20, "1048576"), "{face}");
    }
}

#[test]
fn closing_stdin_is_seen_by_the_child() {
    for (face, start) in faces() {
        let mut kid = start(&sh("cat > /dev/null; echo end")).unwrap();
        kid.send(b"{}").unwrap();
        kid.close_stdin();
        assert_eq!(kid.recv().as_deref(), Some("end"), "{face}");
        assert_eq!(kid.wait().unwrap(), Exit::Code(0));
    }
}

#[test]
fn a_blocking_wait_can_end_before_the_child() {
    let mut child = blocking::Child::spawn(&Spawn::new("cat")).unwrap();
    assert_eq!(child.wait_timeout(Duration::from_millis(10)).unwrap(), None);
    drop(child.take_stdin());
    assert_eq!(child.wait_timeout(PATIENCE).unwrap(), Some(Exit::Code(0)));
}

#[test]
fn shutdown_closes_a_stdin_that_was_not_taken() {
    let mut child = blocking::Child::spawn(&Spawn::new("cat")).unwrap();
    assert_eq!(child.shutdown(&Ladder::default()).unwrap(), Exit::Code(0));
}

#[cfg(feature = "tokio")]
mod nonblocking {
    //! The second face, and what only it has to keep.

    use pipeproof_transport::nonblocking::{Child, Reader, Writer};
    use tokio::io::AsyncReadExt as _;
    use tokio::process::{ChildStdin, ChildStdout};
    use tokio::runtime::{Builder, Runtime};
    use tokio::time::timeout;

    use super::*;

    pub(super) struct Nonblocking {
        child: Child,
        reader: Reader<ChildStdout>,
        writer: Writer<ChildStdin>,
        runtime: Runtime,
    }

    fn runtime() -> Runtime {
        Builder::new_current_thread().enable_all().build().unwrap()
    }

    impl Nonblocking {
        pub(super) fn start(spawn: &Spawn) -> Result<Self, Error> {
            let runtime = runtime();
            let entered = runtime.enter();
            let mut child = Child::spawn(spawn)?;
            let reader = Reader::new(child.take_stdout().unwrap());
            let writer = Writer::new(child.take_stdin().unwrap());
            assert!(child.take_stdin().is_none() && child.take_stdout().is_none());
            drop(entered);
            Ok(Self { child, reader, writer, runtime })
        }
    }

    impl Kid for Nonblocking {
        fn pid(&self) -> u32 {
            self.child.pid()
        }

        fn send(&mut self, text: &[u8]) -> Result<(), Error> {
            self.runtime.block_on(self.writer.send(text))
        }

        fn recv(&mut self) -> Option<String> {
            self.runtime.block_on(self.reader.recv()).unwrap().map(|item| text(&item))
        }

        fn send_and_recv(&mut self, frame: &[u8]) -> Vec<String> {
            let Self { reader, writer, runtime, .. } = self;
            runtime.block_on(async {
                let receiving = async {
                    let mut lines = Vec::new();
                    while let Some(item) = reader.recv().await.unwrap() {
                        lines.push(text(&item));
                    }
                    lines
                };
                let (sent, lines) = tokio::join!(writer.send(frame), receiving);
                sent.unwrap();
                lines
            })
        }

        fn close_stdin(&mut self) {
            self.runtime.block_on(self.writer.close()).unwrap();
        }

        fn wait(&mut self) -> Result<Exit, Error> {
            self.runtime.block_on(self.child.wait())
        }

        fn try_wait(&mut self) -> Result<Option<Exit>, Error> {
            self.child.try_wait()
        }

        fn shutdown(&mut self, ladder: &Ladder) -> Result<Exit, Error> {
            self.writer.abort();
            self.runtime.block_on(self.child.shutdown(ladder))
        }

        fn signal(&self, signal: Signal) {
            self.child.signal_group(signal).unwrap();
        }

        fn stderr_tail(&self) -> String {
            String::from_utf8(self.child.stderr_tail()).unwrap()
        }

        fn stderr_lines(&self) -> Vec<String> {
            self.child.stderr_lines()
        }

        fn explain(&self, error: Error) -> Error {
            self.child.explain(error)
        }

        fn read_stderr(&mut self, frame: &[u8]) -> String {
            self.runtime.block_on(async {
                let mut stderr = self.child.take_stderr().unwrap();
                assert!(self.child.take_stderr().is_none(), "taken once");
                self.writer.send(frame).await.unwrap();
                let mut text = String::new();
                stderr.read_to_string(&mut text).await.unwrap();
                text
            })
        }
    }

    #[test]
    fn futures_and_handles_can_go_to_another_thread() {
        fn sendable<T: Send>(value: T) -> T {
            value
        }
        Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(
            async {
                let mut kid = sendable(Child::spawn(&Spawn::new("cat")).unwrap());
                let ended = tokio::spawn(async move {
                    let mut writer = Writer::new(kid.take_stdin().unwrap());
                    let mut reader = Reader::new(kid.take_stdout().unwrap());
                    writer.send(b"{}").await.unwrap();
                    assert!(reader.recv().await.unwrap().is_some());
                    writer.close().await.unwrap();
                    assert!(reader.recv_message().await.unwrap().is_none());
                    kid.wait().await.unwrap();
                    kid.shutdown(&Ladder::default()).await.unwrap()
                });
                assert_eq!(ended.await.unwrap(), Exit::Code(0));
            },
        );
    }

    #[test]
    fn without_a_runtime_there_is_an_error_and_no_child() {
        let error = Child::spawn(&Spawn::new("cat")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoRuntime);
    }

    #[test]
    fn a_dropped_wait_and_a_dropped_shutdown_can_be_repeated() {
        runtime().block_on(async {
            let mut child = Child::spawn(&sh("trap '' TERM; echo ready; exec sleep 1000")).unwrap();
            let mut reader = Reader::new(child.take_stdout().unwrap());
            assert!(reader.recv().await.unwrap().is_some());
            let moment = Duration::from_millis(20);
            assert!(timeout(moment, child.wait()).await.is_err());
            assert!(timeout(moment, child.shutdown(&Ladder::default())).await.is_err());
            assert_eq!(child.shutdown(&Ladder::kill()).await.unwrap(), Exit::Signal(9));
            assert_nothing_left(child.pid());
        });
    }

    #[test]
    fn the_drain_runs_while_nobody_waits_for_the_child() {
        let flood = "head -c 1000000 /dev/zero >&2; echo answer";
        runtime().block_on(async {
            let mut child = Child::spawn(&sh(flood)).unwrap();
            let mut reader = Reader::new(child.take_stdout().unwrap());
            assert!(reader.recv().await.unwrap().is_some());
            child.wait().await.unwrap();
            assert_eq!(child.stderr_total(), 1_000_000);
        });
    }

    #[test]
    fn a_child_may_be_dropped_outside_its_runtime_and_after_it() {
        let runtime = runtime();
        let child = runtime.block_on(async { Child::spawn(&sh("sleep 1000 & wait")).unwrap() });
        let pid = child.pid();
        drop(runtime);
        drop(child);
        assert_nothing_left(pid);
    }

    #[test]
    fn children_on_one_runtime_do_not_mix() {
        runtime().block_on(async {
            let mut children: Vec<Child> = (0..8)
                .map(|code| Child::spawn(&sh(&format!("read go; exit {code}"))).unwrap())
                .collect();
            for (code, child) in children.iter_mut().enumerate().rev() {
                drop(child.take_stdin());
                assert_eq!(child.wait().await.unwrap(), Exit::Code(i32::try_from(code).unwrap()));
            }
        });
    }
}
