//! The loop of a server on this process's stdin and stdout, honest wherever no fault says otherwise.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use pipeproof_transport::line::{Item, LineDecoder};

use super::fault::{Lie, Memory, Spoken};
use super::honest::{Heard, Reply, Server};
use super::{EraChoice, faults};

/// Serves on this process's stdin and stdout until the input ends.
///
/// With `fault` the server lies as the [`FaultInfo`](super::FaultInfo) of that name says. With `log_reads` the size of each read
/// from stdin is appended to that file, one number a line, so that one can see how the bytes arrived.
///
/// # Errors
///
/// When there is no such fault, then of kind [`ErrorKind::InvalidInput`]; when the file or stdin fails. A client that
/// has closed the pipe is no error.
pub fn run(fault: Option<&str>, era: EraChoice, log_reads: Option<&Path>) -> io::Result<ExitCode> {
    let lie = match fault {
        None => None,
        Some(name) => match faults().iter().find(|fault| fault.name == name) {
            Some(fault) => Some(fault.lie),
            None => {
                return Err(io::Error::new(
                    ErrorKind::InvalidInput,
                    format!("there is no fault `{name}`"),
                ));
            }
        },
    };
    let log = match log_reads {
        Some(path) => Some(OpenOptions::new().create(true).append(true).open(path)?),
        None => None,
    };
    let service = Service {
        lie,
        memory: Memory::default(),
        server: Server::new(era),
        out: io::stdout().lock(),
        spoken: false,
    };
    match service.serve(io::stdin(), log) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        served => served.map(|()| ExitCode::SUCCESS),
    }
}

struct Service<W> {
    lie: Option<Lie>,
    memory: Memory,
    server: Server,
    out: W,
    spoken: bool,
}

impl<W: Write> Service<W> {
    fn serve(mut self, input: impl Read + Send + 'static, log: Option<File>) -> io::Result<()> {
        if let Some(Lie::Start(lie)) = self.lie {
            lie(&mut self.out)?;
        }
        let (send, reads) = mpsc::channel();
        // The reader is left alone at the end: it may hang in a read for ever.
        let _reader = thread::spawn(move || read(input, log, &send));
        let mut decoder = LineDecoder::new();
        loop {
            let read = match self.server.next_due() {
                None => reads.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => reads.recv_timeout(due.saturating_duration_since(Instant::now())),
            };
            match read {
                Ok(bytes) => self.read(&mut decoder, &bytes?)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            for message in self.server.due(Instant::now()) {
                self.late(message)?;
            }
        }
        for message in self.server.end() {
            self.late(message)?;
        }
        // A last line without its line end is no message: whoever wrote it did not come to its end.
        match self.lie {
            Some(Lie::End(lie)) => lie(&mut self.out),
            _ => Ok(()),
        }
    }

    /// Takes in the bytes of one read.
    fn read(&mut self, decoder: &mut LineDecoder, bytes: &[u8]) -> io::Result<()> {
        let bent = match self.lie {
            Some(Lie::Read(lie)) => Some(lie(&mut self.memory, bytes)),
            _ => None,
        };
        let mut rest = bent.as_deref().unwrap_or(bytes);
        while let Some(item) = decoder.decode(&mut rest) {
            let more = rest.contains(&b'\n');
            match item {
                Item::Line(line) => self.line(line.bytes, more)?,
                Item::TooLong(_) => self.reply(Server::too_long(), more)?,
                // An empty line says nothing, and so is left unanswered.
                _ => {}
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &[u8], more: bool) -> io::Result<()> {
        let heard = match self.lie {
            Some(Lie::Line(lie)) => match lie(&mut self.memory, line) {
                Some(bent) => self.server.hear(&bent),
                None => return Ok(()),
            },
            _ => self.server.hear(line),
        };
        self.reply(heard, more)
    }

    fn reply(&mut self, mut heard: Heard, more: bool) -> io::Result<()> {
        let reply = heard.reply.take();
        let reply = match self.lie {
            Some(Lie::Reply(lie)) => lie(&mut self.memory, &heard, reply),
            _ => reply,
        };
        let mut messages: Vec<Reply> = heard.before.drain(..).chain(reply).collect();
        if let Some(Lie::Messages(lie)) = self.lie {
            messages = lie(&mut self.memory, &heard, messages);
        }
        messages.into_iter().try_for_each(|message| self.emit(message, more))
    }

    /// Writes what comes later: a reply to what was heard long ago is bent like any other.
    fn late(&mut self, message: Reply) -> io::Result<()> {
        let message = match self.lie {
            Some(Lie::Reply(lie)) if message.get("method").is_none() => {
                lie(&mut self.memory, &Heard::late(), Some(message))
            }
            _ => Some(message),
        };
        message.map_or(Ok(()), |message| self.emit(message, false))
    }

    fn emit(&mut self, message: Reply, more: bool) -> io::Result<()> {
        let messages = match self.lie {
            Some(Lie::Emit(lie)) => lie(&mut self.memory, message),
            _ => vec![message],
        };
        for message in messages {
            let json = message.to_json();
            let bytes = match self.lie {
                Some(Lie::Write(lie)) => {
                    let spoken = Spoken { json: &json, first: !self.spoken, more };
                    lie(&mut self.memory, &spoken)
                }
                _ => format!("{json}\n").into_bytes(),
            };
            self.spoken = true;
            self.out.write_all(&bytes)?;
            self.out.flush()?;
        }
        Ok(())
    }
}

/// Whether the reader has seen the end of the input, however much there is still to be done.
static INPUT_ENDED: AtomicBool = AtomicBool::new(false);

/// Whether the reader has seen the end of the input.
pub(super) fn input_ended() -> bool {
    INPUT_ENDED.load(Ordering::Relaxed)
}

/// Hands on each read as it comes.
fn read(mut input: impl Read, mut log: Option<File>, send: &mpsc::Sender<io::Result<Vec<u8>>>) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = match input.read(&mut buffer) {
            Ok(0) => {
                INPUT_ENDED.store(true, Ordering::Relaxed);
                return;
            }
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                let _nobody_listens = send.send(Err(error));
                return;
            }
        };
        let logged = log.as_mut().map_or(Ok(()), |log| writeln!(log, "{read}"));
        if send.send(logged.map(|()| buffer[..read].to_vec())).is_err() {
            return;
        }
    }
}
