//! Lines that are no valid message, each followed by a request that shows whether the subject still answers.

use super::driver::Stimulus;
use super::{Driver, Scenario, Stopped};
use crate::campaign::Profile;
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "malformed",
    about: "bad lines, and a request after each",
    profile: Profile::Standard,
    stimuli: &["malformed"],
    part: 0,
    run: |driver, part| Box::pin(malformed(driver, part)),
};

/// The bad lines, each with its name.
pub const LINES: &[(&str, &[u8])] = &[
    ("an empty line", b""),
    ("no JSON", b"hello, server"),
    ("a lone brace", b"{"),
    ("JSON that is cut off", br#"{"jsonrpc":"2.0","method":"pi"#),
    ("two values on one line", br#"{"jsonrpc":"2.0"} {"jsonrpc":"2.0"}"#),
    ("a number", b"42"),
    ("a string", br#""hello""#),
    ("null", b"null"),
    ("an empty array", b"[]"),
    ("an array of a number", b"[1]"),
    ("an empty object", b"{}"),
    ("a method that is a number", br#"{"jsonrpc":"2.0","id":"bad-1","method":1}"#),
    ("an id that is an object", br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#),
    ("no jsonrpc", br#"{"id":"bad-2","method":"ping"}"#),
    ("jsonrpc 1.0", br#"{"jsonrpc":"1.0","id":"bad-3","method":"ping"}"#),
    ("an answer to nothing", br#"{"jsonrpc":"2.0","id":"bad-4","result":{}}"#),
    ("bytes that are not UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\xfe\",\"method\":\"ping\"}"),
    ("a NUL", b"{\"jsonrpc\":\"2.0\",\x00\"id\":\"bad-5\",\"method\":\"ping\"}"),
];

/// `part` is the line to begin with: a subject that died at one is started again for the next.
async fn malformed(driver: &mut Driver, part: usize) -> Result<(), Stopped> {
    driver.open().await?;
    for (name, line) in LINES.iter().skip(part) {
        let stimulus = Stimulus::new("malformed", Expect::Free).variant(*name);
        driver.tell(stimulus, line).await?;
    }
    Ok(())
}
