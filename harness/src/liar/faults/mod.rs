//! The faults, one file for each place at which they depart from the honest server.

mod asks;
mod bend;
mod calls;
mod life;
mod line;
mod lists;
mod plain;
mod read;
mod reply;
mod uses;
mod versions;
mod work;
mod write;

use std::sync::LazyLock;

use super::FaultInfo;
use crate::protocol::Era;

/// Every fault, in the order in which they are listed.
#[must_use]
pub fn faults() -> &'static [FaultInfo] {
    static ALL: LazyLock<Vec<FaultInfo>> = LazyLock::new(|| {
        let places = [
            life::faults(),
            read::faults(),
            line::faults(),
            calls::faults(),
            reply::faults(),
            write::faults(),
            versions::faults(),
            asks::faults(),
            lists::faults(),
            uses::faults(),
            work::faults(),
            plain::faults(),
        ];
        places.into_iter().flatten().collect()
    });
    &ALL
}

const BOTH: &[Era] = &[Era::Legacy, Era::Modern];
const LEGACY: &[Era] = &[Era::Legacy];
const MODERN: &[Era] = &[Era::Modern];
const PLAIN: &[Era] = &[Era::Plain];
/// Every era of MCP, and plain JSON-RPC.
const EVERY: &[Era] = &[Era::Legacy, Era::Modern, Era::Plain];

/// The requirements, by short names.
const PURITY: &str = "mcp.stdio.only-mcp-on-stdout";
const LINES: &str = "mcp.stdio.newline-delimited";
const UTF8: &str = "mcp.stdio.utf8";
const SPLIT: &str = "mcp.stdio.split-read";
const UTF8_SPLIT: &str = "mcp.stdio.utf8-split-read";
const TWO_IN_ONE: &str = "mcp.stdio.two-in-one-write";
/// One requirement under two ids: a `should` of the modern era, a defect in the legacy one.
const EXIT: &[&str] = &["mcp.stdio.exit-on-stdin-eof", "mcp.stdio.exit-on-eof-legacy"];
const ORPHANS: &str = "mcp.stdio.no-orphan-children";
const VERSION: &str = "mcp.rpc.version-member";
const XOR: &str = "mcp.rpc.result-xor-error";
const OBJECT: &str = "mcp.rpc.result-object";
const ERROR_SHAPE: &str = "mcp.rpc.error-shape";
const ERROR_CODE: &str = "mcp.rpc.error-code-integer";
const ID: &str = "mcp.rpc.id-echo";
const ONE: &str = "mcp.rpc.exactly-one-response";
const NOT_FOUND: &str = "mcp.rpc.method-not-found";
const NOTIFICATION: &str = "mcp.rpc.notification-never-answered";
const GARBAGE: &str = "mcp.rpc.survive-garbage";
const INITIALIZE: &str = "mcp.life.initialize-response";
const DISCOVER: &str = "mcp.life.discover";
const PROBE: &str = "mcp.life.probe-legacy";

/// Requirements of MCP that plain JSON-RPC has under ids of its own.
pub(super) const TWINS: &[(&str, &str)] = &[
    (PURITY, "jsonrpc.stream.only-messages"),
    (LINES, "jsonrpc.stream.newline-delimited"),
    (UTF8, "jsonrpc.stream.utf8"),
    (SPLIT, "jsonrpc.stream.any-split"),
    (UTF8_SPLIT, "jsonrpc.stream.any-split"),
    (TWO_IN_ONE, "jsonrpc.stream.any-split"),
    (ANY_SPLIT, "jsonrpc.stream.any-split"),
    (EXIT[0], "jsonrpc.stream.exit-on-eof"),
    (ORPHANS, "jsonrpc.stream.no-orphan-children"),
    (PENDING, "jsonrpc.stream.answer-before-exit"),
    (GARBAGE, "jsonrpc.stream.survive-garbage"),
    (VERSION, "jsonrpc.message.version-member"),
    (XOR, "jsonrpc.message.result-xor-error"),
    (ERROR_SHAPE, "jsonrpc.message.error-shape"),
    (ERROR_CODE, "jsonrpc.message.error-code-integer"),
    (ID, "jsonrpc.call.id-echo"),
    (ONE, "jsonrpc.call.exactly-one-response"),
    (NOT_FOUND, "jsonrpc.call.method-not-found"),
    (NOTIFICATION, "jsonrpc.call.notification-never-answered"),
];

const ANY_SPLIT: &str = "mcp.stdio.any-split";
const PENDING: &str = "mcp.stdio.answer-before-exit";
const LARGE: &str = "mcp.stdio.large-message";
const LARGE_REPLY: &str = "mcp.stdio.large-reply";
const CRLF: &str = "mcp.stdio.crlf-input";
const ALWAYS: &str = "mcp.rpc.always-answer";
const PARSE_ERROR: &str = "mcp.rpc.parse-error";
const INVALID_REQUEST: &str = "mcp.rpc.invalid-request";
const UNREAD_ID: &str = "mcp.rpc.error-id-unknown";
const BIG_ID: &str = "mcp.rpc.id-bigint";
const UNDECLARED: &str = "mcp.rpc.undeclared-method";
const MESSAGE_SHAPE: &str = "mcp.rpc.message-shape";
