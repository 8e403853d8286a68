//! Holding sessions for a campaign: one after the other, or several at once.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use super::task::Task;
use super::{CampaignError, Options, RunEvent, Stop};
use crate::catalogue;
use crate::check::Reading;
use crate::ledger::Stimulus;
use crate::scenario::{Deadlines, Driver, Listed, Settings};
use crate::session::Session;
use crate::split::SplitPlan;
use crate::subject::{Hints, Subject};
use crate::transcript::{FORMAT, Header};

/// How long a process may take to exit after the end of its input.
const EXIT_PATIENCE: Duration = Duration::from_secs(5);
/// How long it is given once it is known to stay.
const EXIT_KNOWN: Duration = Duration::from_millis(300);
/// How long silence has to last beside an answered barrier to mean something.
const SILENCE: Duration = Duration::from_secs(1);

/// How many sessions in which the subject goes deaf are enough: each costs its deadlines. One that dies costs nothing.
const DEAF_SESSIONS: usize = 2;

/// How long the subject is given for what it has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// As little as a search can do with that asks many times; what it finds is looked at again.
    Short,
    /// As the user chose.
    Usual,
    /// Four times as long, so that a finding that only time proves stands.
    Long,
}

impl Patience {
    fn deadlines(self, options: &Options, stays: bool) -> Deadlines {
        let usual = Deadlines {
            answer: options.timeout,
            start: options.start_timeout,
            exit: if stays { EXIT_KNOWN } else { EXIT_PATIENCE },
            exit_at_start: if stays { EXIT_KNOWN } else { EXIT_PATIENCE + options.start_timeout },
            silence: SILENCE,
        };
        match self {
            Self::Short => {
                Deadlines { answer: SILENCE.min(options.timeout), exit: EXIT_KNOWN, ..usual }
            }
            Self::Usual => usual,
            Self::Long => Deadlines {
                answer: options.timeout * TIMES,
                start: options.start_timeout * TIMES,
                exit: EXIT_PATIENCE * TIMES,
                exit_at_start: (EXIT_PATIENCE + options.start_timeout) * TIMES,
                silence: SILENCE * TIMES,
            },
        }
    }
}

/// How much longer everything may take when a finding is looked for again.
const TIMES: u32 = 4;

/// What it takes to hold sessions with a subject.
pub(super) struct Drive<'a> {
    subject: &'a Subject,
    options: &'a Options,
    hints: Rc<Hints>,
    stop: &'a Stop,
    events: RefCell<&'a mut dyn FnMut(RunEvent<'_>)>,
    stays: Cell<bool>,
    starts: Cell<usize>,
    named: Cell<usize>,
    /// What sessions have found in the subject's lists, by revision.
    listed: RefCell<BTreeMap<String, Listed>>,
}

