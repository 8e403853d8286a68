//! What a judge is given, and what it gives back.

use std::borrow::Cow;

use serde_json::Value;

use crate::catalogue::Requirement;
use crate::ledger::{Call, Facts, Frame, Ledger, Shape, Stimulus};
use crate::protocol::Era;
use crate::protocol::mcp::LEGACY;
use crate::transcript::{Transcript, escape};
use crate::verdict::{EvidenceRef, Stream};

/// The requests whose answers say what the subject offers.
const OPENINGS: &[&str] = &["initialize", "server/discover"];

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
    pub when: Cow<'static, str>,
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

    /// The messages that answer a call, with their frames.
    pub fn answers(&self, call: &Call) -> impl Iterator<Item = (&Frame, &Facts)> {
        call.answers.iter().map(|answer| {
            let frame = &self.ledger.received()[answer.frame];
            (frame, &frame.messages()[answer.element])
        })
    }

    /// The results of the requests of a method, each with its call and frame.
    pub fn results(&self, method: &str) -> impl Iterator<Item = (usize, &Frame, Value)> {
        let calls = self.ledger.calls().iter().enumerate();
        calls.filter(move |(_, call)| call.method == method).filter_map(|(number, call)| {
            let (frame, facts) = self.answers(call).next()?;
            let result = facts.result_value().filter(|_| facts.shape == Shape::Response)?;
            Some((number, frame, result))
        })
    }

    /// What the subject declares in this session that it offers.
    #[must_use]
    pub fn capabilities(&self) -> Option<Value> {
        let mut openings = OPENINGS.iter().flat_map(|method| self.results(method));
        openings.find_map(|(_, _, result)| result.get("capabilities").cloned())
    }

    /// The revision that is in force in this session: what was agreed upon, else what was asked for.
    #[must_use]
    pub fn revision(&self) -> String {
        let agreed = self.results("initialize").find_map(|(_, _, result)| {
            result.get("protocolVersion").and_then(Value::as_str).map(str::to_string)
        });
        let header = &self.transcript.header;
        let released = |revision: &String| LEGACY.contains(&revision.as_str());
        agreed
            .filter(released)
            .filter(|_| header.era == Era::Legacy)
            .unwrap_or_else(|| header.revision.clone())
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
    pub fn new(when: impl Into<Cow<'static, str>>, reading: usize) -> Self {
        Self {
            when: when.into(),
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

    /// What the subject declares that it offers, by the first answer that says so.
    #[must_use]
    pub fn capabilities(&self) -> Option<Value> {
        self.sessions().find_map(|(_, reading)| reading.capabilities())
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
    ) -> impl Iterator<Item = (usize, &'a Reading, &'a Frame, &'a Facts)> + use<'a> {
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
            if let Some(needs) = &requirement.needs {
                return format!("not exercised: it takes {needs}");
            }
            return format!(
                "not stimulated then: no session holds `{}`",
                requirement.stimuli.join("`, `")
            );
        }
        "not exercised: nothing that it speaks of was seen".into()
    }
}
