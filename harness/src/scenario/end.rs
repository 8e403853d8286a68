//! The end of input before anything was said.

use super::Scenario;
use crate::campaign::Profile;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "end",
    about: "the end of input before any message",
    profile: Profile::Standard,
    stimuli: &["end-of-input"],
    part: 0,
    run: |driver, _| {
        Box::pin(async {
            driver.end_variant("before any message");
            Ok(())
        })
    },
};
