//! What scenarios are written with: stimuli, barriers, deadlines, in the dialect of the subject.

use std::rc::Rc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use pipeproof_transport::line;
use pipeproof_transport::message::Id;
use serde_json::Value;

use super::{CallTools, Listed};
use crate::campaign::Profile;
use crate::ledger::{Facts, Ledger, Shape};
use crate::protocol::Dialect;
use crate::session::{OpenCalls, Session, Waiting};
use crate::split::SplitPlan;
use crate::subject::Hints;
use crate::transcript::{Expect, Mark, PLANNED, Transcript};

/// Ids that we choose for ourselves begin here, so that none is the twin of an id that a scenario tries out.
const FIRST_ID: u64 = 1001;

/// How many silences are enough in a session that a plan cuts throughout: each costs its time, and one is proof.
const SILENCES: usize = 3;

/// The least that an answer is waited for that nobody needs.
const GLANCE: Duration = Duration::from_millis(50);

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// An answer.
    pub answer: Duration,
    /// The first answer of a process.
    pub start: Duration,
    /// The exit after the end of input.
    pub exit: Duration,
    /// The same where the process may still be starting.
    pub exit_at_start: Duration,
    /// How long silence has to last beside an answered barrier to mean something: a concurrent subject may answer
    /// out of order.
    pub silence: Duration,
}

/// What a session is driven with, beside its dialect.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long things may take.
    pub deadlines: Deadlines,
    /// How much is driven.
    pub profile: Profile,
    /// Which tools may be called.
    pub call_tools: CallTools,
    /// What the user knows of the subject.
    pub hints: Rc<Hints>,
    /// The seed of every random choice.
    pub seed: u64,
    /// How everything is cut, where a stimulus does not say otherwise.
    pub plan: SplitPlan,
    /// Where the only stimulus that matters is cut instead, and nothing else.
    pub cuts: Vec<usize>,
    /// What earlier sessions found in the subject's lists.
    pub listed: Listed,
    /// The one stimulus that the session is held for, by name and variant; absent: all that the scenario has.
    pub only: Vec<Wanted>,
}

/// A session with its dialect and settings: the pen that scenarios are written with.
#[derive(Debug)]
pub struct Driver {
    session: Session,
    dialect: Dialect,
    settings: Settings,
    rng: Rng,
    next: u64,
    step: usize,
    end_variant: &'static str,
    open_calls: OpenCalls,
    /// How many requests were not answered, although later ones were.
    silences: usize,
    /// When the last request was sent in passing that was not answered at once.
    unsettled: Option<Instant>,
}

/// A stimulus that a session is held for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The step of the scenario that it belongs to.
    pub step: usize,
    /// Its name.
    pub name: String,
    /// Which of several it is.
    pub variant: String,
}

/// The subject did not let a scenario come to its end; the transcript says where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// A stimulus before it is sent.
#[derive(Debug)]
pub struct Stimulus<'a> {
    /// Its name, which checks ask for.
    pub name: &'a str,
    /// Which of several it is.
    pub variant: String,
    /// What kind of reaction it calls for.
    pub expect: Expect,
    /// How its bytes are cut.
    pub plan: SplitPlan,
}

impl<'a> Stimulus<'a> {
    /// A stimulus that is sent whole.
    #[must_use]
    pub fn new(name: &'a str, expect: Expect) -> Self {
        Self { name, variant: String::new(), expect, plan: SplitPlan::Whole }
    }

    /// Says which of several it is.
    #[must_use]
    pub fn variant(mut self, variant: impl Into<String>) -> Self {
        self.variant = variant.into();
        self
    }

    /// Says how it is cut.
    #[must_use]
    pub fn cut(mut self, plan: SplitPlan) -> Self {
        self.plan = plan;
        self
    }
}

impl Driver {
    /// A driver of a fresh session.
    #[must_use]
    pub fn new(session: Session, dialect: Dialect, settings: Settings) -> Self {
        Self {
            session,
            dialect,
            rng: Rng::with_seed(settings.seed),
            settings,
            next: FIRST_ID,
            step: 0,
            end_variant: "after the session",
            open_calls: OpenCalls::Abandoned,
            silences: 0,
            unsettled: None,
        }
    }

