//! Consumption store of a node: at each of its consumption channels a FIFO of as many flits as the
//! channel has credits. The send and receive buffers of the node's software are memory of the node
//! and do not count.

use super::SwitchShape;
use super::{Area, fifo};

/// Number of flits at a channel.
fn depth(s: &SwitchShape) -> u64 {
    s.network.consumption_depth().into()
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
