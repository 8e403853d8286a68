//! Plain JSON-RPC 2.0, one message a line: no handshake, no capabilities, no method that every server knows.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Client, Dialect, Era};

/// The protocol's name in ids and reports.
pub const NAME: &str = "jsonrpc";

/// Its only revision.
pub const REVISION: &str = "2.0";

/// A method that no server is likely to have, so that every server answers it: with an error.
pub const UNKNOWN_METHOD: &str = "pipeproof.no-such-method";

/// How a server is spoken to.
#[must_use]
pub fn dialect() -> Dialect {
    Dialect {
        protocol: NAME,
        era: Era::Plain,
        revision: REVISION.into(),
        opening: None,
        // The specification has no request that every server answers with a result; an error is an answer too.
        liveness: (UNKNOWN_METHOD, json!([])),
        meta: None,
        client: Client::new(Value::Null),
        negotiated: |_| None,
    }
}

/// An example of the specification: a line, and what is answered to it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What it shows.
    pub name: String,
    /// Which of several kinds it is: `calls`, `notifications`, `errors` or `batches`.
    pub group: String,
    /// The methods that the server has to have.
    #[serde(default)]
    pub needs: Vec<String>,
    /// What is sent, without the line end.
    pub request: String,
    /// What is answered; absent: nothing.
    #[serde(default)]
    pub answer: Option<String>,
}

/// The examples of the specification, in its order.
pub static EXAMPLES: LazyLock<Vec<Example>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct File {
        example: Vec<Example>,
    }
    let file: File = toml::from_str(include_str!("jsonrpc-examples.toml"))
        .expect("the built-in examples are read by the tests of this module");
    file.example
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_specification_has_fifteen_examples() {
        assert_eq!(EXAMPLES.len(), 15);
        for example in EXAMPLES.iter() {
            let answer = example.answer.as_ref();
            let reads = answer.is_none_or(|text| serde_json::from_str::<Value>(text).is_ok());
            assert!(reads, "{}", example.name);
        }
    }
}
