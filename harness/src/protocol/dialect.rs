//! How a server is spoken to in one era and revision, as data.

use pipeproof_transport::message::Id;
use serde_json::{Map, Value, json};

use super::Era;
use crate::ledger::Ledger;

/// Everything that a scenario needs to know to speak to a server.
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The protocol, such as `mcp`.
    pub protocol: &'static str,
    /// The era.
    pub era: Era,
    /// The revision that is asked for.
    pub revision: String,
    /// How a session begins.
    pub opening: Opening,
    /// A request that every server of the era answers, used to see whether it still does.
    pub liveness: (&'static str, Value),
    /// What every request carries as `params._meta`.
    pub meta: Option<Value>,
    /// The revision that the subject agreed to in a session, where the opening settles it.
    pub negotiated: fn(&Ledger) -> Option<String>,
}

/// How a session begins.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The name of the stimulus that the opening request is.
    pub stimulus: &'static str,
    /// Its method.
    pub method: &'static str,
    /// Its parameters.
    pub params: Value,
    /// The notification that completes the handshake, if there is one.
    pub then: Option<&'static str>,
}

impl Dialect {
    /// A request as one line without its line end.
    #[must_use]
    pub fn request(&self, id: &Id, method: &str, params: Option<Value>) -> Vec<u8> {
        let mut members = Map::new();
        members.insert("jsonrpc".into(), json!("2.0"));
        // The id is written as it stands, so that integers of any size and odd strings stay what they are.
        members.insert("id".into(), Value::Null);
        members.insert("method".into(), json!(method));
        if let Some(params) = self.with_meta(params) {
            members.insert("params".into(), params);
        }
        let text = Value::Object(members).to_string();
        text.replacen("\"id\":null", &format!("\"id\":{}", id.to_json()), 1).into_bytes()
    }

    /// A notification as one line without its line end.
    #[must_use]
    pub fn notification(&self, method: &str, params: Option<Value>) -> Vec<u8> {
        let mut members = Map::new();
        members.insert("jsonrpc".into(), json!("2.0"));
        members.insert("method".into(), json!(method));
        if let Some(params) = self.with_meta(params) {
            members.insert("params".into(), params);
        }
        Value::Object(members).to_string().into_bytes()
    }

    fn with_meta(&self, params: Option<Value>) -> Option<Value> {
        let Some(meta) = &self.meta else { return params };
        let mut params = params.unwrap_or_else(|| json!({}));
        if let Some(members) = params.as_object_mut() {
            members.insert("_meta".into(), meta.clone());
        }
        Some(params)
    }
}