/// What came of one session.
pub(super) struct Held {
    pub(super) reading: Reading,
    /// Whether it could be opened.
    pub(super) opened: bool,
    /// The step of the scenario that was begun last.
    step: usize,
    listed: Listed,
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
            hints: Rc::new(options.hints.clone()),
            stop,
            events: RefCell::new(events),
            stays: Cell::new(false),
            starts: Cell::new(0),
            named: Cell::new(0),
            listed: RefCell::new(BTreeMap::new()),
        }
    }

    pub(super) fn tell(&self, event: RunEvent<'_>) {
        (self.events.borrow_mut())(event);
    }

    pub(super) fn starts(&self) -> usize {
        self.starts.get()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    /// A name for a session that no other has.
    fn name(&self, label: &str) -> String {
        self.named.set(self.named.get() + 1);
        format!("s{:02}-{label}", self.named.get())
    }

    /// Does tasks, as many at once as the user wants; what was recorded for each, in their order. Where the subject does
    /// not open a session for one, those that were not begun are left out.
    pub(super) async fn all(&self, tasks: Vec<Task>) -> Result<Vec<Vec<Reading>>, CampaignError> {
        let named = tasks.into_iter().map(|task| (self.name(&task.label()), task));
        let queue: RefCell<VecDeque<_>> = RefCell::new(named.enumerate().collect());
        let done: RefCell<Vec<(usize, Vec<Reading>)>> = RefCell::new(Vec::new());
        let workers = (0..self.options.jobs.max(1)).map(|_| async {
            loop {
                let next = queue.borrow_mut().pop_front();
                let Some((number, (name, task))) = next else { return Ok(()) };
                let (readings, opened) = self.task(name, task).await?;
                done.borrow_mut().push((number, readings));
                if !opened {
                    queue.borrow_mut().clear();
                }
            }
        });
        join_all(workers).await.into_iter().collect::<Result<(), CampaignError>>()?;
        let mut done = done.into_inner();
        done.sort_by_key(|(number, _)| *number);
        Ok(done.into_iter().map(|(_, readings)| readings).collect())
    }

    /// Does a task, in several sessions where the subject does not go on in one; whether it could be begun.
    async fn task(
        &self,
        mut name: String,
        mut task: Task,
    ) -> Result<(Vec<Reading>, bool), CampaignError> {
        let mut readings = Vec::new();
        let mut deaf = 0;
        // Sessions that a plan cuts leave out what was seen to take its time.
        let known = || self.listed.borrow().get(&task.dialect.revision).cloned();
        let cut = task.plan != SplitPlan::Whole;
        let mut listed = cut.then(known).flatten().unwrap_or_default();
        loop {
            if self.is_stopped() {
                return Ok((readings, false));
            }
            let held = self.session(name, &task, Patience::Usual, listed).await?;
            let opened = held.opened || task.plan != SplitPlan::Whole;
            let ledger = &held.reading.ledger;
            deaf += usize::from(ledger.process().ended_early().is_none());
            let next = held.step + 1;
            let again = ledger.stopped().is_some()
                && held.opened
                && task.plan == SplitPlan::Whole
                && next < task.scenario.steps
                && deaf < DEAF_SESSIONS;
            listed = held.listed;
            if task.scenario.steps > 1 && listed != Listed::default() {
                self.listed.borrow_mut().insert(task.dialect.revision.clone(), listed.clone());
            }
            readings.push(held.reading);
            if !again {
                return Ok((readings, opened));
            }
            task.scenario = task.scenario.from_part(next);
            name = self.name(&task.label());
        }
    }

    /// Does one session of a task again, alone, with more patience, or for the first time.
    pub(super) async fn alone(
        &self,
        task: &Task,
        label: &str,
        patience: Patience,
    ) -> Result<Held, CampaignError> {
        let listed = self.listed.borrow().get(&task.dialect.revision).cloned();
        self.session(self.name(label), task, patience, listed.unwrap_or_default()).await
    }

    /// Holds one session.
    async fn session(
        &self,
        name: String,
        task: &Task,
        patience: Patience,
        listed: Listed,
    ) -> Result<Held, CampaignError> {
        let Task { scenario, dialect, plan, only, cuts } = task;
        self.starts.set(self.starts.get() + 1);
        self.tell(RunEvent::SessionStarted { session: &name, about: scenario.about });
        let clock = Instant::now();
        let is_whole = *plan == SplitPlan::Whole;
        let header = Header {
            format: FORMAT,
            session: name.clone(),
            scenario: scenario.name.into(),
            part: scenario.part,
            plan: if is_whole { String::new() } else { plan.to_string() },
            cuts: cuts.clone(),
            protocol: dialect.protocol.into(),
            era: dialect.era,
            revision: dialect.revision.clone(),
            command: self.subject.command(),
            seed: self.options.seed,
            catalogue: catalogue::VERSION.into(),
        };
        let client = dialect.client.clone();
        let session = Session::start(self.subject, header, client, self.options.pacing, self.stop)?;
        let settings = Settings {
            deadlines: patience.deadlines(self.options, self.stays.get()),
            profile: self.options.profile,
            call_tools: self.options.call_tools,
            hints: self.hints.clone(),
            seed: self.options.seed,
            plan: plan.clone(),
            cuts: cuts.clone(),
            listed,
            only: only.clone(),
        };
        let mut driver = Driver::new(session, dialect.clone(), settings);
        // Where it had to stop stands in the transcript.
        let _stopped = scenario.drive(&mut driver).await;
        let opened = driver.ledger().opened() || !scenario.opens || dialect.opening.is_none();
        let step = driver.last_step();
        let listed = std::mem::take(driver.listed());
        let (transcript, ledger) = driver.end().await;
        let stays = |stimulus: &Stimulus| {
            stimulus.waited.is_some_and(|waited| {
                waited.expired && u128::from(waited.millis) >= EXIT_PATIENCE.as_millis()
            })
        };
        if ledger.stimuli_named("end-of-input").any(stays) {
            self.stays.set(true);
        }
        self.tell(RunEvent::SessionEnded { session: &name, took: clock.elapsed() });
        Ok(Held { reading: Reading { transcript, ledger }, opened, step, listed })
    }
}
