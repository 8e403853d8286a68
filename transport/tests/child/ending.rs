//! How a child ends, and that nothing of it is left.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use pipeproof_transport::ErrorKind;
use pipeproof_transport::connection::{Ladder, Signal};
use pipeproof_transport::process::{Exit, Spawn};

use super::family::{
    Escaped, PATIENCE, assert_nothing_left, lives, members, process, sh, short, wait_until,
};
use super::kid::faces;

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
fn a_blocking_wait_can_end_before_the_child() {
    let mut child = pipeproof_transport::blocking::Child::spawn(&Spawn::new("cat")).unwrap();
    assert_eq!(child.wait_timeout(Duration::from_millis(10)).unwrap(), None);
    drop(child.take_stdin());
    assert_eq!(child.wait_timeout(PATIENCE).unwrap(), Some(Exit::Code(0)));
}

#[test]
fn shutdown_closes_a_stdin_that_was_not_taken() {
    let mut child = pipeproof_transport::blocking::Child::spawn(&Spawn::new("cat")).unwrap();
    assert_eq!(child.shutdown(&Ladder::default()).unwrap(), Exit::Code(0));
}
