//! What a judge is given, and what it gives back.

use crate::catalogue::Requirement;
use crate::ledger::{Frame, Ledger, Stimulus};
use crate::transcript::{Transcript, escape};
use crate::verdict::{EvidenceRef, Stream};

/// How many bytes of a frame an excerpt shows.
const EXCERPT: usize = 240;

/// The sessions of one era and revision, recorded and read.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The sessions, in the order of their start.
    pub readings: &'a [Reading],
}

/// One session: its transcript and the ledger read from it.
#[derive(Debug)]
pub struct Reading {
    /// What was recorded.
    pub transcript: Transcript,
    /// What can be read out of it.
    pub ledger: Ledger,
}

/// Something that a judge observed.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The row of the outcome table that it meets.
    pub when: &'static str,
    /// What was seen, in words; empty when the row's own text says it all.
    pub observed: String,
    /// What was asked for, where it is more than the requirement itself.
    pub expected: String,
    /// Where it stands.
    pub evidence: Vec<EvidenceRef>,
    /// The session that it was seen in: an index into [`Evidence::readings`].
    pub reading: usize,
}

impl Reading {
    /// Reads a transcript.
    #[must_use]
    pub fn new(transcript: Transcript) -> Self {
        let ledger = Ledger::read(&transcript);
        Self { transcript, ledger }
    }

    /// A received frame as evidence.
    #[must_use]
    pub fn received(&self, frame: &Frame) -> EvidenceRef {
        self.frame(frame, Stream::Stdout)
    }

    /// A sent frame as evidence.
    #[must_use]
    pub fn sent(&self, frame: &Frame) -> EvidenceRef {
        self.frame(frame, Stream::Stdin)
    }

    /// The request that a call consists of, as evidence.
    #[must_use]
    pub fn request(&self, call: usize) -> EvidenceRef {
        self.sent(&self.ledger.sent()[self.ledger.calls()[call].frame])
    }

    /// Something that happened to the process, as evidence.
    #[must_use]
    pub fn happened(&self, at: u64, what: impl Into<String>) -> EvidenceRef {
        EvidenceRef {
            transcript: self.transcript.header.session.clone(),
            stream: Stream::Process,
            offset: self.ledger.received_len(),
            len: 0,
            at,
            excerpt: what.into(),
        }
    }

    fn frame(&self, frame: &Frame, stream: Stream) -> EvidenceRef {
        let mut excerpt = escape(&frame.bytes, EXCERPT);
        if frame.ended {
            excerpt.push_str("\\n");
        }
        EvidenceRef {
            transcript: self.transcript.header.session.clone(),
            stream,
            offset: frame.offset,
            len: frame.len,
            at: frame.at,
            excerpt,
        }
    }
}

impl Observation {
    /// An observation without more to say.
    #[must_use]
    pub fn new(when: &'static str, reading: usize) -> Self {
        Self {
            when,
            observed: String::new(),
            expected: String::new(),
            evidence: Vec::new(),
            reading,
        }
    }

    /// Adds what was seen.
    #[must_use]
    pub fn observed(mut self, what: impl Into<String>) -> Self {
        self.observed = what.into();
        self
    }

    /// Adds what was asked for.
    #[must_use]
    pub fn expected(mut self, what: impl Into<String>) -> Self {
        self.expected = what.into();
        self
    }

    /// Adds where it stands.
    #[must_use]
    pub fn at(mut self, evidence: EvidenceRef) -> Self {
        self.evidence.push(evidence);
        self
    }
}

impl<'a> Evidence<'a> {
    /// Every session with its index.
    pub fn sessions(&self) -> impl Iterator<Item = (usize, &'a Reading)> + use<'a> {
        self.readings.iter().enumerate()
    }

    /// Every stimulus that the requirement asks for, with its session.
    pub fn stimuli(
        &self,
        requirement: &Requirement,
    ) -> impl Iterator<Item = (usize, &'a Reading, &'a Stimulus)> {
        let names = requirement.stimuli.clone();
        self.sessions().flat_map(move |(index, reading)| {
            let names = names.clone();
            let all = reading.ledger.stimuli().iter();
            all.filter(move |stimulus| names.contains(&stimulus.name))
                .map(move |stimulus| (index, reading, stimulus))
        })
    }

    /// Every message that the subject wrote, with its frame and session.
    pub fn messages(
        &self,
    ) -> impl Iterator<Item = (usize, &'a Reading, &'a Frame, &'a crate::ledger::Facts)> + use<'a>
    {
        self.sessions().flat_map(|(index, reading)| {
            reading.ledger.received().iter().flat_map(move |frame| {
                frame.messages().iter().map(move |facts| (index, reading, frame, facts))
            })
        })
    }

    /// Why a requirement could not be judged on this evidence.
    pub(super) fn why_nothing(&self, requirement: &Requirement) -> String {
        if let Some(stopped) = self.readings.iter().find_map(|reading| reading.ledger.stopped()) {
            return format!("not stimulated: {stopped}");
        }
        if self.readings.is_empty() {
            return "no session was recorded".into();
        }
        if self.stimuli(requirement).next().is_none() && !requirement.stimuli.is_empty() {
            return format!(
                "not stimulated then: no session holds `{}`",
                requirement.stimuli.join("`, `")
            );
        }
        "not exercised: nothing that it speaks of was seen".into()
    }
}