    /// The dialect that is spoken.
    #[must_use]
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Speaks another dialect from here on.
    pub fn switch(&mut self, dialect: Dialect) {
        self.dialect = dialect;
    }

    /// What the session is driven with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether everything is cut by a plan, so that what has nothing to do with cuts is left out.
    #[must_use]
    pub fn is_planned(&self) -> bool {
        self.settings.plan != SplitPlan::Whole
    }

    /// What was found in the subject's lists.
    pub fn listed(&mut self) -> &mut Listed {
        &mut self.settings.listed
    }

    /// Takes note of the step of the scenario that begins.
    pub fn step(&mut self, step: usize) {
        self.step = step;
        self.session.mark(Mark::Step(step));
    }

    /// The step that was begun last.
    #[must_use]
    pub fn last_step(&self) -> usize {
        self.step
    }

    /// The source of random choices.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// What can be read out of the session so far.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.session.ledger()
    }

    /// An id that was not used before.
    pub fn id(&mut self) -> Id {
        let number = self.next;
        self.next += 1;
        match self.settings.plan {
            // So that there is something to cut.
            SplitPlan::InsideCharacters => Id::from(format!("{number} é€😀").as_str()),
            _ => Id::from(number),
        }
    }

    /// Says how the end of input of this session differs from that of others.
    pub fn end_variant(&mut self, variant: &'static str) {
        self.end_variant = variant;
    }

    /// Says that the answers to open calls are the matter of the end of this session.
    pub fn await_open_calls(&mut self) {
        self.open_calls = OpenCalls::Awaited;
    }

    /// Opens the session as its dialect says.
    ///
    /// # Errors
    ///
    /// When the opening request is not answered by a result.
    pub async fn open(&mut self) -> Result<(), Stopped> {
        let then = self.begin_opening().await?;
        self.complete_opening(then).await
    }

    /// Sends the opening request and waits for its result; the notification that completes the handshake.
    ///
    /// # Errors
    ///
    /// When it is not answered by a result.
    pub async fn begin_opening(&mut self) -> Result<Option<&'static str>, Stopped> {
        let Some(opening) = self.dialect.opening.clone() else { return Ok(None) };
        let id = self.id();
        let request = self.dialect.request(&id, opening.method, Some(opening.params));
        let stimulus = Stimulus::new(opening.stimulus, Expect::Judged);
        self.begin(&stimulus, &request);
        self.send(&request, Some(&stimulus)).await;
        self.answered(&id, self.settings.deadlines.start).await;
        match self.answer(&id).map(|facts| facts.shape) {
            Some(Shape::Error) => {
                return self.stop(&format!("{} was answered with an error", opening.method));
            }
            None => return self.stop(&format!("{} was not answered", opening.method)),
            Some(_) => {}
        }
        Ok(opening.then)
    }

    /// Completes the handshake, if there is anything to complete.
    ///
    /// # Errors
    ///
    /// When nothing is answered after it.
    pub async fn complete_opening(&mut self, then: Option<&str>) -> Result<(), Stopped> {
        if let Some(then) = then {
            let notification = self.dialect.notification(then, None);
            let stimulus = Stimulus::new("notification", Expect::Silence).variant(then);
            self.tell(stimulus, &notification).await?;
        }
        self.session.mark(Mark::Open);
        Ok(())
    }

    /// Sends the first request of a process and waits for an answer, which need not come.
    pub async fn first(&mut self, stimulus: Stimulus<'_>, id: &Id, request: &[u8]) {
        self.begin(&stimulus, request);
        self.send(request, Some(&stimulus)).await;
        // A server that never answers it is asked the next question soon; a slow one answers both in the end.
        self.answered(id, self.settings.deadlines.start / 4).await;
    }

    /// The result of the opening request.
    #[must_use]
    pub fn opening_result(&self) -> Option<Value> {
        let ledger = self.session.ledger();
        let method = self.dialect.opening.as_ref()?.method;
        let call = ledger.calls().iter().find(|call| call.method == method)?;
        self.answer(&call.id)?.result_value()
    }

    /// Sends a request and waits for its answer; its id.
    ///
    /// # Errors
    ///
    /// When neither it nor a barrier after it is answered.
    pub async fn ask(
        &mut self,
        stimulus: Stimulus<'_>,
        method: &str,
        params: Option<Value>,
    ) -> Result<Id, Stopped> {
        let id = self.id();
        self.ask_with(stimulus, &id, method, params).await?;
        Ok(id)
    }

    /// Sends a request with an id of the caller's and waits for its answer.
    ///
    /// # Errors
    ///
    /// When neither it nor a barrier after it is answered.
    pub async fn ask_with(
        &mut self,
        stimulus: Stimulus<'_>,
        id: &Id,
        method: &str,
        params: Option<Value>,
    ) -> Result<(), Stopped> {
        let request = self.dialect.request(id, method, params);
        self.ask_all(stimulus, &[(id.clone(), request)]).await
    }

    /// Sends requests as one stream and waits for all answers.
    ///
    /// # Errors
    ///
    /// When not all of them are answered, and a barrier after them is not either.
    pub async fn ask_all(
        &mut self,
        stimulus: Stimulus<'_>,
        requests: &[(Id, Vec<u8>)],
    ) -> Result<(), Stopped> {
        if self.is_left_out(&stimulus) {
            return Ok(());
        }
        let mut stream = Vec::new();
        for (index, (_, request)) in requests.iter().enumerate() {
            if index > 0 {
                stream.push(b'\n');
            }
            stream.extend_from_slice(request);
        }
        if self.settings.plan == SplitPlan::Joined {
            let id = self.id();
            stream.push(b'\n');
            stream.extend_from_slice(&self.liveness(&id));
        }
        self.begin(&stimulus, &stream);
        self.send(&stream, Some(&stimulus)).await;
        let all = |ledger: &Ledger| requests.iter().all(|(id, _)| has_answer(ledger, id));
        // A barrier tells silence from slowness long before the deadline does, so only the first part of the
        // waiting is done without one.
        let patience = self.settings.deadlines.answer.min(self.least_silence());
        if self.waited(patience, &all).await == Waiting::Met {
            return Ok(());
        }
        if self.session.is_gone() {
            return self.stop(&format!("the session ended at `{}`", stimulus.name));
        }
        let barrier = self.barrier().await;
        if all(self.session.ledger()) {
            // Late, but there: a slow subject and no silent one.
            return if barrier { Ok(()) } else { self.stop("the subject answers no more") };
        }
        if !barrier {
            return self.stop(&format!("nothing was answered after `{}`", stimulus.name));
        }
        self.silences += usize::from(stimulus.expect != Expect::Eventually);
        if self.is_planned() && self.silences >= SILENCES {
            return self.stop("too many requests that were cut were not answered");
        }
        Ok(())
    }

    /// Sends a request whose answer nobody needs, and goes on as soon as a request after it is answered. Silence is told
    /// from slowness by [`Driver::settle`].
    ///
    /// # Errors
    ///
    /// When neither it nor a barrier after it is answered.
    pub async fn ask_in_passing(
        &mut self,
        stimulus: Stimulus<'_>,
        id: &Id,
        request: &[u8],
    ) -> Result<(), Stopped> {
        if self.is_left_out(&stimulus) {
            return Ok(());
        }
        self.begin(&stimulus, request);
        self.send(request, Some(&stimulus)).await;
        let patience = self.glance();
        let sent = Instant::now();
        let id = id.clone();
        if self.session.wait(patience, |ledger| has_answer(ledger, &id)).await == Waiting::Met {
            return Ok(());
        }
        if self.session.is_gone() {
            return self.stop(&format!("the session ended at `{}`", stimulus.name));
        }
        if !self.barrier().await {
            return self.stop(&format!("nothing was answered after `{}`", stimulus.name));
        }
        if !has_answer(self.ledger(), &id) {
            self.unsettled = Some(sent);
        }
        Ok(())
    }

    /// Waits for what was asked in passing, until its silence means something.
    pub async fn settle(&mut self) {
        let Some(since) = self.unsettled.take() else { return };
        let patience = self.least_silence();
        let answered = |ledger: &Ledger| {
            let waiting = ledger.stimuli().iter().filter(|one| one.is_in_passing());
            let mut calls = waiting.flat_map(|one| &one.calls);
            calls.all(|call| !ledger.calls()[*call].answers.is_empty())
        };
        let left = patience.saturating_sub(since.elapsed());
        if self.session.wait(left, answered).await == Waiting::Expired {
            let millis = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
            self.session.mark(Mark::Settled { millis });
        }
    }

    /// Sends bytes and waits for nothing.
    pub async fn send_only(&mut self, stimulus: Stimulus<'_>, bytes: &[u8]) {
        self.begin(&stimulus, bytes);
        self.send(bytes, Some(&stimulus)).await;
    }

    /// Sends more bytes of the stimulus that was begun last.
    pub async fn send_more(&mut self, bytes: &[u8]) {
        self.send(bytes, None).await;
    }

    /// Whether nothing can come from the subject any more.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.session.is_gone()
    }

    /// Waits, whatever comes meanwhile.
    pub async fn rest(&mut self, time: Duration) {
        self.session.rest(time).await;
    }

    /// Waits until something can be read out of the session, and marks nothing.
    pub async fn rest_until(&mut self, time: Duration, met: impl Fn(&Ledger) -> bool) {
        self.session.wait(time, met).await;
    }

    /// Waits until something can be read out of the session; whether it came, and marks what came of waiting.
    pub async fn until(&mut self, patience: Duration, met: impl Fn(&Ledger) -> bool) -> bool {
        self.waited(patience, &met).await == Waiting::Met
    }

    /// Sends a request that every subject answers, and stops when it is not answered.
    ///
    /// # Errors
    ///
    /// When it is not answered.
    pub async fn check_liveness(&mut self, place: &str) -> Result<(), Stopped> {
        if self.barrier().await {
            Ok(())
        } else {
            self.stop(&format!("nothing was answered after {place}"))
        }
    }

    /// Sends bytes that call for no answer, then a barrier that shows that they were read.
    ///
    /// # Errors
    ///
    /// When the barrier is not answered.
    pub async fn tell(&mut self, stimulus: Stimulus<'_>, bytes: &[u8]) -> Result<(), Stopped> {
        self.begin(&stimulus, bytes);
        self.send(bytes, Some(&stimulus)).await;
        if self.barrier().await {
            return Ok(());
        }
        let variant = &stimulus.variant;
        self.stop(&format!("nothing was answered after `{}`, {variant}", stimulus.name))
    }

    /// The answer to a request, if it has come.
    #[must_use]
    pub fn answer(&self, id: &Id) -> Option<&Facts> {
        let ledger = self.session.ledger();
        let answer = ledger.call(id)?.answers.first()?;
        ledger.received()[answer.frame].messages().get(answer.element)
    }

    /// Ends the session and gives its record, and what can be read out of it.
    pub async fn end(self) -> (Transcript, Ledger) {
        let Deadlines { exit, exit_at_start, .. } = self.settings.deadlines;
        let exit = if self.ledger().sent().is_empty() { exit_at_start } else { exit };
        self.session.end(self.end_variant, exit, self.open_calls).await
    }

    /// Marks where the scenario had to stop.
    pub fn stop<T>(&mut self, place: &str) -> Result<T, Stopped> {
        self.session.mark(Mark::Stopped(place.into()));
        Err(Stopped)
    }

    /// Whether the session is held for another stimulus of the same name, whose silence costs its time.
    fn is_left_out(&self, stimulus: &Stimulus<'_>) -> bool {
        let mut alike =
            self.settings.only.iter().filter(|one| one.name == stimulus.name).peekable();
        stimulus.expect == Expect::Judged
            && alike.peek().is_some()
            && alike.all(|one| one.variant != stimulus.variant)
    }

    fn begin(&mut self, stimulus: &Stimulus<'_>, bytes: &[u8]) {
        let prefix = if self.is_planned() { PLANNED } else { "" };
        let cuts = self.settings.plan_for(Some(stimulus)).cuts(&framed(bytes)).len();
        self.session.mark(Mark::Stimulus {
            name: format!("{prefix}{}", stimulus.name),
            variant: stimulus.variant.clone(),
            expect: stimulus.expect,
            cuts,
        });
    }

    /// Sends a line, or lines, with the line end of the last in the same chunk as its last byte.
    async fn send(&mut self, bytes: &[u8], stimulus: Option<&Stimulus<'_>>) {
        let patience = self.settings.deadlines.answer;
        let plan = self.settings.plan_for(stimulus);
        self.session.send(&framed(bytes), &plan, patience).await;
    }

    async fn answered(&mut self, id: &Id, patience: Duration) -> Waiting {
        self.waited(patience, &|ledger: &Ledger| has_answer(ledger, id)).await
    }

    async fn waited(&mut self, patience: Duration, met: &impl Fn(&Ledger) -> bool) -> Waiting {
        let waiting = self.session.wait(patience, met).await;
        let millis = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        self.session.mark(Mark::Waited { millis, expired: waiting == Waiting::Expired });
        waiting
    }

    /// Sends a request that every subject answers; whether it was.
    async fn barrier(&mut self) -> bool {
        self.session.mark(Mark::Barrier);
        let id = self.id();
        let request = self.liveness(&id);
        self.send(&request, None).await;
        self.answered(&id, self.settings.deadlines.answer).await == Waiting::Met
    }

    /// A request that every subject answers.
    fn liveness(&self, id: &Id) -> Vec<u8> {
        let (method, params) = self.dialect.liveness.clone();
        self.dialect.request(id, method, Some(params).filter(|params| !params.is_null()))
    }

    /// How long an answer is waited for that nobody needs.
    fn glance(&self) -> Duration {
        let median = self.session.ledger().median_answer().map(Duration::from_micros);
        (median.unwrap_or_default() * 10).clamp(GLANCE, self.settings.deadlines.silence)
    }

    /// How long silence has to last to mean something: the least there is, or ten times what answers take here.
    fn least_silence(&self) -> Duration {
        let median = self.session.ledger().median_answer().map(Duration::from_micros);
        self.settings.deadlines.silence.max(median.unwrap_or_default() * 10)
    }
}

