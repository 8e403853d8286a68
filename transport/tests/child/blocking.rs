//! The first face: blocking calls, nothing between the tests and the child.

use pipeproof_transport::connection::{Ladder, Signal};
use pipeproof_transport::process::{Exit, Spawn};
use pipeproof_transport::{Error, blocking};

use super::kid::{Kid, text};

pub(super) struct Blocking {
    // Dropped first, as a user's would be.
    child: blocking::Child,
    reader: blocking::Reader<std::process::ChildStdout>,
    writer: blocking::Writer<std::process::ChildStdin>,
}

impl Blocking {
    pub(super) fn start(spawn: &Spawn) -> Result<Self, Error> {
        let mut child = blocking::Child::spawn(spawn)?;
        let reader = blocking::Reader::new(child.take_stdout().unwrap());
        let writer = blocking::Writer::new(child.take_stdin().unwrap());
        assert!(child.take_stdin().is_none() && child.take_stdout().is_none());
        Ok(Self { child, reader, writer })
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
