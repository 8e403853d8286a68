//! The era of the handshake: `initialize` first, then requests at the revision that was agreed upon.

use serde_json::json;

use super::features::{Features, LEVELS, has_resource};
use super::reply::{INVALID_PARAMS, INVALID_REQUEST, Refusal};
use super::{Answer, Members, not_found, server_info};
use crate::protocol::mcp::LEGACY;

/// An unknown resource, which has a code of its own in this era.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// Methods that only this era has, beside the handshake.
const METHODS: &[&str] = &["logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

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
    let is_known = METHODS.contains(&method) || Features::METHODS.contains(&method);
    if !is_known {
        return Err(not_found(method));
    }
    let Some(revision) = *agreed else {
        return Err(Refusal::new(INVALID_REQUEST, "initialize comes first"));
    };
    let params = params?;
    features.stateless = false;
    match method {
        "logging/setLevel" => {
            let level = params.get("level").and_then(|level| level.as_str()).unwrap_or_default();
            let rank = LEVELS.iter().position(|own| *own == level);
            let Some(rank) = rank else {
                return Err(Refusal::new(INVALID_PARAMS, "level is none that is known"));
            };
            features.level = Some(rank);
            return Ok(Members::new());
        }
        "resources/subscribe" | "resources/unsubscribe" => {
            let uri = params.get("uri").and_then(|uri| uri.as_str()).unwrap_or_default();
            if !has_resource(uri) {
                return Err(Refusal::new(RESOURCE_NOT_FOUND, "resource not found"));
            }
            features.watched.retain(|own| own != uri);
            if method == "resources/subscribe" {
                features.watched.push(uri.into());
            }
            return Ok(Members::new());
        }
        _ => {}
    }
    features.answer(method, &params, revision, RESOURCE_NOT_FOUND)
}

/// Agrees on a revision: the one that is asked for, or else the newest.
fn initialize(
    features: &mut Features,
    agreed: &mut Option<&'static str>,
    params: &Members,
) -> Answer {
    if agreed.is_some() {
        return Err(Refusal::new(INVALID_REQUEST, "initialize comes once"));
    }
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
    capabilities.insert("resources".into(), json!({ "subscribe": true }));
    features.client = params.get("capabilities").cloned().unwrap_or_default();
    features.level = LEVELS.iter().position(|own| *own == "info");
    let mut result = Members::new();
    result.insert("protocolVersion".into(), json!(revision));
    result.insert("capabilities".into(), json!(capabilities));
    result.insert("serverInfo".into(), server_info());
    Ok(result)
}
