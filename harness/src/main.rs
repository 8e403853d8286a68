//! The binary `pipeproof`.

fn main() {}
