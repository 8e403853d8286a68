//! Framing, JSON-RPC messages and child processes for stdio servers.
