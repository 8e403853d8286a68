//! The stateless era: every request says in its `_meta` which revision it is written in.

use serde_json::{Value, json};

use super::features::{Features, LEVELS};
use super::reply::{INVALID_PARAMS, Refusal};
use super::work::Later;
use super::{Answer, Members, not_found, server_info};
use crate::protocol::mcp::MODERN;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The request is written in a revision that is not served.
const UNSUPPORTED_VERSION: i64 = -32022;

/// Methods whose results a client may keep.
const CACHEABLE: &[&str] = &[
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

/// Whether parameters are those of a request of this era.
pub(super) fn is_meant(params: &Members) -> bool {
    params.get("_meta").and_then(|meta| meta.get(VERSION)).is_some()
}

/// Answers a request.
pub(super) fn answer(
    features: &mut Features,
    method: &str,
    params: Result<Members, Refusal>,
) -> Answer {
    let own = ["server/discover", "subscriptions/listen"];
    let known = own.contains(&method) || Features::METHODS.contains(&method);
    let meta = params.as_ref().ok().and_then(|params| params.get("_meta"));
    let version = meta.and_then(|meta| meta.get(VERSION)).and_then(Value::as_str);
    let revision = match version {
        Some(version) => match MODERN.iter().find(|served| **served == version) {
            Some(served) => *served,
            None => return Err(unsupported(version)),
        },
        None if known => {
            return Err(params.err().unwrap_or_else(|| {
                Refusal::new(INVALID_PARAMS, format!("_meta lacks {VERSION}, a string"))
            }));
        }
        // A client of the other era learns what it should have spoken.
        None => {
            let refusal = not_found(method);
            return Err(refusal.with_data(json!({ "supported": MODERN })));
        }
    };
    if !known {
        return Err(not_found(method));
    }
    if !meta.and_then(|meta| meta.get(CAPABILITIES)).is_some_and(Value::is_object) {
        return Err(Refusal::new(INVALID_PARAMS, format!("_meta lacks {CAPABILITIES}, an object")));
    }
    features.stateless = true;
    features.client = meta.and_then(|meta| meta.get(CAPABILITIES)).cloned().unwrap_or_default();
    features.level = match meta.and_then(|meta| meta.get(LOG_LEVEL)) {
        None => None,
        Some(level) => Some(rank(level)?),
    };
    let mut result = match method {
        "server/discover" => discover(features, revision),
        "subscriptions/listen" => listen(features, &params?)?,
        // An unknown resource is a bad parameter like others.
        _ => features.answer(method, &params?, revision, INVALID_PARAMS)?,
    };
    result.entry("resultType").or_insert_with(|| json!("complete"));
    result.insert("_meta".into(), json!({ SERVER_INFO: server_info() }));
    if CACHEABLE.contains(&method) {
        result.insert("ttlMs".into(), json!(0));
        result.insert("cacheScope".into(), json!("private"));
    }
    Ok(result)
}

/// The level from which on a request wants to be told.
fn rank(level: &Value) -> Result<usize, Refusal> {
    let known = LEVELS.iter().position(|own| level == own);
    known.ok_or_else(|| Refusal::new(INVALID_PARAMS, "logLevel is none that is known"))
}

/// Listens for what is declared to change; nothing else is acknowledged. Nothing changes here, but that is no promise.
fn listen(features: &mut Features, params: &Members) -> Answer {
    let Some(wanted) = params.get("notifications").and_then(Value::as_object) else {
        return Err(Refusal::new(INVALID_PARAMS, "notifications is not an object"));
    };
    let tools = wanted.get("toolsListChanged") == Some(&json!(true));
    let filter = if tools { json!({ "toolsListChanged": true }) } else { json!({}) };
    features.later = Some(Later::Listen { filter });
    Ok(Members::new())
}

fn discover(features: &Features, revision: &str) -> Members {
    let mut result = Members::new();
    result.insert("supportedVersions".into(), json!(MODERN));
    let mut capabilities = features.capabilities(revision);
    capabilities.insert("tools".into(), json!({ "listChanged": true }));
    capabilities.insert("logging".into(), json!({}));
    result.insert("capabilities".into(), json!(capabilities));
    result
}

fn unsupported(requested: &str) -> Refusal {
    Refusal::new(UNSUPPORTED_VERSION, "unsupported protocol version")
        .with_data(json!({ "supported": MODERN, "requested": requested }))
}
