//! Flit-hops a second.
fn main() {}
