//! Replication unit of an input lane. It keeps the branches of a worm, the lanes that it holds, and
//! the lanes that took the front flit.
//!
//! The area is `I (26.5 (C + O) - 13 S + 9.3 O) + 4.1 O log2 (D + 1)`, for I input lanes,
//! O output lanes, C places of lane groups, and FIFOs of D flits. S output lanes share their link
//! with others of their group.
//!
//! - buffered, sequential: also `3.6 I O log2 (D + 1)`, to compare how far each branch is ahead;
//! - with a token station: also `3.8 I G`, for G lane groups;
//! - synchronous: also `20 I T + 285 O`, for the feedback. T is the number of bits of the side
//!   signals of a tree. The switch has slots for four trees.

use super::SwitchShape;
use super::shape::TREE_SLOTS;
use super::unit::{Area, bits_of};

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

/// Gates of the feedback of synchronous worms: of a side signal at an input lane, and of an output
/// lane with its four slots.
const FEEDBACK: (f64, f64) = (20.0, 285.0);

/// The feedback of synchronous worms: the side signals with which a head leaves, its slot, and the
/// wires from and to other switches.
fn feedback(s: &SwitchShape) -> Area {
    let (inputs, outputs, signals) = (s.inputs(), s.outputs(), s.tree_bits());
    let slot = 3 + outputs + inputs + bits_of(TREE_SLOTS);
    Area {
        ge: FEEDBACK.0 * (inputs * signals) as f64 + FEEDBACK.1 * outputs as f64,
        flip_flops: inputs * (signals + TREE_SLOTS) + TREE_SLOTS * slot,
    }
}

/// The replication units of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let (places, outputs, bits) = (s.places(), s.outputs() as f64, s.count_bits() as f64);
    let ahead = if s.reads_all_cells() { AHEAD * bits } else { 0.0 };
    let wait = if s.ports.station.is_some() { WAIT * s.branches() as f64 } else { 0.0 };
    let kept = PLACE * (places as f64 + outputs) - SHARED * s.sharing_lanes() as f64;
    let one = Area { ge: kept + (TAKES + ahead) * outputs + wait, flip_flops: 2 * (s.branches() + s.outputs()) };
    let tree = if s.is_synchronous() { feedback(s) } else { Area::default() };
    one * s.inputs() + Area::gates(COUNT * bits) * s.outputs() + tree
}
