//! Faults in whether, and as what, a request or notification is replied to.

use std::process::{abort, exit};

use super::life::become_mute;
use super::{BOTH, EVERY, FaultInfo, INITIALIZE, LEGACY, NOT_FOUND, NOTIFICATION, ONE, PROBE};
use crate::liar::fault::Lie;
use crate::liar::honest::Reply;

const METHOD_NOT_FOUND: i64 = -32601;

pub(super) fn faults() -> Vec<FaultInfo> {
    [known_methods(), unknown_methods(), notifications()].concat()
}

/// Requests that are to be answered.
fn known_methods() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "aborts-at-initialize",
            about: "crashes at initialize",
            eras: LEGACY,
            caught_by: &[INITIALIZE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| if heard.is("initialize") { abort() } else { reply }),
        },
        FaultInfo {
            name: "falsy-id-unanswered",
            about: "takes a request with the id 0 or \"\" for a notification",
            eras: BOTH,
            caught_by: &[ONE],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                reply.filter(|reply| !matches!(reply.id(), "0" | "\"\""))
            }),
        },
        FaultInfo {
            name: "list-unanswered",
            about: "never answers tools/list",
            eras: BOTH,
            caught_by: &[ONE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| reply.filter(|_| !heard.is("tools/list"))),
        },
        FaultInfo {
            name: "closes-stdout-at-list",
            about: "closes stdout at tools/list and lives on",
            eras: BOTH,
            caught_by: &[ONE],
            at: None,
            lie: Lie::Reply(|_, heard, reply| match heard.is("tools/list") {
                true => Err(become_mute()).ok(),
                false => reply,
            }),
        },
        FaultInfo {
            name: "aborts-at-list",
            about: "crashes at tools/list",
            eras: BOTH,
            caught_by: &[ONE, "mcp.life.init-first"],
            at: None,
            lie: Lie::Reply(|_, heard, reply| if heard.is("tools/list") { abort() } else { reply }),
        },
    ]
}

/// Methods that do not exist.
fn unknown_methods() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "unknown-method-result",
            about: "answers a method that does not exist with an empty result",
            eras: EVERY,
            caught_by: &[NOT_FOUND, "mcp.ping.removed", "jsonrpc.examples.errors"],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                Some(if_not_found(reply?, |reply| reply.without("error").with("result", "{}")))
            }),
        },
        FaultInfo {
            name: "unknown-method-params",
            about: "refuses a method that does not exist with -32602, as if it did",
            eras: BOTH,
            caught_by: &[NOT_FOUND, "mcp.ping.removed"],
            at: None,
            lie: Lie::Reply(|_, _, reply| {
                let error = r#"{"code":-32602,"message":"invalid params"}"#;
                Some(if_not_found(reply?, |reply| reply.with("error", error)))
            }),
        },
        FaultInfo {
            name: "unknown-method-unanswered",
            about: "leaves a method that does not exist unanswered",
            eras: BOTH,
            caught_by: &[NOT_FOUND],
            at: None,
            lie: Lie::Reply(|_, _, reply| reply.filter(|reply| !is_not_found(reply))),
        },
        FaultInfo {
            name: "exits-at-unknown-method",
            about: "exits at a method that does not exist",
            eras: BOTH,
            // To a server of the legacy era server/discover is such a method.
            caught_by: &[NOT_FOUND, PROBE],
            at: None,
            lie: Lie::Reply(|_, _, reply| Some(if_not_found(reply?, |_| exit(1)))),
        },
        FaultInfo {
            name: "aborts-at-unknown-method",
            about: "crashes at a method that does not exist",
            eras: BOTH,
            // To a server of the legacy era server/discover is such a method.
            caught_by: &[NOT_FOUND, PROBE],
            at: None,
            lie: Lie::Reply(|_, _, reply| Some(if_not_found(reply?, |_| abort()))),
        },
    ]
}

/// Notifications that are answered.
fn notifications() -> Vec<FaultInfo> {
    vec![
        FaultInfo {
            name: "notification-refused",
            about: "answers each notification with an error that has no id",
            eras: BOTH,
            caught_by: &[NOTIFICATION, "mcp.cancel.unknown-ignored"],
            at: None,
            lie: Lie::Reply(
                |_, heard, reply| {
                    if heard.notification { Some(refusal().without("id")) } else { reply }
                },
            ),
        },
        FaultInfo {
            name: "notification-refused-null",
            about: "answers each notification with an error that has the id null",
            eras: BOTH,
            caught_by: &[NOTIFICATION, "mcp.cancel.unknown-ignored"],
            at: None,
            lie: Lie::Reply(
                |_, heard, reply| if heard.notification { Some(refusal()) } else { reply },
            ),
        },
        FaultInfo {
            name: "notification-refused-zero",
            about: "answers each notification with an error that has the id 0",
            eras: BOTH,
            caught_by: &[NOTIFICATION, "mcp.cancel.unknown-ignored"],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                if heard.notification { Some(refusal().with("id", "0")) } else { reply }
            }),
        },
        FaultInfo {
            name: "notification-acknowledged",
            about: "answers each notification with an empty result that has the id null",
            eras: BOTH,
            caught_by: &[NOTIFICATION, "mcp.cancel.unknown-ignored"],
            at: None,
            lie: Lie::Reply(|_, heard, reply| {
                if !heard.notification {
                    return reply;
                }
                Some(refusal().without("error").with("result", "{}"))
            }),
        },
    ]
}

fn is_not_found(reply: &Reply) -> bool {
    reply.error_code() == Some(METHOD_NOT_FOUND)
}

fn if_not_found(reply: Reply, change: impl FnOnce(Reply) -> Reply) -> Reply {
    if is_not_found(&reply) { change(reply) } else { reply }
}

/// An error with the id null.
fn refusal() -> Reply {
    let error = r#"{"code":-32601,"message":"method not found"}"#;
    let members = [("jsonrpc", r#""2.0""#), ("id", "null"), ("error", error)];
    Reply::Single(members.map(|(name, value)| (name, value.into())).into())
}
