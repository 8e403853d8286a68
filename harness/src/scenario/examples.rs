//! The examples of the JSON-RPC 2.0 specification, sent as they stand there, and what else any server has to bear.

use serde_json::Value;

use super::driver::Stimulus;
use super::{Driver, Scenario, Step, Stopped, bearing, conversation, walk};
use crate::campaign::Profile;
use crate::protocol::Protocol;
use crate::protocol::jsonrpc::EXAMPLES;
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "examples",
    about: "ids, notifications, and the examples of the specification",
    profile: Profile::Quick,
    protocols: &[Protocol::JsonRpc],
    stimuli: &["id", "unknown-method", "notification", "example", "pipelined", "crlf"],
    steps: SAID.len() + BORNE.len(),
    run: |driver, part| Box::pin(converse(driver, part)),
    ..Scenario::BASE
};

/// What is said in every session, however it is cut.
const SAID: &[Step] = &[
    |driver| Box::pin(conversation::ids(driver)),
    |driver| Box::pin(conversation::unknown_method(driver)),
    |driver| Box::pin(conversation::notifications(driver)),
    |driver| Box::pin(examples(driver)),
];

/// What has nothing to do with cuts.
const BORNE: &[Step] =
    &[|driver| Box::pin(bearing::pipelined(driver)), |driver| Box::pin(bearing::line_ends(driver))];

async fn converse(driver: &mut Driver, part: usize) -> Result<(), Stopped> {
    driver.open().await?;
    let borne = if driver.is_planned() { &[] } else { BORNE };
    walk(driver, &[SAID, borne].concat(), part).await
}

/// Each example is one line; what it is answered with may be one line or none.
async fn examples(driver: &mut Driver) -> Result<(), Stopped> {
    for example in EXAMPLES.iter() {
        let request: Option<Value> = serde_json::from_str(&example.request).ok();
        let is_batch = request.as_ref().is_none_or(Value::is_array);
        let expect = if is_batch { Expect::Free } else { Expect::Judged };
        let stimulus = Stimulus::new("example", expect).variant(example.name.as_str());
        driver.tell(stimulus, example.request.as_bytes()).await?;
    }
    Ok(())
}
