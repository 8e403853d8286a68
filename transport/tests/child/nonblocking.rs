//! The second face, and what only it has to keep.

use std::time::Duration;

use pipeproof_transport::connection::{Ladder, Signal};
use pipeproof_transport::nonblocking::{Child, Reader, Writer};
use pipeproof_transport::process::{Exit, Spawn};
use pipeproof_transport::{Error, ErrorKind};
use tokio::io::AsyncReadExt as _;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::family::{assert_nothing_left, sh};
use super::kid::{Kid, text};

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
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(async {
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
    });
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
