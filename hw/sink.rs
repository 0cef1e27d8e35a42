//! Sink: a consumption channel at a node. It takes every flit in the cycle of its arrival and returns the credit at once.

/// Cycles from a flit's crossing at the last switch to its arrival at the node.
#[must_use]
#[inline(always)]
pub const fn arrival(crossbar_cycles: u32, link_cycles: u32) -> u32 {
    crossbar_cycles + link_cycles
}

/// Cycles from a flit's crossing at the last switch to its credit being usable there again.
#[must_use]
#[inline(always)]
pub const fn credit(crossbar_cycles: u32, link_cycles: u32, credit_cycles: u32) -> u32 {
    arrival(crossbar_cycles, link_cycles) + credit_cycles
}
