//! What takes its time: slow calls with their progress, questions to the client, and listening.
//!
//! Everything is a matter of when to write next; nothing here waits.

use std::time::{Duration, Instant};

use pipeproof_transport::message::Envelope;
use serde_json::{Value, json};

use super::Reply;
use super::asking;

/// How often a slow call tells of its progress.
const TICK: Duration = Duration::from_millis(50);
/// How long the client may take to answer a question.
const PATIENCE: Duration = Duration::from_secs(5);

/// Something whose reply comes later.
#[derive(Debug)]
pub(super) enum Later {
    /// Work for a while, and tell of the progress under this token.
    Slow { takes: Duration, token: Option<Value> },
    /// Wait for the client's answer to this request.
    Ask { method: &'static str, params: Value },
    /// Acknowledge, and reply when the input ends.
    Listen { filter: Value },
}

/// All that is open.
#[derive(Debug, Default)]
pub(super) struct Work {
    jobs: Vec<Job>,
    asked: usize,
}

#[derive(Debug)]
struct Job {
    /// The id of the request, as it stands.
    id: String,
    /// The reply that closes it.
    reply: Reply,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Slow { begun: Instant, takes: Duration, token: Option<Value>, told: u32 },
    Ask { question: String, until: Instant },
    Listen,
}

impl Work {
    /// Begins what is to be replied to later; what is written at once.
    pub(super) fn begin(&mut self, later: Later, id: &str, mut reply: Reply) -> Vec<Reply> {
        let begun = Instant::now();
        let (kind, first) = match later {
            Later::Slow { takes, token } => (Kind::Slow { begun, takes, token, told: 0 }, None),
            Later::Ask { method, params } => {
                self.asked += 1;
                let question = format!("ask-{}", self.asked);
                let request = Reply::request(&question, method, &params);
                (Kind::Ask { question, until: begun + PATIENCE }, Some(request))
            }
            Later::Listen { filter } => {
                let subscription: Value = serde_json::from_str(id).unwrap_or_default();
                let meta = json!({ "io.modelcontextprotocol/subscriptionId": subscription });
                reply = named(reply, &meta);
                let params = json!({ "_meta": meta, "notifications": filter });
                let method = "notifications/subscriptions/acknowledged";
                (Kind::Listen, Some(Reply::notification(method, &params)))
            }
        };
        self.jobs.push(Job { id: id.into(), reply, kind });
        first.into_iter().collect()
    }

    pub(super) fn next_due(&self) -> Option<Instant> {
        self.jobs.iter().filter_map(Job::next_due).min()
    }

    pub(super) fn due(&mut self, now: Instant) -> Vec<Reply> {
        let mut out = Vec::new();
        for job in &mut self.jobs {
            out.extend(job.progress(now));
        }
        let is_done = |job: &mut Job| match &job.kind {
            Kind::Slow { begun, takes, .. } => *begun + *takes <= now,
            Kind::Ask { until, .. } => *until <= now,
            Kind::Listen => false,
        };
        for job in self.jobs.extract_if(.., is_done) {
            out.push(match job.kind {
                Kind::Ask { .. } => asking::unanswered(job.reply),
                _ => job.reply,
            });
        }
        out
    }

    /// Stops what was begun for a request: nothing is written for it any more.
    pub(super) fn cancel(&mut self, id: Option<&Value>) {
        let Some(id) = id.map(ToString::to_string) else { return };
        self.jobs.retain(|job| job.id != id);
    }

    /// Takes in the client's answer to a question; the reply to the request that had asked it.
    pub(super) fn answered(&mut self, answer: &Envelope<'_>) -> Option<Reply> {
        let id: String = serde_json::from_str(answer.id?.get()).ok()?;
        let place = self
            .jobs
            .iter()
            .position(|job| matches!(&job.kind, Kind::Ask { question, .. } if *question == id))?;
        let reply = self.jobs.remove(place).reply;
        let result: Option<Value> =
            answer.result.and_then(|raw| serde_json::from_str(raw.get()).ok());
        Some(match result {
            Some(result) => asking::answered(reply, &result),
            None => asking::unanswered(reply),
        })
    }

    /// Closes everything: nobody can cancel or answer any more.
    pub(super) fn end(&mut self) -> Vec<Reply> {
        let replies = self.jobs.drain(..).map(|job| match job.kind {
            Kind::Ask { .. } => asking::unanswered(job.reply),
            _ => job.reply,
        });
        replies.collect()
    }
}

/// The reply whose result names its subscription as well.
fn named(reply: Reply, meta: &Value) -> Reply {
    let result: Option<Value> = reply.get("result").and_then(|raw| serde_json::from_str(raw).ok());
    let Some(mut result) = result else { return reply };
    if let (Some(own), Some(more)) = (result["_meta"].as_object_mut(), meta.as_object()) {
        own.extend(more.clone());
    }
    reply.with("result", result.to_string())
}

impl Job {
    fn next_due(&self) -> Option<Instant> {
        match &self.kind {
            Kind::Slow { begun, takes, told, token } => {
                let done = *begun + *takes;
                let tick = *begun + TICK * (told + 1);
                Some(if token.is_some() { tick.min(done) } else { done })
            }
            Kind::Ask { until, .. } => Some(*until),
            Kind::Listen => None,
        }
    }

    /// The progress that is to be told by now; none once the work is done.
    fn progress(&mut self, now: Instant) -> Option<Reply> {
        let Kind::Slow { begun, takes, token: Some(token), told } = &mut self.kind else {
            return None;
        };
        if *begun + TICK * (*told + 1) > now || *begun + *takes <= now {
            return None;
        }
        *told += 1;
        let total = takes.as_millis().div_ceil(TICK.as_millis());
        let params = json!({ "progressToken": token, "progress": told, "total": total });
        Some(Reply::notification("notifications/progress", &params))
    }
}
