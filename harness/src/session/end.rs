//! The end of a session: stdin closed, the exit awaited, force if it must be, and a look at what is left.

use std::time::{Duration, Instant};

use pipeproof_transport::connection::{Ladder, Signal};

use super::{DRAIN, Session, Step, left};
use crate::ledger::Ledger;
use crate::transcript::{Expect, Fact, Mark, Transcript};

/// How long a process is given that still works on a call: its exit is not judged then.
const WITH_OPEN_CALLS: Duration = Duration::from_millis(500);

/// How long a process may take to go after each signal.
const AFTER_SIGNAL: Duration = Duration::from_secs(1);

/// What becomes of the calls that are open when the input ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenCalls {
    /// Nobody waits for them.
    #[default]
    Abandoned,
    /// Their answers are the matter.
    Awaited,
}

impl Session {
    /// Ends the session and gives its record. Stdin is closed and the process given `patience` to go by itself, less
    /// where calls are open whose end nobody waits for; then its group is sent SIGTERM, then SIGKILL. When this returns
    /// the process is reaped.
    pub async fn end(
        mut self,
        variant: &str,
        patience: Duration,
        open_calls: OpenCalls,
    ) -> (Transcript, Ledger) {
        let mut family = left::descendants(self.child.pid());
        let busy = self.ledger.calls().iter().any(|call| call.answers.is_empty());
        let cut_short = busy && open_calls == OpenCalls::Abandoned;
        let patience = if cut_short { patience.min(WITH_OPEN_CALLS) } else { patience };
        if self.exit.is_none() && !self.stop.is_stopped() {
            self.mark(Mark::Stimulus {
                name: "end-of-input".into(),
                variant: variant.into(),
                expect: Expect::Free,
                cuts: 0,
            });
            self.mark(Mark::Shutdown);
            self.close_stdin();
            let gone = self.until_exit(patience).await;
            if !self.stop.is_stopped() {
                let millis = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
                self.mark(Mark::Waited { millis, expired: !gone });
            }
        } else {
            self.mark(Mark::Rest);
            self.mark(Mark::Shutdown);
            self.close_stdin();
        }
        // Before force, so that what is forced is known, and what is not can be found again.
        family.extend(left::descendants(self.child.pid()));
        for signal in [Signal::Terminate, Signal::Kill] {
            if self.exit.is_some() {
                break;
            }
            let user_waits = self.stop.is_stopped();
            if user_waits && signal == Signal::Terminate {
                continue;
            }
            let _gone_meanwhile = self.child.signal_group(signal);
            self.record(Fact::Signalled(signal.name().into()));
            self.until_exit_even_if_stopped(AFTER_SIGNAL).await;
        }
        self.drain().await;
        let left = left::sweep(self.child.pid(), &family, &self.mark);
        self.record(if left.is_empty() { Fact::NothingLeft } else { Fact::Left(left) });
        // Until here the leader's pid was kept from being given to anybody else.
        let _reaped = self.child.shutdown(&Ladder::kill()).await;
        self.ledger.finish();
        let events = std::mem::take(&mut self.events);
        (Transcript { header: self.header.clone(), events }, std::mem::take(&mut self.ledger))
    }

    fn close_stdin(&mut self) {
        if self.stdin.take().is_some() {
            self.record(Fact::StdinClosed);
        }
    }

    async fn until_exit(&mut self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        while self.exit.is_none() {
            match self.step(None, deadline).await {
                Step::Expired | Step::Stopped => break,
                Step::Wrote(_) | Step::Happened => {}
            }
        }
        self.exit.is_some()
    }

    /// The user's wish for the end must not end the waiting for the reaping itself.
    async fn until_exit_even_if_stopped(&mut self, patience: Duration) {
        let stop = std::mem::take(&mut self.stop);
        self.until_exit(patience).await;
        self.stop = stop;
    }

    /// Reads what is still in the pipes.
    async fn drain(&mut self) {
        let deadline = Instant::now() + DRAIN;
        let stop = std::mem::take(&mut self.stop);
        while self.stdout.is_some() || self.stderr.is_some() {
            if let Step::Expired = self.step(None, deadline).await {
                break;
            }
        }
        self.stop = stop;
    }
}
