//! The era of the handshake: `initialize` first, then requests at the revision that was agreed upon.

use serde_json::json;

use super::features::Features;
use super::reply::{INVALID_PARAMS, INVALID_REQUEST, Refusal};
use super::{Answer, Members, not_found, server_info};
use crate::protocol::mcp::LEGACY;

/// An unknown resource, which has a code of its own in this era.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// The levels that a client can ask to be logged from.
const LEVELS: &[&str] =
    &["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Answers a request. `agreed` is the revision that was agreed upon; `None` before `initialize`.
pub(super) fn answer(
    features: &mut Features,
    agreed: &mut Option<&'static str>,
    method: &str,
    params: Result<Members, Refusal>,
) -> Answer {
    match method {
        "initialize" => return initialize(features, agreed, &params?),
        "ping" => return params.map(|_| Members::new()),
        _ => {}
    }
    let is_known = method == "logging/setLevel" || Features::METHODS.contains(&method);
    if !is_known {
        return Err(not_found(method));
    }
    let Some(revision) = *agreed else {
        return Err(Refusal::new(INVALID_REQUEST, "initialize comes first"));
    };
    let params = params?;
    if method == "logging/setLevel" {
        let level = params.get("level").and_then(|level| level.as_str()).unwrap_or_default();
        // There is nothing to be logged yet, at any level.
        return match LEVELS.contains(&level) {
            true => Ok(Members::new()),
            false => Err(Refusal::new(INVALID_PARAMS, "level is none that is known")),
        };
    }
    features.answer(method, &params, revision, RESOURCE_NOT_FOUND)
}

/// Agrees on a revision: the one that is asked for, or else the newest.
fn initialize(features: &Features, agreed: &mut Option<&'static str>, params: &Members) -> Answer {
    let Some(wanted) = params.get("protocolVersion").and_then(|version| version.as_str()) else {
        return Err(Refusal::new(INVALID_PARAMS, "protocolVersion is not a string"));
    };
    for name in ["capabilities", "clientInfo"] {
        if !params.get(name).is_some_and(|value| value.is_object()) {
            return Err(Refusal::new(INVALID_PARAMS, format!("{name} is not an object")));
        }
    }
    let newest = LEGACY[LEGACY.len() - 1];
    let revision = LEGACY.iter().copied().find(|known| *known == wanted).unwrap_or(newest);
    *agreed = Some(revision);
    let mut capabilities = features.capabilities(revision);
    capabilities.insert("logging".into(), json!({}));
    let mut result = Members::new();
    result.insert("protocolVersion".into(), json!(revision));
    result.insert("capabilities".into(), json!(capabilities));
    result.insert("serverInfo".into(), server_info());
    Ok(result)
}
