//! Certifies stdio JSON-RPC servers.
