//! What the scenario did, and what belongs to each of its doings.

use std::ops::Range;

use crate::transcript::{Expect, Mark};

/// One stimulus and what can be said of it.
#[derive(Clone, Debug)]
pub struct Stimulus {
    /// Its name.
    pub name: String,
    /// Which of several it is.
    pub variant: String,
    /// What kind of reaction it calls for.
    pub expect: Expect,
    /// When it began, in microseconds.
    pub at: u64,
    /// The step of the scenario that it belongs to.
    pub step: usize,
    /// The requests that it sent: indices into [`super::Ledger::calls`].
    pub calls: Vec<usize>,
    /// The frames received from its beginning to the beginning of the next: indices into
    /// [`super::Ledger::received`].
    pub received: Range<usize>,
    /// What came of waiting for its reaction.
    pub waited: Option<Waited>,
    /// The request that followed it as a barrier: an index into [`super::Ledger::calls`].
    pub barrier: Option<usize>,
    /// What came of waiting for the barrier's answer.
    pub barrier_waited: Option<Waited>,
    /// Whether something of it, or of its barrier, could not be written, because nobody reads any more.
    pub write_failed: bool,
    /// The cuts that were planned.
    pub cuts: usize,
    /// The cuts at which everything before had been taken before more was sent.
    pub delivered: usize,
}

/// What came of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// How long the scenario was ready to wait, in milliseconds.
    pub millis: u64,
    /// Whether that time ran out.
    pub expired: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Owner {
    #[default]
    Nobody,
    Stimulus,
    Barrier,
}

/// All stimuli, and which of them owns what is sent now.
#[derive(Debug, Default)]
pub(super) struct Stimuli {
    all: Vec<Stimulus>,
    owner: Owner,
    step: usize,
    chunks: usize,
    taken: bool,
}

impl Stimuli {
    pub(super) fn all(&self) -> &[Stimulus] {
        &self.all
    }

    /// The stimulus that received frames are counted to.
    pub(super) fn current(&self) -> Option<usize> {
        self.all.len().checked_sub(1)
    }

    /// The stimulus that sent frames belong to.
    pub(super) fn owner(&self) -> Option<usize> {
        if self.owner == Owner::Nobody { None } else { self.current() }
    }

    pub(super) fn mark(&mut self, mark: &Mark, at: u64, received: usize) {
        match mark {
            Mark::Stimulus { name, variant, expect, cuts } => {
                self.close(received);
                self.all.push(Stimulus {
                    name: name.clone(),
                    variant: variant.clone(),
                    expect: *expect,
                    at,
                    step: self.step,
                    calls: Vec::new(),
                    received: received..usize::MAX,
                    waited: None,
                    barrier: None,
                    barrier_waited: None,
                    write_failed: false,
                    cuts: *cuts,
                    delivered: 0,
                });
                self.owner = Owner::Stimulus;
                self.chunks = 0;
            }
            Mark::Step(step) => self.step = *step,
            Mark::Barrier => self.owner = Owner::Barrier,
            Mark::Rest | Mark::Open | Mark::Stopped(_) => self.owner = Owner::Nobody,
            Mark::Settled { millis } => {
                let waited = Some(Waited { millis: *millis, expired: true });
                for stimulus in self.all.iter_mut().filter(|one| one.is_in_passing()) {
                    stimulus.waited = waited;
                }
            }
            // The end of input is a stimulus like others, and is waited for.
            Mark::Shutdown => {}
            Mark::Waited { millis, expired } => {
                let waited = Some(Waited { millis: *millis, expired: *expired });
                if let Some(stimulus) = self.all.last_mut() {
                    match self.owner {
                        Owner::Stimulus => stimulus.waited = waited,
                        Owner::Barrier => stimulus.barrier_waited = waited,
                        Owner::Nobody => {}
                    }
                }
            }
        }
    }

    /// A request of the stimulus, or of its barrier, was sent.
    pub(super) fn asked(&mut self, call: usize) {
        let owner = self.owner;
        if let Some(stimulus) = self.all.last_mut() {
            match owner {
                Owner::Stimulus => stimulus.calls.push(call),
                Owner::Barrier => stimulus.barrier = Some(call),
                Owner::Nobody => {}
            }
        }
    }

    /// A chunk was sent: a cut lies before it if it is not the first of its stimulus. What is sent after the last of its
    /// chunks, such as our answers to the subject's requests, is none of it.
    pub(super) fn sent(&mut self) {
        if self.owner == Owner::Stimulus
            && let Some(stimulus) = self.all.last_mut()
        {
            if (1..=stimulus.cuts).contains(&self.chunks) && self.taken {
                stimulus.delivered += 1;
            }
            self.chunks += 1;
        }
        self.taken = false;
    }

    pub(super) fn write_failed(&mut self) {
        if self.owner != Owner::Nobody
            && let Some(stimulus) = self.all.last_mut()
        {
            stimulus.write_failed = true;
        }
    }

    pub(super) fn taken(&mut self) {
        self.taken = true;
    }

    fn close(&mut self, received: usize) {
        if let Some(last) = self.all.last_mut() {
            last.received.end = received;
        }
    }
}

impl Stimulus {
    /// Whether its answer is waited for no longer than it takes to answer a request after it.
    #[must_use]
    pub const fn is_in_passing(&self) -> bool {
        let wants_answer = matches!(self.expect, Expect::Answer | Expect::Judged);
        wants_answer && self.waited.is_none() && self.barrier.is_some()
    }

    /// Its received frames, out of all.
    #[must_use]
    pub fn received<'a>(&self, all: &'a [super::Frame]) -> &'a [super::Frame] {
        &all[self.received.start.min(all.len())..self.received.end.min(all.len())]
    }
}
