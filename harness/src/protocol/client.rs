//! What a client answers when the subject asks something of it: what it has declared, and nothing else.
//!
//! Pure: whoever holds the session reads the request and writes the answer.

use serde_json::{Value, json};

use crate::generate;

/// The client's side of a session: what it declares, and so has to answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Client {
    /// The capabilities that are declared; an object.
    capabilities: Value,
}

/// Why a client refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The error code.
    pub code: i64,
    /// The message.
    pub message: &'static str,
}

impl Client {
    /// A client that declares these capabilities.
    #[must_use]
    pub const fn new(capabilities: Value) -> Self {
        Self { capabilities }
    }

    /// The capabilities that are declared.
    #[must_use]
    pub const fn capabilities(&self) -> &Value {
        &self.capabilities
    }

    /// The capability that a request of a server takes; `None` for one that takes none, or that is not known.
    #[must_use]
    pub fn capability(method: &str) -> Option<&'static str> {
        match method {
            "roots/list" => Some("roots"),
            "sampling/createMessage" => Some("sampling"),
            "elicitation/create" => Some("elicitation"),
            _ => None,
        }
    }

    /// Whether a capability is declared.
    #[must_use]
    pub fn declares(&self, capability: &str) -> bool {
        self.capabilities.get(capability).is_some()
    }

    /// The result of a request of the subject's, or why it is refused: nobody should ask for what is not declared.
    ///
    /// # Errors
    ///
    /// When the method is not known or takes a capability that is not declared.
    pub fn answer(&self, method: &str, params: &Value) -> Result<Value, Refusal> {
        if method == "ping" {
            return Ok(json!({}));
        }
        let capability = Self::capability(method).filter(|capability| self.declares(capability));
        match capability {
            Some("roots") => Ok(json!({ "roots": [] })),
            Some("sampling") => Ok(json!({
                "role": "assistant",
                "content": { "type": "text", "text": "pipeproof" },
                "model": "pipeproof",
                "stopReason": "endTurn",
            })),
            Some("elicitation") => Ok(elicited(params)),
            _ => Err(Refusal { code: -32601, message: "method not found" }),
        }
    }
}

/// What a user who fills in a form answers; there is no user who opens a page.
fn elicited(params: &Value) -> Value {
    if params.get("mode").is_some_and(|mode| mode != "form") {
        return json!({ "action": "decline" });
    }
    let schema = params.get("requestedSchema").unwrap_or(&Value::Null);
    json!({ "action": "accept", "content": generate::smallest(schema) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_declared_is_answered() {
        let bare = Client::new(json!({}));
        let full = Client::new(json!({ "roots": {}, "sampling": {}, "elicitation": {} }));
        for method in ["roots/list", "sampling/createMessage", "elicitation/create"] {
            assert_eq!(bare.answer(method, &Value::Null).unwrap_err().code, -32601, "{method}");
            assert!(full.answer(method, &Value::Null).is_ok(), "{method}");
        }
        for client in [bare, full] {
            assert_eq!(client.answer("ping", &Value::Null), Ok(json!({})));
            assert!(client.answer("roots/delete", &Value::Null).is_err());
        }
    }

    #[test]
    fn a_form_is_filled_in_and_a_page_is_declined() {
        let client = Client::new(json!({ "elicitation": {} }));
        let schema = json!({
            "type": "object",
            "properties": { "name": { "type": "string" } },
            "required": ["name"],
        });
        let form = client.answer("elicitation/create", &json!({ "requestedSchema": schema }));
        let expected = json!({ "action": "accept", "content": { "name": "pipeproof" } });
        assert_eq!(form, Ok(expected));
        let page = client.answer("elicitation/create", &json!({ "mode": "url" }));
        assert_eq!(page, Ok(json!({ "action": "decline" })));
    }
}
