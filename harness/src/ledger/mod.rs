//! The reading of a transcript: events → frames → calls → stimuli.
//!
//! The ledger is incremental: a live session feeds it event by event to know what it is waiting for, a judge
//! reads a whole transcript with it, and both see the same. It states facts, such as "this response names an id that
//! was never asked"; whether that is a fault is said by the [`crate::check`]s.

mod call;
mod facts;
mod frame;
mod process;
mod side;
mod stimulus;

pub use call::{Answer, Call, Match};
pub use facts::{Code, ErrorFacts, Facts, IdFacts, Shape};
pub use frame::{Frame, Kind};
pub use process::{End, Process};
pub use stimulus::{Stimulus, Waited};

use pipeproof_transport::message::Id;

use crate::transcript::{Event, Fact, Mark, Transcript};
use call::Calls;
use side::Side;
use stimulus::Stimuli;

/// Everything that can be read out of the events seen so far.
#[derive(Debug, Default)]
pub struct Ledger {
    sent: Side,
    received: Side,
    calls: Calls,
    stimuli: Stimuli,
    process: Process,
    opened: bool,
    stopped: Option<String>,
    lagged: u64,
    log: Vec<u8>,
}

/// How much of stderr is kept for the reports.
const LOG_TAIL: usize = 4096;

impl Ledger {
    /// Reads a whole transcript.
    #[must_use]
    pub fn read(transcript: &Transcript) -> Self {
        let mut ledger = Self::default();
        for event in &transcript.events {
            ledger.push(event);
        }
        ledger.finish();
        ledger
    }

    /// Takes in one more event.
    pub fn push(&mut self, event: &Event) {
        self.process.push(event);
        match &event.fact {
            Fact::Mark(mark) => self.mark(mark, event.at),
            Fact::Sent(bytes) => {
                self.stimuli.sent();
                let owner = self.stimuli.owner();
                let new = self.sent.push(&bytes.0, event.at, owner);
                for index in new {
                    let frame = &self.sent.frames()[index];
                    if let Some(call) = self.calls.sent(index, frame) {
                        self.stimuli.asked(call);
                        let begun = self.stimuli.all().last().map_or(0, |stimulus| stimulus.at);
                        self.calls.adopt(call, self.received.frames(), begun);
                    }
                }
            }
            Fact::Taken => self.stimuli.taken(),
            Fact::WriteFailed(_) => self.stimuli.write_failed(),
            Fact::Received(bytes) => {
                let owner = self.stimuli.current();
                let new = self.received.push(&bytes.0, event.at, owner);
                self.match_answers(new);
            }
            Fact::StdoutEnded => {
                let new = self.received.finish(event.at, self.stimuli.current());
                self.match_answers(new);
            }
            Fact::Logged(bytes) => {
                self.log.extend_from_slice(&bytes.0);
                let surplus = self.log.len().saturating_sub(LOG_TAIL);
                self.log.drain(..surplus);
            }
            Fact::Lagged(micros) => self.lagged += micros,
            _ => {}
        }
    }

    /// Says that no event will follow: what was received of an unfinished line becomes a frame.
    pub fn finish(&mut self) {
        let at = self.process.last_at();
        let new = self.received.finish(at, self.stimuli.current());
        self.match_answers(new);
    }

    fn match_answers(&mut self, new: std::ops::Range<usize>) {
        for index in new {
            let frame = &self.received.frames()[index];
            let expect = frame.stimulus.map(|stimulus| self.stimuli.all()[stimulus].expect);
            self.calls.received(index, frame, expect);
        }
    }

    fn mark(&mut self, mark: &Mark, at: u64) {
        match mark {
            Mark::Open => self.opened = true,
            Mark::Stopped(place) => self.stopped = Some(place.clone()),
            _ => {}
        }
        self.stimuli.mark(mark, at, self.received.frames().len());
    }

    /// The frames that we sent.
    #[must_use]
    pub fn sent(&self) -> &[Frame] {
        self.sent.frames()
    }

    /// The frames that the subject wrote on stdout.
    #[must_use]
    pub fn received(&self) -> &[Frame] {
        self.received.frames()
    }

    /// The number of bytes that stood on stdout.
    #[must_use]
    pub fn received_len(&self) -> u64 {
        self.received.len()
    }

    /// The number of bytes of the line that is not finished yet.
    #[must_use]
    pub fn unfinished(&self) -> usize {
        self.received.unfinished()
    }

    /// The number of bytes on stdout that lie in no message.
    #[must_use]
    pub fn stray_len(&self) -> u64 {
        self.received.stray()
    }

    /// The requests that we sent and what became of each.
    #[must_use]
    pub fn calls(&self) -> &[Call] {
        self.calls.all()
    }

    /// The request with this id, if one was sent.
    #[must_use]
    pub fn call(&self, id: &Id) -> Option<&Call> {
        self.calls.find(id)
    }

    /// Received frames that answer nothing: responses with an id that was never asked, or with none. Indices into
    /// [`Ledger::received`].
    #[must_use]
    pub fn unmatched(&self) -> &[usize] {
        self.calls.unmatched()
    }

    /// What the scenario did, in order.
    #[must_use]
    pub fn stimuli(&self) -> &[Stimulus] {
        self.stimuli.all()
    }

    /// The stimuli of one name.
    pub fn stimuli_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Stimulus> {
        self.stimuli.all().iter().filter(move |stimulus| stimulus.name == name)
    }

    /// The process behind the pipes.
    #[must_use]
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// Whether the handshake was completed.
    #[must_use]
    pub fn opened(&self) -> bool {
        self.opened
    }

    /// Where the scenario had to stop, if it did not come to its end.
    #[must_use]
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// By how many microseconds our own scheduling fell behind, in all.
    #[must_use]
    pub fn lagged(&self) -> u64 {
        self.lagged
    }

    /// The last bytes of stderr.
    #[must_use]
    pub fn log_tail(&self) -> &[u8] {
        &self.log
    }

    /// The median time between a request and its answer, in microseconds.
    #[must_use]
    pub fn median_answer(&self) -> Option<u64> {
        let mut times: Vec<u64> = self
            .calls()
            .iter()
            .skip(1) // the first answer waits for the process to start
            .filter_map(|call| call.answers.first().map(|answer| answer.at.saturating_sub(call.at)))
            .collect();
        times.sort_unstable();
        times.get(times.len() / 2).copied()
    }
}

#[cfg(test)]
mod tests;
