//! A message of the server, as its members, so that one can look at each and bend it.

use serde_json::{Value, json};

/// The line is no JSON.
pub(super) const PARSE_ERROR: i64 = -32700;
/// It is JSON and no request.
pub(super) const INVALID_REQUEST: i64 = -32600;
/// The method does not exist, or not for this server.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are not those of the method.
pub(super) const INVALID_PARAMS: i64 = -32602;

/// Why a request is refused.
#[derive(Debug)]
pub(super) struct Refusal {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl Refusal {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}

/// A message, or several responses in a batch. Members are kept as they will be written, so that an id comes back digit for digit.
#[derive(Clone, Debug)]
pub(in crate::liar) enum Reply {
    /// One, as its members in their order.
    Single(Vec<(&'static str, String)>),
    /// Several, as one JSON array.
    Batch(String),
}

impl Reply {
    /// A success.
    pub(in crate::liar) fn result(id: &str, result: &Value) -> Self {
        Self::single(id, "result", result)
    }

    /// A refusal.
    pub(super) fn error(id: &str, refusal: &Refusal) -> Self {
        let mut error = json!({ "code": refusal.code, "message": refusal.message });
        if let Some(data) = &refusal.data {
            error["data"] = data.clone();
        }
        Self::single(id, "error", &error)
    }

    /// A notification.
    pub(in crate::liar) fn notification(method: &str, params: &Value) -> Self {
        Self::Single(vec![
            ("jsonrpc", r#""2.0""#.into()),
            ("method", json!(method).to_string()),
            ("params", params.to_string()),
        ])
    }

    /// A request to the client.
    pub(in crate::liar) fn request(id: &str, method: &str, params: &Value) -> Self {
        Self::notification(method, params).with("id", json!(id).to_string())
    }

    /// Several responses in one array.
    pub(super) fn batch(replies: &[Self]) -> Self {
        let replies: Vec<String> = replies.iter().map(Self::to_json).collect();
        Self::Batch(format!("[{}]", replies.join(",")))
    }

    fn single(id: &str, name: &'static str, value: &Value) -> Self {
        Self::Single(vec![
            ("jsonrpc", r#""2.0""#.into()),
            ("id", id.into()),
            (name, value.to_string()),
        ])
    }

    /// The response as one line, without its line end.
    pub(in crate::liar) fn to_json(&self) -> String {
        match self {
            Self::Batch(text) => text.clone(),
            Self::Single(members) => {
                let members: Vec<String> =
                    members.iter().map(|(name, value)| format!(r#""{name}":{value}"#)).collect();
                format!("{{{}}}", members.join(","))
            }
        }
    }

    /// The id as it stands.
    pub(in crate::liar) fn id(&self) -> &str {
        self.get("id").unwrap_or("null")
    }

    /// A member as it stands.
    pub(in crate::liar) fn get(&self, name: &str) -> Option<&str> {
        let Self::Single(members) = self else { return None };
        members.iter().find(|(own, _)| *own == name).map(|(_, value)| value.as_str())
    }

    /// The same with another value, or a member more.
    pub(in crate::liar) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Single(members) = &mut self {
            match members.iter_mut().find(|(own, _)| *own == name) {
                Some((_, own)) => *own = value.into(),
                None => members.push((name, value.into())),
            }
        }
        self
    }

    /// The same with a member less.
    pub(in crate::liar) fn without(mut self, name: &str) -> Self {
        if let Self::Single(members) = &mut self {
            members.retain(|(own, _)| *own != name);
        }
        self
    }

    /// The code, if it is a refusal.
    pub(in crate::liar) fn error_code(&self) -> Option<i64> {
        let error: Value = serde_json::from_str(self.get("error")?).ok()?;
        error.get("code")?.as_i64()
    }
}
