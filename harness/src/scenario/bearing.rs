//! What a subject has to bear: requests with odd members, many at once, a very long one, line ends of another system.

use pipeproof_transport::message::Id;
use serde_json::{Value, json};

use super::conversation::liveness;
use super::driver::Stimulus;
use super::features::declares;
use super::{Driver, Scenario, Step, Stopped, cancellation, walk};
use crate::protocol::Protocol;
use crate::transcript::Expect;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "bearing",
    about: "odd requests, many at once, a very long one, cancellations of nothing",
    protocols: &[Protocol::Mcp],
    stimuli: &[
        "odd-request",
        "unknown-meta",
        "large-message",
        "long-id",
        "crlf",
        "big-id",
        "pipelined",
        "cancel-unknown",
        "cancel-race",
    ],
    steps: STEPS.len(),
    run: |driver, part| Box::pin(bear(driver, part)),
    ..Scenario::BASE
};

const STEPS: &[Step] = &[
    |driver| Box::pin(odd_requests(driver)),
    |driver| Box::pin(pipelined(driver)),
    |driver| Box::pin(big_id(driver)),
    |driver| Box::pin(line_ends(driver)),
    |driver| Box::pin(large(driver)),
    |driver| Box::pin(long_id(driver)),
    |driver| Box::pin(cancellation::unknown(driver)),
    |driver| Box::pin(cancellation::race(driver)),
];

/// How many requests are sent in one write.
const PIPELINED: usize = 20;
/// The length of a long request in bytes: more than any pipe or read buffer holds.
const LARGE: usize = 1 << 20;
/// The length of a long id in bytes.
const LONG: usize = 70_000;

async fn bear(driver: &mut Driver, part: usize) -> Result<(), Stopped> {
    driver.open().await?;
    walk(driver, STEPS, part).await
}

/// Requests that are odd in one member, and yet have an id to be answered under.
pub(super) async fn odd_requests(driver: &mut Driver) -> Result<(), Stopped> {
    let (method, params) = liveness(driver);
    let params = params.unwrap_or_else(|| json!({}));
    let odd = [
        ("params is null", r#""method":"METHOD","params":null"#),
        ("params is an array", r#""method":"METHOD","params":[]"#),
        ("params is a string", r#""method":"METHOD","params":"x""#),
        ("a member that is not known", r#""method":"METHOD","params":PARAMS,"pipeproof":1"#),
    ];
    for (what, members) in odd {
        let id = driver.id();
        let members = members
            .replace("METHOD", method)
            .replace("PARAMS", &driver.dialect().params(&params).to_string());
        let request = format!(r#"{{"jsonrpc":"2.0","id":{},{members}}}"#, id.to_json());
        let stimulus = Stimulus::new("odd-request", Expect::Judged).variant(what);
        driver.ask_in_passing(stimulus, &id, request.as_bytes()).await?;
    }
    let (listing, params) = a_list(driver);
    let mut params = params;
    params["_meta"] = json!({ "com.example/pipeproof": 1 });
    let stimulus = Stimulus::new("unknown-meta", Expect::Answer).variant(listing);
    driver.ask(stimulus, listing, Some(params)).await.map(drop)
}

/// A request that lists something, or else one that is answered anyway.
fn a_list(driver: &Driver) -> (&'static str, Value) {
    let lists =
        [("/tools", "tools/list"), ("/resources", "resources/list"), ("/prompts", "prompts/list")];
    let method = lists.iter().find(|(pointer, _)| declares(driver, pointer));
    (method.map_or_else(|| driver.dialect().liveness.0, |(_, method)| *method), json!({}))
}

/// Twenty requests of several kinds in one write.
pub(super) async fn pipelined(driver: &mut Driver) -> Result<(), Stopped> {
    let (method, params) = liveness(driver);
    let (listing, listed) = a_list(driver);
    let kinds = [(method, params), (listing, Some(listed))];
    let requests: Vec<(Id, Vec<u8>)> = (0..PIPELINED)
        .map(|number| {
            let (method, params) = kinds[number % kinds.len()].clone();
            let id = driver.id();
            let request = driver.dialect().request(&id, method, params);
            (id, request)
        })
        .collect();
    let stimulus = Stimulus::new("pipelined", Expect::Answer).variant("20 requests in one write");
    driver.ask_all(stimulus, &requests).await
}

/// An id that a floating-point number cannot hold.
pub(super) async fn big_id(driver: &mut Driver) -> Result<(), Stopped> {
    let (method, params) = liveness(driver);
    let id = Id::from(9_007_199_254_740_993u64);
    let request = driver.dialect().request(&id, method, params);
    driver.ask_in_passing(Stimulus::new("big-id", Expect::Judged), &id, &request).await
}

/// A request that ends as lines end on another system.
pub(super) async fn line_ends(driver: &mut Driver) -> Result<(), Stopped> {
    let (method, params) = liveness(driver);
    let id = driver.id();
    let mut request = driver.dialect().request(&id, method, params);
    request.push(b'\r');
    driver.ask_all(Stimulus::new("crlf", Expect::Judged), &[(id, request)]).await
}

/// An id so long that the line that brings it back fits into no usual buffer.
async fn long_id(driver: &mut Driver) -> Result<(), Stopped> {
    let (method, params) = liveness(driver);
    let id = Id::from("i".repeat(LONG).as_str());
    let request = driver.dialect().request(&id, method, params);
    driver.ask_in_passing(Stimulus::new("long-id", Expect::Judged), &id, &request).await
}

/// A request of a mebibyte.
pub(super) async fn large(driver: &mut Driver) -> Result<(), Stopped> {
    let (method, params) = liveness(driver);
    let mut params = params.unwrap_or_else(|| json!({}));
    params["_meta"] = json!({ "com.example/padding": "x".repeat(LARGE) });
    let stimulus = Stimulus::new("large-message", Expect::Judged);
    driver.ask(stimulus, method, Some(params)).await.map(drop)
}
