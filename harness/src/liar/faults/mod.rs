//! The faults, one file for each place at which they depart from the honest server.

mod calls;
mod life;
mod line;
mod read;
mod reply;
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
        ];
        places.into_iter().flatten().collect()
    });
    &ALL
}

const BOTH: &[Era] = &[Era::Legacy, Era::Modern];
const LEGACY: &[Era] = &[Era::Legacy];
const MODERN: &[Era] = &[Era::Modern];

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
