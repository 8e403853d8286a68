//! Holding sessions for a campaign.

use std::time::{Duration, Instant};

use super::group::{Confirmed, Group};
use super::{CampaignError, Options, RunEvent, Stop};
use crate::catalogue;
use crate::check::Reading;
use crate::ledger::Stimulus;
use crate::protocol::Dialect;
use crate::scenario::{Deadlines, Driver, MALFORMED_LINES, Scenario};
use crate::session::Session;
use crate::subject::Subject;
use crate::transcript::{FORMAT, Header};

/// How long a process may take to exit after the end of its input.
const EXIT_PATIENCE: Duration = Duration::from_secs(5);
/// How long it is given once it is known to stay.
const EXIT_KNOWN: Duration = Duration::from_millis(300);
/// How long silence has to last beside an answered barrier to mean something.
const SILENCE: Duration = Duration::from_secs(1);

/// How many sessions in which the subject goes deaf are enough: each costs its deadlines. One that dies costs nothing.
const DEAF_SESSIONS: usize = 2;

/// What it takes to hold sessions with a subject.
pub(super) struct Drive<'a> {
    subject: &'a Subject,
    options: &'a Options,
    stop: &'a Stop,
    events: &'a mut dyn FnMut(RunEvent<'_>),
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
        Self { subject, options, stop, events, stays: false, starts: 0 }
    }

    pub(super) fn tell(&mut self, event: RunEvent<'_>) {
        (self.events)(event);
    }

    pub(super) fn starts(&self) -> usize {
        self.starts
    }

    /// Drives a scenario in the dialect of a group; whether the session could be opened.
    pub(super) async fn scenario(
        &mut self,
        mut scenario: Scenario,
        group: &mut Group,
    ) -> Result<bool, CampaignError> {
        let mut deaf = 0;
        loop {
            if self.stop.is_stopped() {
                return Ok(false);
            }
            let (reading, opened) = self.session(scenario, &group.dialect, 1).await?;
            let next = next_part(scenario, &reading);
            deaf += usize::from(reading.ledger.process().ended_early().is_none());
            group.keep(reading);
            match next {
                Some(part) if opened && deaf < DEAF_SESSIONS => scenario = scenario.from_part(part),
                _ => return Ok(opened),
            }
        }
    }

    /// Drives the scenario of a session again, alone, with more patience; its key among the group's confirmed ones, or
    /// `None` when the user does not wait for it.
    pub(super) async fn again(
        &mut self,
        group: &mut Group,
        session: usize,
        patience: u32,
    ) -> Result<Option<Confirmed>, CampaignError> {
        let header = &group.readings[session].transcript.header;
        let key = (header.scenario.clone(), header.part);
        if !group.confirmed.contains_key(&key) {
            let Some(scenario) = Scenario::named(&key.0) else { return Ok(None) };
            let scenario = scenario.from_part(key.1);
            let (reading, _) = self.session(scenario, &group.dialect, patience).await?;
            if self.stop.is_stopped() {
                return Ok(None);
            }
            group.confirmed.insert(key.clone(), reading);
        }
        Ok(Some(key))
    }

    /// Holds one session; its record as it was read while it ran, and whether it could be opened.
    pub(super) async fn session(
        &mut self,
        scenario: Scenario,
        dialect: &Dialect,
        patience: u32,
    ) -> Result<(Reading, bool), CampaignError> {
        self.starts += 1;
        let name = format!("s{:02}-{}", self.starts, scenario.name);
        self.tell(RunEvent::SessionStarted { session: &name, about: scenario.about });
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
        let mut driver = Driver::new(session, dialect.clone(), deadlines, tools, seed);
        // Where it had to stop stands in the transcript.
        let _stopped = scenario.drive(&mut driver).await;
        let opened = driver.ledger().opened() || !scenario.opens();
        let (transcript, ledger) = driver.end().await;
        let stays = |stimulus: &Stimulus| {
            stimulus.waited.is_some_and(|waited| {
                waited.expired && u128::from(waited.millis) >= EXIT_PATIENCE.as_millis()
            })
        };
        self.stays |= ledger.stimuli_named("end-of-input").any(stays);
        self.tell(RunEvent::SessionEnded { session: &name, took: clock.elapsed() });
        Ok((Reading { transcript, ledger }, opened))
    }
}

/// A subject that died at a bad line is started again for the lines after it.
fn next_part(scenario: Scenario, reading: &Reading) -> Option<usize> {
    reading.ledger.stopped()?;
    let done = reading.ledger.stimuli_named("malformed").count();
    let next = scenario.part + done;
    (done > 0 && next < MALFORMED_LINES.len()).then_some(next)
}
