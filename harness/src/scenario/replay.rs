//! One request again, in other pieces: what the search for the smallest failing split plan is made of.

use super::driver::Stimulus;
use super::{Driver, Scenario, Stopped};
use crate::ledger::Ledger;
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "replay",
    about: "one request again, in other pieces",
    stimuli: &["replay"],
    run: |driver, _| Box::pin(replay(driver)),
    ..Scenario::BASE
};

async fn replay(driver: &mut Driver) -> Result<(), Stopped> {
    driver.open().await?;
    let Some(replay) = driver.settings().replay.clone() else { return Ok(()) };
    let variant = format!("{} {}", replay.stimulus, replay.variant);
    let stimulus = Stimulus::new("replay", Expect::Free).variant(variant.trim()).cut(replay.plan);
    driver.send_only(stimulus, &replay.request).await;
    let answered = |ledger: &Ledger| {
        let call = ledger.calls().last();
        call.is_none_or(|call| !call.answers.is_empty())
    };
    let patience = driver.settings().deadlines.silence;
    driver.until(patience, answered).await;
    driver.check_liveness("the request").await
}
