//! How a server is spoken to in one era and revision, as data.

use pipeproof_transport::message::Id;
use serde_json::{Map, Value, json};

use super::{Client, Era};
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
    /// How a session begins; absent: with whatever is asked first.
    pub opening: Option<Opening>,
    /// A request that every server of the era answers, used to see whether it still does.
    pub liveness: (&'static str, Value),
    /// What every request carries as `params._meta`.
    pub meta: Option<Value>,
    /// What we declare to the subject, and how we answer what it asks.
    pub client: Client,
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

/// The member of `_meta`, and the one of the opening's parameters, that say what a client declares.
const DECLARED_IN_META: &str = "io.modelcontextprotocol/clientCapabilities";
const DECLARED_IN_OPENING: &str = "capabilities";

impl Dialect {
    /// The same, spoken by a client that declares these capabilities.
    #[must_use]
    pub fn declaring(mut self, capabilities: &Value) -> Self {
        self.client = Client::new(capabilities.clone());
        let opening = self.opening.as_mut().and_then(|opening| opening.params.as_object_mut());
        let meta = self.meta.as_mut().and_then(Value::as_object_mut);
        for (members, name) in [(opening, DECLARED_IN_OPENING), (meta, DECLARED_IN_META)] {
            if let Some(declared) = members.and_then(|members| members.get_mut(name)) {
                declared.clone_from(capabilities);
            }
        }
        self
    }

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

    /// Parameters as a request of the dialect carries them.
    #[must_use]
    pub fn params(&self, params: &Value) -> Value {
        self.with_meta(Some(params.clone())).unwrap_or_default()
    }

    fn with_meta(&self, params: Option<Value>) -> Option<Value> {
        let Some(meta) = &self.meta else { return params };
        let mut params = params.unwrap_or_else(|| json!({}));
        if let Some(members) = params.as_object_mut() {
            let own = members.remove("_meta");
            let mut meta = meta.clone();
            if let (Some(meta), Some(Value::Object(own))) = (meta.as_object_mut(), own) {
                meta.extend(own);
            }
            members.insert("_meta".into(), meta);
        }
        Some(params)
    }
}
