//! Faults that only a server of plain JSON-RPC can have.

use serde_json::Value;

use super::{FaultInfo, NOTIFICATION, PLAIN};
use crate::liar::fault::Lie;
use crate::liar::honest::Reply;

const CALLS: &str = "jsonrpc.examples.calls";
const ERRORS: &str = "jsonrpc.examples.errors";
const BATCHES: &str = "jsonrpc.examples.batches";

pub(super) fn faults() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "subtracts-by-name-only",
            about: "takes parameters by name, and those by position the other way round",
            eras: PLAIN,
            caught_by: &[CALLS],
            at: None,
            lie: Lie::Emit(|_, message| {
                let swapped = match message.get("result") {
                    Some("19")
                        if !message.id().starts_with('3') && !message.id().starts_with('4') =>
                    {
                        Some("-19")
                    }
                    Some("-19") => Some("19"),
                    _ => None,
                };
                vec![match swapped {
                    Some(result) => message.with("result", result),
                    None => message,
                }]
            }),
        },
        FaultInfo {
            name: "notifications-refused-as-invalid",
            about: "answers each notification as an invalid request",
            eras: PLAIN,
            caught_by: &[NOTIFICATION, "jsonrpc.examples.notifications"],
            at: None,
            lie: Lie::Messages(|_, heard, mut messages| {
                if heard.notification {
                    let refusal = Reply::notification("x", &Value::Null);
                    let refusal = refusal.without("method").without("params").with("id", "null");
                    let error = r#"{"code":-32600,"message":"no id"}"#;
                    messages.push(refusal.with("error", error));
                }
                messages
            }),
        },
        FaultInfo {
            name: "batch-one-by-one",
            about: "answers the requests of a batch on lines of their own",
            eras: PLAIN,
            caught_by: &[BATCHES],
            at: None,
            lie: Lie::Write(|_, spoken| {
                let batch: Option<Vec<Value>> = serde_json::from_str(spoken.json).ok();
                let lines = batch
                    .map(|batch| batch.iter().map(|one| format!("{one}\n")).collect::<String>());
                lines.unwrap_or_else(|| format!("{}\n", spoken.json)).into_bytes()
            }),
        },
        FaultInfo {
            name: "empty-batch-unanswered",
            about: "forgets an array that is empty",
            eras: PLAIN,
            caught_by: &[BATCHES],
            at: None,
            lie: Lie::Line(|_, line| (line != b"[]").then(|| line.to_vec())),
        },
        FaultInfo {
            name: "invalid-requests-unanswered",
            about: "forgets what is no request",
            eras: PLAIN,
            caught_by: &[ERRORS, BATCHES],
            at: None,
            lie: Lie::Reply(|_, _, reply| reply.filter(|reply| reply.error_code() != Some(-32600))),
        },
    ]
}
