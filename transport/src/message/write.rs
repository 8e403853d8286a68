//! Messages back to JSON text.
//!
//! Raw parts are written as they stand; the encoder refuses one that holds a line end.

use std::fmt::Write as _;

use super::{Batch, ErrorObject, ErrorResponse, Message, Notification, Request, Response};

impl Message<'_> {
    /// The message as JSON text, members in the usual order.
    ///
    /// Entries of a batch that were no messages are left out.
    ///
    /// # Example
    ///
    /// ```
    /// use pipeproof_transport::message::{Message, Request};
    ///
    /// let request = Request { id: 1.into(), method: "ping".into(), params: None };
    /// assert_eq!(
    ///     Message::Request(request).to_json(),
    ///     r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
    /// );
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Request(Request { id, method, params }) => {
                let _ = write!(out, r#"{{"jsonrpc":"2.0","id":{id},"method":{}"#, quoted(method));
                write_member(out, "params", params.map(|params| params.get()));
            }
            Self::Notification(Notification { method, params }) => {
                let _ = write!(out, r#"{{"jsonrpc":"2.0","method":{}"#, quoted(method));
                write_member(out, "params", params.map(|params| params.get()));
            }
            Self::Response(Response { id, result }) => {
                let _ = write!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{}"#, result.get());
            }
            Self::ErrorResponse(ErrorResponse { id, error }) => {
                out.push_str(r#"{"jsonrpc":"2.0""#);
                write_member(out, "id", id.as_ref().map(ToString::to_string).as_deref());
                out.push_str(r#","error":"#);
                error.write(out);
            }
            Self::Batch(Batch { entries }) => {
                out.push('[');
                for (index, message) in entries.iter().flatten().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    message.write(out);
                }
                out.push(']');
                return;
            }
        }
        out.push('}');
    }
}

impl ErrorObject<'_> {
    fn write(&self, out: &mut String) {
        let _ = write!(out, r#"{{"code":{},"message":{}"#, self.code.0, quoted(&self.message));
        write_member(out, "data", self.data.map(|data| data.get()));
        out.push('}');
    }
}

fn write_member(out: &mut String, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        let _ = write!(out, r#","{name}":{value}"#);
    }
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("every text has a JSON form")
}
