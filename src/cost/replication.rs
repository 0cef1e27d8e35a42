//! Replication unit of an input lane. It keeps the branches of a worm, the lanes that it holds, and
//! the lanes that took the front flit.
//!
//! The area is `I (26.5 (C + O) - 13 S + 9.3 O) + 4.1 O log2 (D + 1)`, for I input lanes,
//! O output lanes, C places of lane groups, and FIFOs of D flits. S output lanes share their link
//! with others of their group.
//!
//! - buffered, sequential: also `3.6 I O log2 (D + 1)`, to compare how far each branch is ahead;
//! - with a token station: also `3.8 I G`, for G lane groups;
//! - synchronous: also `I (O (ff + mux + 3 and) + log2 (2 n + 1) (ff + next) + 2 ff + 2 G and)` in
//!   n stages, for locked lanes, the round trip, and the tree's wires, a hop each way.

use super::SwitchShape;
use super::unit::{AND, Area, bits_of};
use wormscope_hw::Replication;

/// Gates of a lane group or an output lane at an input lane.
const PLACE: f64 = 26.5;
/// Gates that a lane saves at an input lane, if it shares its link.
const SHARED: f64 = 13.0;
/// Gates that tell whether a branch has taken more than the front flit.
const TAKES: f64 = 9.3;
/// Gates of a bit of the number of flits that a lane is ahead.
const COUNT: f64 = 4.1;
/// Gates of a bit of this number at an input lane, if branches read by themselves.
const AHEAD: f64 = 3.6;
/// Gates of a lane group at an input lane, if a worm waits for a token.
const WAIT: f64 = 3.8;

/// Area of an input for synchronous worms, in addition. It has locked lanes, compared with the
/// claimed ones, the count of the round trip, and the wires of its tree. The wires have one
/// register for each hop and direction.
fn synchronous(s: &SwitchShape) -> Area {
    let stages = s.network.blueprint().stages().map_or(1, |(_, stages)| u64::from(stages));
    let count = bits_of(2 * stages + 1);
    let lock = (Area::cells(1) + Area::gates(3.0 * AND)) * s.outputs();
    let tree = Area::delay(2) + Area::gates(2.0 * AND * s.branches() as f64);
    lock + Area::state(count) + tree
}

/// The replication units of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let (places, outputs, bits) = (s.places(), s.outputs() as f64, s.count_bits() as f64);
    let ahead = if s.reads_all_cells() { AHEAD * bits } else { 0.0 };
    let wait = if s.ports.station.is_some() { WAIT * s.branches() as f64 } else { 0.0 };
    let kept = PLACE * (places as f64 + outputs) - SHARED * s.sharing_lanes() as f64;
    let one = Area { ge: kept + (TAKES + ahead) * outputs + wait, flip_flops: 2 * (s.branches() + s.outputs()) };
    let extra = if s.replication() == Some(Replication::Synchronous) { synchronous(s) } else { Area::default() };
    (one + extra) * s.inputs() + Area::gates(COUNT * bits) * s.outputs()
}
