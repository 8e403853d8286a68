//! What goes through the pipes of a child: its last words, its stderr, both directions at once.

use pipeproof_transport::ErrorKind;
use pipeproof_transport::connection::Ladder;
use pipeproof_transport::process::{Exit, Stderr};

use super::family::{sh, wait_until};
use super::kid::faces;

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
