//! The steps of a shutdown, as a state machine without a clock.
//!
//! It says what to do next and until when to wait; sending signals and waiting are the child's.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

/// The steps that end a child, gentle ones first.
///
/// The default closes stdin, waits 2 s, sends SIGTERM to the process group, waits 2 s, sends
/// SIGKILL to the group and waits 5 s for the kernel to let go. As soon as the child is seen to
/// have ended, what is left of its group is killed and no further step is taken.
///
/// # Example
///
/// ```
/// use std::time::Duration;
/// use pipeproof_transport::connection::{Action, Ladder, Signal};
///
/// let second = Duration::from_secs(1);
/// let ladder = Ladder::new().close_stdin(second).signal(Signal::Terminate, second).then_kill();
/// let mut descent = ladder.descend();
/// assert_eq!(descent.next(Duration::ZERO), Action::CloseStdin);
/// assert_eq!(descent.next(Duration::ZERO), Action::Wait { until: second });
/// assert_eq!(descent.next(second), Action::Signal(Signal::Terminate));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder {
    rungs: Vec<(Step, Duration)>,
}

/// How long a killed child may take to be gone: it can be inside the kernel.
const REAP: Duration = Duration::from_secs(5);

/// One thing that a shutdown does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Close the child's stdin, if it was not taken.
    CloseStdin,
    /// Send a signal to the child's process group.
    Signal(Signal),
}

/// The signals that a shutdown may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Signal {
    /// SIGHUP.
    Hangup,
    /// SIGINT.
    Interrupt,
    /// SIGQUIT.
    Quit,
    /// SIGTERM.
    Terminate,
    /// SIGSTOP.
    Stop,
    /// SIGCONT.
    Continue,
    /// SIGKILL.
    Kill,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Close the child's stdin.
    CloseStdin,
    /// Send this signal to the group.
    Signal(Signal),
    /// Wait for the child's end, at most until then.
    Wait {
        /// On the clock that `next` is asked with.
        until: Duration,
    },
    /// There is no step left.
    GiveUp,
}

/// A ladder on the way down.
#[derive(Clone, Debug)]
pub struct Descent {
    left: VecDeque<(Step, Duration)>,
    deadline: Option<Duration>,
}

impl Default for Ladder {
    fn default() -> Self {
        let patience = Duration::from_secs(2);
        Self::new().close_stdin(patience).signal(Signal::Terminate, patience).then_kill()
    }
}

impl Ladder {
    /// A ladder without steps.
    #[must_use]
    pub const fn new() -> Self {
        Self { rungs: Vec::new() }
    }

    /// SIGKILL at once.
    #[must_use]
    pub fn kill() -> Self {
        Self::new().then_kill()
    }

    /// SIGTERM and nothing more, as the JavaScript client does; a child that ignores it stays
    /// until it is dropped.
    #[must_use]
    pub fn term_only(wait: Duration) -> Self {
        Self::new().signal(Signal::Terminate, wait)
    }

    /// Adds: close stdin, then wait.
    #[must_use]
    pub fn close_stdin(self, wait: Duration) -> Self {
        self.step(Step::CloseStdin, wait)
    }

    /// Adds: send a signal to the group, then wait.
    #[must_use]
    pub fn signal(self, signal: Signal, wait: Duration) -> Self {
        self.step(Step::Signal(signal), wait)
    }

    /// Adds: SIGKILL to the group, then wait for the kernel to let go of the child.
    #[must_use]
    pub fn then_kill(self) -> Self {
        self.step(Step::Signal(Signal::Kill), REAP)
    }

    /// Adds any step.
    #[must_use]
    pub fn step(mut self, step: Step, wait: Duration) -> Self {
        self.rungs.push((step, wait));
        self
    }

    /// The steps, each with the wait after it.
    #[must_use]
    pub fn steps(&self) -> &[(Step, Duration)] {
        &self.rungs
    }

    /// Starts at the first step.
    #[must_use]
    pub fn descend(&self) -> Descent {
        Descent { left: self.rungs.iter().copied().collect(), deadline: None }
    }
}

impl Descent {
    /// What to do at `now`, a time on any clock that does not go back.
    ///
    /// Each step is given out once; after it comes the wait until its deadline has passed.
    pub fn next(&mut self, now: Duration) -> Action {
        if let Some(until) = self.deadline
            && now < until
        {
            return Action::Wait { until };
        }
        let Some((step, wait)) = self.left.pop_front() else { return Action::GiveUp };
        self.deadline = Some(now.saturating_add(wait));
        match step {
            Step::CloseStdin => Action::CloseStdin,
            Step::Signal(signal) => Action::Signal(signal),
        }
    }
}

impl Signal {
    /// The name as in `signal(7)`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hangup => "SIGHUP",
            Self::Interrupt => "SIGINT",
            Self::Quit => "SIGQUIT",
            Self::Terminate => "SIGTERM",
            Self::Stop => "SIGSTOP",
            Self::Continue => "SIGCONT",
            Self::Kill => "SIGKILL",
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn each_step_waits_out_its_time_and_comes_once() {
        let ladder =
            Ladder::new().close_stdin(ms(100)).signal(Signal::Terminate, ms(50)).then_kill();
        let mut descent = ladder.descend();
        for (now, action) in [
            (0, Action::CloseStdin),
            (0, Action::Wait { until: ms(100) }),
            (99, Action::Wait { until: ms(100) }),
            (120, Action::Signal(Signal::Terminate)),
            (120, Action::Wait { until: ms(170) }),
            (170, Action::Signal(Signal::Kill)),
            (170, Action::Wait { until: ms(5170) }),
            (5170, Action::GiveUp),
            (6000, Action::GiveUp),
        ] {
            assert_eq!(descent.next(ms(now)), action, "at {now} ms");
        }
    }

    #[test]
    fn default_ends_with_a_kill() {
        assert_eq!(
            Ladder::default().steps().last().map(|rung| rung.0),
            Some(Step::Signal(Signal::Kill))
        );
    }

    #[test]
    fn an_empty_ladder_gives_up_at_once() {
        assert_eq!(Ladder::new().descend().next(Duration::ZERO), Action::GiveUp);
    }
}
