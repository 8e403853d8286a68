//! The same request, cut in every way that a pipe can cut it.

use pipeproof_transport::message::Id;

use super::conversation::liveness;
use super::driver::Stimulus;
use super::{Driver, Scenario, Stopped};
use crate::campaign::Profile;
use crate::split::SplitPlan;
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "cuts",
    about: "requests byte by byte, cut inside characters, two in one write",
    profile: Profile::Quick,
    stimuli: &["cut-whole", "cut-bytes", "cut-characters", "joined"],
    part: 0,
    run: |driver, _| Box::pin(cut(driver)),
};

/// Characters of two, three and four bytes, which an answer has to bring back in its id.
const CHARACTERS: &str = "é€😀ß—水";

async fn cut(driver: &mut Driver) -> Result<(), Stopped> {
    driver.open().await?;
    let plans = [
        ("cut-whole", SplitPlan::Whole),
        ("cut-bytes", SplitPlan::Every(1)),
        ("cut-characters", SplitPlan::InsideCharacters),
    ];
    let (method, params) = liveness(driver);
    for (name, plan) in plans {
        let id = Id::from(format!("{name} {CHARACTERS}").as_str());
        let stimulus = Stimulus::new(name, Expect::Answer).variant(plan.to_string()).cut(plan);
        driver.ask_with(stimulus, &id, method, params.clone()).await?;
    }
    // Each place alone as well: a reader that fails at one place may get by at many.
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
    let pair: Vec<(Id, Vec<u8>)> = ["first", "second"]
        .map(|name| Id::from(format!("{name} of two {CHARACTERS}").as_str()))
        .map(|id| (id.clone(), driver.dialect().request(&id, method, params.clone())))
        .into();
    let stimulus = Stimulus::new("joined", Expect::Answer).variant("two requests in one write");
    driver.ask_all(stimulus, &pair).await
}
