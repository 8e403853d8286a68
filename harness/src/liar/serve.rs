//! The loop of a server on this process's stdin and stdout, honest wherever no fault says otherwise.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use pipeproof_transport::line::{Item, LineDecoder};

use super::fault::{Lie, Memory, Spoken};
use super::honest::{Heard, Server};
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
    match service.serve(io::stdin().lock(), log) {
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
    fn serve(mut self, mut input: impl Read, mut log: Option<File>) -> io::Result<()> {
        if let Some(Lie::Start(lie)) = self.lie {
            lie(&mut self.out)?;
        }
        let mut decoder = LineDecoder::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let count = match input.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if let Some(log) = &mut log {
                writeln!(log, "{count}")?;
            }
            let bent = match self.lie {
                Some(Lie::Read(lie)) => Some(lie(&mut self.memory, &buffer[..count])),
                _ => None,
            };
            let mut rest = bent.as_deref().unwrap_or(&buffer[..count]);
            while let Some(item) = decoder.decode(&mut rest) {
                let more = rest.contains(&b'\n');
                match item {
                    Item::Line(line) => self.line(line.bytes, more)?,
                    Item::TooLong(_) => self.reply(Server::too_long(), more)?,
                    // An empty line says nothing, and so is left unanswered.
                    _ => {}
                }
            }
        }
        // A last line without its line end is no message: whoever wrote it did not come to its end.
        match self.lie {
            Some(Lie::End(lie)) => lie(&mut self.out),
            _ => Ok(()),
        }
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
        let Some(json) = reply.map(|reply| reply.to_json()) else { return Ok(()) };
        let bytes = match self.lie {
            Some(Lie::Write(lie)) => {
                let spoken = Spoken { json: &json, first: !self.spoken, more };
                lie(&mut self.memory, &spoken)
            }
            _ => format!("{json}\n").into_bytes(),
        };
        self.spoken = true;
        self.out.write_all(&bytes)?;
        self.out.flush()
    }
}
