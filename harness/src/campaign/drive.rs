//! Starting sessions for a campaign, and keeping what they recorded.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{CampaignError, Delivery, Options, RunEvent, Stop};
use crate::catalogue;
use crate::check::Reading;
use crate::ledger::Ledger;
use crate::protocol::{Dialect, Era, mcp};
use crate::scenario::{Deadlines, Driver, Found, MALFORMED_LINES, Scenario};
use crate::session::Session;
use crate::subject::Subject;
use crate::transcript::{FORMAT, Header, Transcript};

/// How long a process may take to exit after the end of its input.
const EXIT_PATIENCE: Duration = Duration::from_secs(5);
/// How long it is given once it is known to stay.
const EXIT_KNOWN: Duration = Duration::from_millis(300);
/// How long silence has to last beside an answered barrier to mean something.
const SILENCE: Duration = Duration::from_secs(1);

/// The sessions of a campaign.
pub(super) struct Drive<'a> {
    subject: &'a Subject,
    options: &'a Options,
    stop: &'a Stop,
    events: &'a mut dyn FnMut(RunEvent<'_>),
    readings: BTreeMap<Era, Vec<Reading>>,
    confirmed: BTreeMap<(Era, String, usize), Reading>,
    revisions: BTreeMap<Era, String>,
    stays: bool,
    starts: usize,
}

