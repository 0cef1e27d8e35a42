//! Output lane: its owner, whether it is free, and the credits of the FIFO at its end.
//!
//! The area is `(log2 I + 2 + log2 (B + 1)) (ff + next) + 100`, for I input lanes and B flits in
//! the FIFO at the end of the lane.

use super::SwitchShape;
use super::unit::{Area, bits_of};

/// Gates that detect whether the owner has a flit, whether the lane has a credit, and when the worm
/// has passed.
const CONTROL: f64 = 100.0;

/// The output lanes of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let one = |depth: u64| Area::state(bits_of(s.inputs()) + 2 + bits_of(depth + 1)) + Area::gates(CONTROL);
    let consumption = s.network.node.consumption_depth.map_or(s.depth(), u64::from);
    one(s.depth()) * (s.links() * s.channels()) + one(consumption) * s.consumptions()
}
