//! States of input lanes.

use crate::coverage::dimensions::names;
use crate::coverage::group::{BinGroup, Dimension};
use crate::engine::LaneState;

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "state",
    blocks: &["hw/decoder", "hw/replication", "hw/fifo", "src/engine/banked/switch/registers"],
    event: "The state of an input lane changes.",
    dimensions: &[
        Dimension { name: "state_before", meaning: "State of the lane before.", values: names!(LaneState) },
        Dimension { name: "state", meaning: "State of the lane now, as in waveforms.", values: names!(LaneState) },
    ],
    excluded,
};

fn excluded(values: &[usize]) -> Option<&'static str> {
    match values {
        [before, now] if before == now => Some("a state that stays does not change"),
        [1 | 2 | 3 | 4 | 6 | 7, 0] => {
            Some("a worm leaves a lane with a flit that crosses, so the state before is always MOVE")
        }
        [3 | 4 | 6 | 7, 1] => Some("the decoder strips before it decides"),
        [3, 7] | [7, 3] => Some("synchronous worms have no token ring"),
        [3 | 4 | 6 | 7, 2] => Some("the switch decides the route of a worm before the worm waits"),
        [4 | 6, 3] => Some("a worm waits for its token before it asks for lanes"),
        [6, 4 | 7] => Some("a worm that has all its lanes asks for no other"),
        _ => None,
    }
}
