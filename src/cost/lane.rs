//! Output lane: its owner, whether it is free, the flits that its branch is ahead, and the credits
//! of the FIFO at its end.
//!
//! The area is `25.8 + 4.7 I + 15.7 (log2 (D + 1) + log2 (B + 1))`, for I input lanes with FIFOs
//! of D flits, and B flits in the FIFO at the end of the lane.

use super::SwitchShape;
use super::unit::{Area, bits_of};

/// Gates that do not grow.
const LANE: f64 = 25.8;
/// Gates of an input lane that may own the lane.
const INPUT: f64 = 4.7;
/// Gates of a bit of a counter.
const COUNT: f64 = 15.7;

/// The output lanes of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let one = |depth: u64| {
        let counters = s.count_bits() + bits_of(depth + 1);
        let ge = LANE + INPUT * s.inputs() as f64 + COUNT * counters as f64;
        Area { ge, flip_flops: 2 + bits_of(s.inputs()) + counters }
    };
    one(s.depth()) * (s.links() * s.channels()) + one(s.network.consumption_depth().into()) * s.consumptions()
}
