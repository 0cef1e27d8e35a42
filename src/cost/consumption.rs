//! Consumption store of a node: behind each of its consumption channels a FIFO of as many flits as
//! the channel has credits. What the node's software keeps in its send and receive buffers is
//! memory of the node and not counted.

use super::SwitchShape;
use super::{Area, fifo};

/// Flits behind a channel.
fn depth(s: &SwitchShape) -> u64 {
    s.network.node.consumption_depth.map_or(s.depth(), u64::from)
}

/// Data bits of the stores of the nodes at a switch.
#[must_use]
pub fn bits(s: &SwitchShape) -> u64 {
    depth(s) * s.flit_bits() * s.consumptions()
}

/// The stores of the nodes at a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    fifo::one(depth(s), s.cell_bits()) * s.consumptions()
}
