//! Line framing.

fn main() {}