impl<'a> Drive<'a> {
    pub(super) fn new(
        subject: &'a Subject,
        options: &'a Options,
        stop: &'a Stop,
        events: &'a mut dyn FnMut(RunEvent<'_>),
    ) -> Self {
        Self {
            subject,
            options,
            stop,
            events,
            readings: BTreeMap::new(),
            confirmed: BTreeMap::new(),
            revisions: BTreeMap::new(),
            stays: false,
            starts: 0,
        }
    }

    pub(super) fn tell(&mut self, event: RunEvent<'_>) {
        (self.events)(event);
    }

    pub(super) fn starts(&self) -> usize {
        self.starts
    }

    /// The sessions of an era, in the order of their start.
    pub(super) fn readings(&self, era: Era) -> &[Reading] {
        self.readings.get(&era).map_or(&[], Vec::as_slice)
    }

    /// The revision that is judged in an era: what was negotiated, or what will be asked for.
    pub(super) fn revision(&self, era: Era) -> String {
        self.revisions.get(&era).cloned().unwrap_or_else(|| mcp::newest(era).revision)
    }

    pub(super) fn delivery(&self) -> Delivery {
        let stimuli = self.readings.values().flatten().flat_map(|reading| reading.ledger.stimuli());
        stimuli.fold(Delivery::default(), |sum, stimulus| Delivery {
            planned: sum.planned + stimulus.cuts,
            delivered: sum.delivered + stimulus.delivered,
        })
    }

    /// Everything that was recorded, in the order of the sessions' start.
    pub(super) fn into_transcripts(self) -> Vec<Transcript> {
        let readings = self.readings.into_values().flatten().chain(self.confirmed.into_values());
        let mut all: Vec<Transcript> = readings.map(|reading| reading.transcript).collect();
        all.sort_by(|one, other| one.header.session.cmp(&other.header.session));
        all
    }

    /// The first session: which eras does the subject answer in?
    pub(super) async fn probe(&mut self) -> Result<Found, CampaignError> {
        let mut found = Found::default();
        let mut transcript = self.find(Scenario::PROBE, &mut found).await?;
        if found.eras == [Era::Modern] {
            let modern = mcp::newest(Era::Modern);
            (transcript.header.era, transcript.header.revision) = (modern.era, modern.revision);
            self.keep(transcript);
            // It may serve the other era as well, in a process that was not asked for this one.
            let transcript = self.find(Scenario::PROBE_LEGACY, &mut found).await?;
            if found.eras.contains(&Era::Legacy) {
                self.keep(transcript);
            }
        } else {
            self.keep(transcript);
        }
        Ok(found)
    }

    /// Drives a scenario of discovery and reads what its answers tell.
    async fn find(
        &mut self,
        scenario: Scenario,
        found: &mut Found,
    ) -> Result<Transcript, CampaignError> {
        let (transcript, _) = self.session(scenario, mcp::newest(Era::Legacy), 1).await?;
        let ledger = Ledger::read(&transcript);
        for call in ledger.calls() {
            if let Some(answer) = call.answers.first() {
                let frame = &ledger.received()[answer.frame];
                found.read(&call.method, &frame.messages()[answer.element]);
            }
        }
        Ok(transcript)
    }

    /// Drives a scenario in an era; whether the session could be opened.
    pub(super) async fn scenario(
        &mut self,
        scenario: Scenario,
        era: Era,
    ) -> Result<bool, CampaignError> {
        let mut scenario = scenario;
        loop {
            if self.stop.is_stopped() {
                return Ok(false);
            }
            let (transcript, opened) = self.session(scenario, mcp::newest(era), 1).await?;
            self.keep(transcript);
            match self.next_part(scenario, era) {
                Some(part) if opened => scenario = scenario.from_part(part),
                _ => return Ok(opened),
            }
        }
    }

    /// A subject that died at a bad line is started again for the lines after it.
    fn next_part(&self, scenario: Scenario, era: Era) -> Option<usize> {
        let ledger = &self.readings(era).last()?.ledger;
        ledger.stopped()?;
        let done = ledger.stimuli_named("malformed").count();
        let next = scenario.part + done;
        (done > 0 && next < MALFORMED_LINES.len()).then_some(next)
    }

    /// Drives the scenario of a session again, alone, with more patience; `None` when the user does not wait for it.
    pub(super) async fn again(
        &mut self,
        era: Era,
        session: usize,
        patience: u32,
    ) -> Result<Option<&Reading>, CampaignError> {
        let header = &self.readings(era)[session].transcript.header;
        let (name, part) = (header.scenario.clone(), header.part);
        let key = (era, name, part);
        if !self.confirmed.contains_key(&key) {
            let all = Scenario::ALL.iter().chain(&[Scenario::PROBE, Scenario::PROBE_LEGACY]);
            let Some(scenario) = all.copied().find(|scenario| scenario.name == key.1) else {
                return Ok(None);
            };
            let dialect = mcp::newest(era);
            let (transcript, _) =
                self.session(scenario.from_part(part), dialect, patience).await?;
            if self.stop.is_stopped() {
                return Ok(None);
            }
            self.confirmed.insert(key.clone(), Reading::new(transcript));
        }
        Ok(self.confirmed.get(&key))
    }

    fn keep(&mut self, transcript: Transcript) {
        let reading = Reading::new(transcript);
        let era = reading.transcript.header.era;
        let stays = |stimulus: &crate::ledger::Stimulus| {
            stimulus.waited.is_some_and(|waited| {
                waited.expired && u128::from(waited.millis) >= EXIT_PATIENCE.as_millis()
            })
        };
        self.stays |= reading.ledger.stimuli_named("end-of-input").any(stays);
        if let Some(revision) = negotiated(&reading) {
            self.revisions.entry(era).or_insert(revision);
        }
        self.readings.entry(era).or_default().push(reading);
    }

    async fn session(
        &mut self,
        scenario: Scenario,
        dialect: Dialect,
        patience: u32,
    ) -> Result<(Transcript, bool), CampaignError> {
        self.starts += 1;
        let name = format!("s{:02}-{}", self.starts, scenario.name);
        (self.events)(RunEvent::SessionStarted { session: &name, about: scenario.about });
        let clock = Instant::now();
        let header = Header {
            format: FORMAT,
            session: name.clone(),
            scenario: scenario.name.into(),
            part: scenario.part,
            protocol: dialect.protocol.into(),
            era: dialect.era,
            revision: dialect.revision.clone(),
            command: self.subject.command(),
            seed: self.options.seed,
            catalogue: catalogue::VERSION.into(),
        };
        let session = Session::start(self.subject, header, self.options.pacing, self.stop)?;
        let exit = if self.stays && patience == 1 { EXIT_KNOWN } else { EXIT_PATIENCE * patience };
        let deadlines = Deadlines {
            answer: self.options.timeout * patience,
            start: self.options.start_timeout * patience,
            exit,
            silence: SILENCE * patience,
        };
        let (tools, seed) = (self.options.call_tools, self.options.seed);
        let mut driver = Driver::new(session, dialect, deadlines, tools, seed);
        // Where it had to stop stands in the transcript.
        let _stopped = scenario.drive(&mut driver).await;
        let opened = driver.ledger().opened() || !scenario.opens();
        let transcript = driver.end().await;
        (self.events)(RunEvent::SessionEnded { session: &name, took: clock.elapsed() });
        Ok((transcript, opened))
    }
}

/// The revision that the subject answered `initialize` with, where it did.
fn negotiated(reading: &Reading) -> Option<String> {
    let header = &reading.transcript.header;
    if header.era == Era::Modern {
        return Some(header.revision.clone());
    }
    let ledger = &reading.ledger;
    let call = ledger.calls().iter().find(|call| call.method == "initialize")?;
    let answer = call.answers.first()?;
    let result = ledger.received()[answer.frame].messages()[answer.element].result_value()?;
    let revision = result.get("protocolVersion")?.as_str()?;
    mcp::LEGACY.contains(&revision).then(|| revision.to_string())
}
