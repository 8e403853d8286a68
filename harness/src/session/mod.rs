//! One link to a subject, from spawn to reaped: it writes, reads, waits and records, and judges nothing.
//!
//! Everything that happens becomes an [`Event`] of the transcript, and the [`Ledger`] that a judge will read it with
//! is kept at the same time, so that a scenario waits for exactly what a judge will see.

mod end;
mod left;
mod pacing;

pub use end::OpenCalls;
pub(crate) use left::end_orphans;
pub use pacing::Pacing;

use std::time::{Duration, Instant};

use pipeproof_transport::line;
use pipeproof_transport::nonblocking::Child;
use pipeproof_transport::process::Exit;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use crate::campaign::Stop;
use crate::ledger::{IdFacts, Ledger, Shape};
use crate::protocol::{Client, Refusal};
use crate::split::SplitPlan;
use crate::subject::{StartError, Subject};
use crate::transcript::{Bytes, Event, Fact, Header, Mark};

/// How much a subject may write on stdout in one session, in bytes.
const STDOUT_CAP: u64 = 24 << 20;
/// How long one line of it may be.
const LINE_CAP: usize = 16 << 20;
/// How many messages that may be: each takes many times its own bytes to hold.
const FRAME_CAP: usize = 20_000;
/// How much of that may be no message.
const STRAY_CAP: u64 = 1 << 20;
/// How much of stderr is recorded.
const LOG_CAP: u64 = 1 << 20;
/// How long the last bytes of a process that has exited may take to arrive, when something else holds its pipes.
const DRAIN: Duration = Duration::from_millis(300);
/// Below this, an overrun of a deadline is no news.
const LAG: Duration = Duration::from_millis(50);

/// A running subject and the record of what it does.
#[derive(Debug)]
pub struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    exit: Option<(Exit, Instant)>,
    stdout_ended: Option<Instant>,
    mark: String,
    header: Header,
    client: Client,
    events: Vec<Event>,
    ledger: Ledger,
    started: Instant,
    pacing: Pacing,
    stop: Stop,
    logged: u64,
    unread: bool,
    seen: usize,
    owed: Vec<Vec<u8>>,
    buffer: Box<[u8]>,
    log_buffer: Box<[u8]>,
}

impl Drop for Session {
    fn drop(&mut self) {
        left::finish(self.child.pid());
    }
}

/// What came of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// What was waited for is there.
    Met,
    /// The time ran out.
    Expired,
    /// The subject cannot bring it any more: it is gone, or its stdout is, or we stopped reading.
    Gone,
}

/// One step of the loop that reads, writes and waits.
enum Step {
    Wrote(usize),
    Happened,
    Expired,
    Stopped,
}

impl Session {
    /// Starts the subject. What it asks of us is answered as `client` answers.
    ///
    /// # Errors
    ///
    /// When the program cannot be found or started.
    pub fn start(
        subject: &Subject,
        header: Header,
        client: Client,
        pacing: Pacing,
        stop: &Stop,
    ) -> Result<Self, StartError> {
        let (mut child, mark) = subject.start()?;
        let (stdin, stdout, stderr) =
            (child.take_stdin(), child.take_stdout(), child.take_stderr());
        let pid = child.pid();
        left::begin(pid);
        let mut session = Self {
            child,
            stdin,
            stdout,
            stderr,
            exit: None,
            stdout_ended: None,
            mark,
            header,
            client,
            events: Vec::new(),
            ledger: Ledger::default(),
            started: Instant::now(),
            pacing,
            stop: stop.clone(),
            logged: 0,
            unread: false,
            seen: 0,
            owed: Vec::new(),
            buffer: vec![0; 64 << 10].into_boxed_slice(),
            log_buffer: vec![0; 16 << 10].into_boxed_slice(),
        };
        session.record(Fact::Spawned { pid });
        Ok(session)
    }

