//! What scenarios are written with: stimuli, barriers, deadlines, in the dialect of the subject.

use std::time::Duration;

use fastrand::Rng;
use pipeproof_transport::line;
use pipeproof_transport::message::Id;
use serde_json::Value;

use super::CallTools;
use crate::ledger::{Facts, Ledger, Shape};
use crate::protocol::Dialect;
use crate::session::{Session, Waiting};
use crate::split::SplitPlan;
use crate::transcript::{Expect, Mark, Transcript};

/// Ids that we choose for ourselves begin here, so that none is the twin of an id that a scenario tries out.
const FIRST_ID: u64 = 1001;

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// An answer.
    pub answer: Duration,
    /// The first answer of a process.
    pub start: Duration,
    /// The exit after the end of input.
    pub exit: Duration,
    /// How long silence has to last beside an answered barrier to mean something: a concurrent subject may answer
    /// out of order.
    pub silence: Duration,
}

/// A session with its dialect and deadlines: the pen that scenarios are written with.
#[derive(Debug)]
pub struct Driver {
    session: Session,
    dialect: Dialect,
    deadlines: Deadlines,
    call_tools: CallTools,
    rng: Rng,
    next: u64,
    end_variant: &'static str,
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
    pub fn new(
        session: Session,
        dialect: Dialect,
        deadlines: Deadlines,
        call_tools: CallTools,
        seed: u64,
    ) -> Self {
        let rng = Rng::with_seed(seed);
        Self {
            session,
            dialect,
            deadlines,
            call_tools,
            rng,
            next: FIRST_ID,
            end_variant: "after the session",
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

    /// Which tools may be called.
    #[must_use]
    pub fn call_tools(&self) -> CallTools {
        self.call_tools
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
        let id = Id::from(self.next);
        self.next += 1;
        id
    }

    /// Says how the end of input of this session differs from that of others.
    pub fn end_variant(&mut self, variant: &'static str) {
        self.end_variant = variant;
    }

    /// Opens the session as its dialect says.
    ///
    /// # Errors
    ///
    /// When the opening request is not answered by a result.
    pub async fn open(&mut self) -> Result<(), Stopped> {
        let opening = self.dialect.opening.clone();
        let id = self.id();
        let request = self.dialect.request(&id, opening.method, Some(opening.params));
        let stimulus = Stimulus::new(opening.stimulus, Expect::Judged);
        self.begin(&stimulus, &request);
        self.send(&request, &stimulus.plan).await;
        self.answered(&id, self.deadlines.start).await;
        match self.answer(&id).map(|facts| facts.shape) {
            Some(Shape::Error) => {
                return self.stop(&format!("{} was answered with an error", opening.method));
            }
            None => return self.stop(&format!("{} was not answered", opening.method)),
            Some(_) => {}
        }
        if let Some(then) = opening.then {
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
        self.send(request, &stimulus.plan).await;
        // A server that never answers it is asked the next question soon; a slow one answers both in the end.
        self.answered(id, self.deadlines.start / 4).await;
    }

    /// The result of the opening request.
    #[must_use]
    pub fn opening_result(&self) -> Option<Value> {
        let ledger = self.session.ledger();
        let method = self.dialect.opening.method;
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
        let mut stream = Vec::new();
        for (index, (_, request)) in requests.iter().enumerate() {
            if index > 0 {
                stream.push(b'\n');
            }
            stream.extend_from_slice(request);
        }
        self.begin(&stimulus, &stream);
        self.send(&stream, &stimulus.plan).await;
        let all = |ledger: &Ledger| requests.iter().all(|(id, _)| has_answer(ledger, id));
        // A barrier tells silence from slowness long before the deadline does, so only the first part of the
        // waiting is done without one.
        let patience = self.deadlines.answer.min(self.least_silence());
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
        if barrier {
            Ok(())
        } else {
            self.stop(&format!("nothing was answered after `{}`", stimulus.name))
        }
    }

    /// Sends bytes that call for no answer, then a barrier that shows that they were read.
    ///
    /// # Errors
    ///
    /// When the barrier is not answered.
    pub async fn tell(&mut self, stimulus: Stimulus<'_>, bytes: &[u8]) -> Result<(), Stopped> {
        self.begin(&stimulus, bytes);
        self.send(bytes, &stimulus.plan).await;
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
        let exit = self.deadlines.exit;
        self.session.end(self.end_variant, exit).await
    }

    /// Marks where the scenario had to stop.
    pub fn stop<T>(&mut self, place: &str) -> Result<T, Stopped> {
        self.session.mark(Mark::Stopped(place.into()));
        Err(Stopped)
    }

    fn begin(&mut self, stimulus: &Stimulus<'_>, bytes: &[u8]) {
        self.session.mark(Mark::Stimulus {
            name: stimulus.name.into(),
            variant: stimulus.variant.clone(),
            expect: stimulus.expect,
            cuts: stimulus.plan.cuts(&framed(bytes)).len(),
        });
    }

    /// Sends a line, or lines, with the line end of the last in the same chunk as its last byte.
    async fn send(&mut self, bytes: &[u8], plan: &SplitPlan) {
        let patience = self.deadlines.answer;
        self.session.send(&framed(bytes), plan, patience).await;
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
        let (method, params) = self.dialect.liveness.clone();
        let params = Some(params).filter(|params| !params.is_null());
        let request = self.dialect.request(&id, method, params);
        self.send(&request, &SplitPlan::Whole).await;
        self.answered(&id, self.deadlines.answer).await == Waiting::Met
    }

    /// How long silence has to last to mean something: the least there is, or ten times what answers take here.
    fn least_silence(&self) -> Duration {
        let median = self.session.ledger().median_answer().map(Duration::from_micros);
        self.deadlines.silence.max(median.unwrap_or_default() * 10)
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
