//! `wormscope`: parse, call, print.

fn main() {}
