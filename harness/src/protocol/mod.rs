//! What differs between protocols: eras and revisions, the handshake, the liveness request.
//!
//! A [`Dialect`] is data: scenarios are written once and speak whatever dialect they are given. Nothing
//! here does I/O, and nothing here judges.

mod client;
mod dialect;
pub mod jsonrpc;
pub mod mcp;

pub use client::{Client, Refusal};
pub use dialect::{Dialect, Opening};

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A protocol that Pipeproof certifies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// The Model Context Protocol.
    #[default]
    Mcp,
    /// Plain JSON-RPC 2.0, one message a line.
    JsonRpc,
}

impl Protocol {
    /// The name that ids begin with and reports show.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mcp => mcp::NAME,
            Self::JsonRpc => jsonrpc::NAME,
        }
    }

    /// Its released revisions, oldest first.
    #[must_use]
    pub fn revisions(self) -> Vec<&'static str> {
        match self {
            Self::Mcp => [mcp::LEGACY, mcp::MODERN].concat(),
            Self::JsonRpc => vec![jsonrpc::REVISION],
        }
    }
}

/// How a server is spoken to in an era, at a revision, whether that was released or not.
#[must_use]
pub fn dialect(era: Era, revision: &str) -> Dialect {
    match era {
        Era::Legacy => mcp::legacy(revision),
        Era::Modern => mcp::modern(revision),
        Era::Plain => jsonrpc::dialect(),
    }
}

/// A way in which servers of one protocol are spoken to, across several of its revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Era {
    /// MCP up to 2025-11-25: a session begins with `initialize`.
    Legacy,
    /// MCP from 2026-07-28 on: stateless, found by `server/discover`, `_meta` on every request.
    Modern,
    /// A protocol whose servers are all spoken to in the same way.
    Plain,
}

impl Era {
    /// The spelling used in every report and option.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
            Self::Plain => "plain",
        }
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Era {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "legacy" => Ok(Self::Legacy),
            "modern" => Ok(Self::Modern),
            "plain" => Ok(Self::Plain),
            _ => Err(format!("`{text}` is not an era; one of: legacy, modern, plain")),
        }
    }
}
