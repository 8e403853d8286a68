//! What a scenario says of its own doing, so that a judge can tell a stimulus from its surroundings.

use serde::{Deserialize, Serialize};

/// What stands before the name of a stimulus in a session that a split plan cuts throughout, so that only checks of
/// cuts look at it.
pub const PLANNED: &str = "planned:";

/// A remark of the scenario. It names what was done, never a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// What is sent from here to the next `stimulus`, `barrier` or `rest` belongs to this stimulus.
    Stimulus {
        /// Its name, which checks ask for.
        name: String,
        /// Which of several it is, such as the malformed line or the split plan.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        variant: String,
        /// What kind of reaction the scenario waits for.
        expect: Expect,
        /// The cuts that the split plan put into it.
        #[serde(default, skip_serializing_if = "is_zero")]
        cuts: usize,
    },
    /// What follows is of this step of the scenario, counted from 0.
    Step(usize),
    /// What is sent from here on is a request whose answer shows that what came before it was read.
    Barrier,
    /// What is sent from here on is of no stimulus.
    Rest,
    /// The scenario waited for what it expected from the last stimulus or barrier.
    Waited {
        /// How long it was ready to wait, in milliseconds.
        millis: u64,
        /// Whether the time ran out.
        expired: bool,
    },
    /// What is not answered by now, although later requests were, is given up: this much time has passed since the last
    /// of it was sent.
    Settled {
        /// In milliseconds.
        millis: u64,
    },
    /// The subject is ready: the handshake of its protocol is complete.
    Open,
    /// The subject let the scenario not go on; the text says where it stopped.
    Stopped(String),
    /// The session is being ended; what comes now is of the shutdown.
    Shutdown,
}

/// The kind of reaction that a stimulus calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expect {
    /// A valid request of a known method: it must be answered, by a result or an error.
    Answer,
    /// A valid request whose work may take any time; silence alone proves nothing.
    Eventually,
    /// A valid request that a check of its own judges, silence included.
    Judged,
    /// Nothing may be answered.
    Silence,
    /// Anything may come; only what happens afterwards matters.
    Free,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