impl Settings {
    /// Whether a step of the scenario belongs to the session.
    #[must_use]
    pub fn wants(&self, step: usize) -> bool {
        self.only.is_empty() || self.only.iter().any(|one| one.step == step)
    }

    /// How a stimulus, or what stands beside one, is cut.
    fn plan_for(&self, stimulus: Option<&Stimulus<'_>>) -> SplitPlan {
        if self.cuts.is_empty() {
            let own = stimulus.map(|stimulus| &stimulus.plan);
            return own.filter(|own| **own != SplitPlan::Whole).unwrap_or(&self.plan).clone();
        }
        let wanted = |one: &Stimulus<'_>| {
            self.only.iter().any(|only| only.name == one.name && only.variant == one.variant)
        };
        if stimulus.is_some_and(wanted) {
            SplitPlan::At(self.cuts.clone())
        } else {
            SplitPlan::Whole
        }
    }
}

fn has_answer(ledger: &Ledger, id: &Id) -> bool {
    ledger.call(id).is_some_and(|call| !call.answers.is_empty())
}

/// The bytes as they go over the pipe: with the line end, in one run.
fn framed(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 1);
    if line::encode(bytes, &mut out).is_err() {
        // Several lines, or a malformed one: sent as they are.
        out.clear();
        out.extend_from_slice(bytes);
        out.push(b'\n');
    }
    out
}
