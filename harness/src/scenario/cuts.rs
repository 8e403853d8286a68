//! The same request, cut in every way that a pipe can cut it.

use pipeproof_transport::message::Id;

use super::conversation::liveness;
use super::driver::Stimulus;
use super::{Driver, Scenario, Step, Stopped, walk};
use crate::campaign::Profile;
use crate::split::SplitPlan;
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "cuts",
    about: "requests byte by byte, cut inside characters, two in one write",
    profile: Profile::Quick,
    stimuli: &["cut-whole", "cut-bytes", "cut-characters", "joined"],
    steps: STEPS.len(),
    run: |driver, part| Box::pin(cut(driver, part)),
    ..Scenario::BASE
};

const STEPS: &[Step] = &[
    |driver| Box::pin(with_plan(driver, "cut-bytes", SplitPlan::Every(1))),
    |driver| Box::pin(with_plan(driver, "cut-characters", SplitPlan::InsideCharacters)),
    |driver| Box::pin(alone(driver)),
    |driver| Box::pin(joined(driver)),
];

/// Characters of two, three and four bytes, which an answer has to bring back in its id.
const CHARACTERS: &str = "é€😀ß—水";

async fn cut(driver: &mut Driver, part: usize) -> Result<(), Stopped> {
    driver.open().await?;
    // In every process: what is not answered whole is not the fault of the pieces.
    with_plan(driver, "cut-whole", SplitPlan::Whole).await?;
    walk(driver, STEPS, part).await
}

async fn with_plan(driver: &mut Driver, name: &str, plan: SplitPlan) -> Result<(), Stopped> {
    let (method, params) = liveness(driver);
    let id = Id::from(format!("{name} {CHARACTERS}").as_str());
    let stimulus = Stimulus::new(name, Expect::Answer).variant(plan.to_string()).cut(plan);
    driver.ask_with(stimulus, &id, method, params).await
}

/// Each place inside a character alone: a reader that fails at one place may get by at many.
async fn alone(driver: &mut Driver) -> Result<(), Stopped> {
    let (method, params) = liveness(driver);
    let id = Id::from(format!("alone {CHARACTERS}").as_str());
    let places =
        SplitPlan::InsideCharacters.cuts(&driver.dialect().request(&id, method, params.clone()));
    for (number, place) in places.into_iter().enumerate() {
        let id = Id::from(format!("{number:05} {CHARACTERS}").as_str());
        let plan = SplitPlan::At(vec![place]);
        let stimulus =
            Stimulus::new("cut-characters", Expect::Answer).variant(plan.to_string()).cut(plan);
        driver.ask_with(stimulus, &id, method, params.clone()).await?;
        if driver.answer(&id).is_none() {
            // One silence is proof enough, and each takes its time.
            break;
        }
    }
    Ok(())
}

async fn joined(driver: &mut Driver) -> Result<(), Stopped> {
    let (method, params) = liveness(driver);
    let pair: Vec<(Id, Vec<u8>)> = ["first", "second"]
        .map(|name| Id::from(format!("{name} of two {CHARACTERS}").as_str()))
        .map(|id| (id.clone(), driver.dialect().request(&id, method, params.clone())))
        .into();
    let stimulus = Stimulus::new("joined", Expect::Answer).variant("two requests in one write");
    driver.ask_all(stimulus, &pair).await
}