    /// What can be read out of the session so far.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The session's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.header.session
    }

    /// Writes a mark into the transcript.
    pub fn mark(&mut self, mark: Mark) {
        self.record(Fact::Mark(mark));
    }

    /// Whether the user asked for the end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    /// Whether nothing can come from the subject any more.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        let capped = self.stdout.is_none() && self.stdout_ended.is_none();
        let both = self.exit.is_some() && self.stdout_ended.is_some();
        capped || both || self.until_drained().is_some_and(|until| Instant::now() > until)
    }

    /// Until when there is something to come from a subject that exited or closed its stdout: the one usually follows
    /// the other at once, but something else may hold stdout, and a process may live on without it.
    fn until_drained(&self) -> Option<Instant> {
        let exited = self.exit.as_ref().map(|(_, at)| *at);
        exited.into_iter().chain(self.stdout_ended).min().map(|first| first + DRAIN)
    }

    /// Sends bytes as they are, cut by a plan. Each chunk but the first waits until the subject has taken the one
    /// before, or until `patience` is over; the transcript shows which.
    pub async fn send(&mut self, bytes: &[u8], plan: &SplitPlan, patience: Duration) {
        let deadline = Instant::now() + patience;
        for (index, chunk) in plan.chunks(bytes).into_iter().enumerate() {
            self.until_taken(deadline).await;
            let pause = plan.pause(index);
            if !pause.is_zero() {
                self.rest(pause).await;
            }
            let mut rest = chunk;
            while !rest.is_empty() && self.stdin.is_some() {
                match self.step(Some(rest), deadline).await {
                    Step::Wrote(count) => {
                        self.unread = true;
                        self.record(Fact::Sent(Bytes(rest[..count].to_vec())));
                        rest = &rest[count..];
                    }
                    Step::Happened => {}
                    Step::Expired | Step::Stopped => return,
                }
            }
        }
    }

    /// Reads and records for a while, whatever comes.
    pub async fn rest(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while let Step::Happened | Step::Wrote(_) = self.step(None, until).await {}
    }

    /// Waits until the ledger shows what is waited for, answering meanwhile what the subject asks of us.
    pub async fn wait(&mut self, patience: Duration, met: impl Fn(&Ledger) -> bool) -> Waiting {
        let deadline = Instant::now() + patience;
        loop {
            self.answer_requests(deadline).await;
            if met(&self.ledger) {
                return Waiting::Met;
            }
            if self.is_gone() || self.stop.is_stopped() {
                return Waiting::Gone;
            }
            let drained = self.until_drained().map(|until| until + Duration::from_millis(1));
            let until = drained.map_or(deadline, |until| until.min(deadline));
            if let Step::Expired = self.step(None, until).await
                && Instant::now() >= deadline
            {
                return Waiting::Expired;
            }
        }
    }

    /// Reads, writes if there is something to write, and notices the exit, whichever comes first.
    async fn step(&mut self, write: Option<&[u8]>, until: Instant) -> Step {
        enum Seen {
            Out(std::io::Result<usize>),
            Log(std::io::Result<usize>),
            Exit(Result<Exit, pipeproof_transport::Error>),
            Wrote(std::io::Result<usize>),
            Expired,
            Stopped,
        }
        let Self { child, stdin, stdout, stderr, exit, stop, buffer, log_buffer, .. } = self;
        let writing = write.is_some() && stdin.is_some();
        let seen = tokio::select! {
            biased;
            () = stop.stopped() => Seen::Stopped,
            read = read(stdout.as_mut(), buffer), if stdout.is_some() => Seen::Out(read),
            read = read(stderr.as_mut(), log_buffer), if stderr.is_some() => Seen::Log(read),
            exit = child.wait(), if exit.is_none() => Seen::Exit(exit),
            wrote = write_some(stdin.as_mut(), write.unwrap_or_default()), if writing => Seen::Wrote(wrote),
            () = tokio::time::sleep_until(until.into()) => Seen::Expired,
        };
        match seen {
            Seen::Out(Ok(count)) if count > 0 => self.received(count),
            Seen::Out(_) => {
                self.stdout = None;
                self.stdout_ended = Some(Instant::now());
                self.record(Fact::StdoutEnded);
            }
            Seen::Log(Ok(count)) if count > 0 => self.log(count),
            Seen::Log(_) => {
                self.stderr = None;
                self.record(Fact::StderrEnded);
            }
            Seen::Exit(Ok(exit)) => {
                self.exit = Some((exit, Instant::now()));
                self.record(match exit {
                    Exit::Code(code) => Fact::Exited(code),
                    Exit::Signal(signal) => Fact::Killed(signal),
                });
            }
            Seen::Exit(Err(error)) => {
                // The system lost track of our own child; treat it as gone rather than wait for ever.
                self.exit = Some((Exit::Code(-1), Instant::now()));
                self.record(Fact::Capped(format!("the exit status was lost: {error}")));
            }
            Seen::Wrote(Ok(count)) => return Step::Wrote(count),
            Seen::Wrote(Err(error)) => {
                self.stdin = None;
                self.record(Fact::WriteFailed(error.to_string()));
            }
            Seen::Expired => {
                let late = until.elapsed();
                if late > LAG {
                    self.record(Fact::Lagged(micros(late)));
                }
                return Step::Expired;
            }
            Seen::Stopped => return Step::Stopped,
        }
        Step::Happened
    }

    fn received(&mut self, count: usize) {
        let bytes = Bytes(self.buffer[..count].to_vec());
        self.record(Fact::Received(bytes));
        let limit = if self.ledger.received_len() > STDOUT_CAP {
            format!("more than {} MiB on stdout in one session", STDOUT_CAP >> 20)
        } else if self.ledger.received_len() > STRAY_CAP && self.ledger.stray_len() > STRAY_CAP {
            format!("more than {} MiB on stdout that are no message", STRAY_CAP >> 20)
        } else if self.ledger.received().len() > FRAME_CAP {
            format!("more than {FRAME_CAP} messages on stdout in one session")
        } else if self.ledger.unfinished() > LINE_CAP {
            format!("a line of more than {} MiB on stdout", LINE_CAP >> 20)
        } else {
            return self.owe();
        };
        self.stdout = None;
        self.record(Fact::Capped(limit));
    }

    fn log(&mut self, count: usize) {
        let kept = (LOG_CAP.saturating_sub(self.logged)).min(count as u64);
        self.logged += count as u64;
        if kept > 0 {
            let bytes = Bytes(self.log_buffer[..kept as usize].to_vec());
            self.record(Fact::Logged(bytes));
            if self.logged >= LOG_CAP {
                self.record(Fact::LogCapped(LOG_CAP));
            }
        }
    }

    /// Notes what the subject asks of us, and what a client that declares what we do answers to it.
    fn owe(&mut self) {
        let frames = self.ledger.received();
        let from = self.seen.min(frames.len());
        for facts in frames[from..].iter().flat_map(|frame| frame.messages()) {
            let (Shape::Request, IdFacts::Valid(id)) = (facts.shape, &facts.id) else { continue };
            let id = id.to_json();
            let params = facts.params.as_deref().and_then(|raw| serde_json::from_str(raw).ok());
            let method = facts.method.as_deref().unwrap_or_default();
            let answer = match self.client.answer(method, &params.unwrap_or(Value::Null)) {
                Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
                Err(Refusal { code, message }) => {
                    let error = json!({ "code": code, "message": message });
                    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
                }
            };
            let mut frame = Vec::new();
            if line::encode(answer.as_bytes(), &mut frame).is_ok() {
                self.owed.push(frame);
            }
        }
        self.seen = frames.len();
    }

    async fn answer_requests(&mut self, deadline: Instant) {
        for frame in std::mem::take(&mut self.owed) {
            let left = deadline.saturating_duration_since(Instant::now());
            self.send(&frame, &SplitPlan::Whole, left).await;
        }
    }

    fn record(&mut self, fact: Fact) {
        let event = Event { at: micros(self.started.elapsed()), fact };
        self.ledger.push(&event);
        self.events.push(event);
    }
}

async fn read(
    stream: Option<&mut (impl AsyncReadExt + Unpin)>,
    buffer: &mut [u8],
) -> std::io::Result<usize> {
    match stream {
        Some(stream) => stream.read(buffer).await,
        None => std::future::pending().await,
    }
}

async fn write_some(stdin: Option<&mut ChildStdin>, bytes: &[u8]) -> std::io::Result<usize> {
    match stdin {
        Some(stdin) => stdin.write(bytes).await,
        None => std::future::pending().await,
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
