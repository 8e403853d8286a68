//! The Model Context Protocol over stdio: its revisions, its two eras, and how each is opened.

use serde_json::{Value, json};

use super::{Client, Dialect, Era, Opening};
use crate::ledger::Ledger;

/// The protocol's name in ids and reports.
pub const NAME: &str = "mcp";

/// The released revisions of the legacy era, oldest first.
pub const LEGACY: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The released revisions of the modern era, oldest first.
pub const MODERN: &[&str] = &["2026-07-28"];

/// How a server is spoken to at a revision of the legacy era.
#[must_use]
pub fn legacy(revision: &str) -> Dialect {
    Dialect {
        protocol: NAME,
        era: Era::Legacy,
        revision: revision.into(),
        opening: Some(Opening {
            stimulus: "initialize",
            method: "initialize",
            params: json!({
                "protocolVersion": revision,
                "capabilities": {},
                "clientInfo": client(),
            }),
            then: Some("notifications/initialized"),
        }),
        liveness: ("ping", Value::Null),
        meta: None,
        client: Client::new(json!({})),
        negotiated: answered_version,
    }
}

/// How a server is spoken to at a revision of the modern era.
#[must_use]
pub fn modern(revision: &str) -> Dialect {
    Dialect {
        protocol: NAME,
        era: Era::Modern,
        revision: revision.into(),
        opening: Some(Opening {
            stimulus: "discover",
            method: "server/discover",
            params: json!({}),
            then: None,
        }),
        liveness: ("server/discover", json!({})),
        meta: Some(json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": client(),
        })),
        client: Client::new(json!({})),
        // Each request names its own.
        negotiated: |_| None,
    }
}

/// The dialect of the handshake era at its newest revision.
#[must_use]
pub fn newest_legacy() -> Dialect {
    legacy(LEGACY[LEGACY.len() - 1])
}

/// The dialect of the stateless era at its newest revision.
#[must_use]
pub fn newest_modern() -> Dialect {
    modern(MODERN[MODERN.len() - 1])
}

/// The dialect of a released revision; `None` when there is no such revision.
#[must_use]
pub fn dialect(revision: &str) -> Option<Dialect> {
    if LEGACY.contains(&revision) {
        Some(legacy(revision))
    } else if MODERN.contains(&revision) {
        Some(modern(revision))
    } else {
        None
    }
}

/// Everything that a client of a revision can declare.
#[must_use]
pub fn all_capabilities(revision: &str) -> Value {
    // What a client declares is no closed set.
    let mut all = json!({
        "roots": {},
        "sampling": {},
        "experimental": { "com.example/pipeproof": {} },
        "com.example/pipeproof": {},
    });
    if revision >= "2025-06-18" {
        all["elicitation"] = json!({});
    }
    all
}

/// Whether the result of `server/discover` is that of a server of the modern era, if perhaps a faulty one.
#[must_use]
pub fn is_modern(result: &Value) -> bool {
    ["supportedVersions", "resultType"].iter().any(|member| result.get(member).is_some())
}

/// The revision that the subject answered `initialize` with, where it is one that we know.
fn answered_version(ledger: &Ledger) -> Option<String> {
    let call = ledger.calls().iter().find(|call| call.method == "initialize")?;
    let answer = call.answers.first()?;
    let result = ledger.received()[answer.frame].messages()[answer.element].result_value()?;
    let revision = result.get("protocolVersion")?.as_str()?;
    LEGACY.contains(&revision).then(|| revision.to_string())
}

fn client() -> Value {
    json!({ "name": "pipeproof", "version": env!("CARGO_PKG_VERSION") })
}
