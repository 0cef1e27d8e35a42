//! Sink: a consumption channel at a node. It takes a flit in the cycle of its arrival and returns
//! the credit at once, unless the node's receive buffer is full or the node is stalled: then the
//! flit waits in the channel's FIFO, and with it its credit.

/// Cycles from a flit's crossing at the last switch to its arrival at the node.
#[must_use]
#[inline(always)]
pub const fn arrival(crossbar_cycles: u32, link_cycles: u32) -> u32 {
    crossbar_cycles + link_cycles
}

/// Cycles from a flit's crossing at the last switch to its credit being usable there again, where
/// the node takes it at once.
#[must_use]
#[inline(always)]
pub const fn credit(crossbar_cycles: u32, link_cycles: u32, credit_cycles: u32) -> u32 {
    arrival(crossbar_cycles, link_cycles) + credit_cycles
}

/// Whether the node takes the flit in front of a channel: `space` are free flits of the receive
/// buffer behind it, in which only payload is kept.
#[must_use]
#[inline(always)]
pub const fn takes(stalled: bool, is_header: bool, space: u32) -> bool {
    !stalled && (is_header || space > 0)
}
