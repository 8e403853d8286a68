//! Streams and peers that the benches share.
