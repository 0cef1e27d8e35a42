//! Replication unit of an input lane, where worms with several branches run.
//!
//! For I input lanes, O output lanes and G lane groups
//! - lockstep: `6 I G`, all branches at once;
//! - asynchronous: `I G (ff + 8)`, the branches that took the flit in front;
//! - buffered: `I O ((D - 1) F mux + 17 log2 (D + 1) + 60) + O log2 (D + 1) (ff + next)`, a FIFO
//!   port for every branch, and how far each is ahead;
//! - sequential: as buffered and `48 I G`, one branch after the other.

use super::SwitchShape;
use super::unit::{Area, FLIP_FLOP, choice};
use wormscope_hw::Replication;

/// Gates of a branch in lockstep.
const LOCKSTEP: f64 = 6.0;
/// Gates of a branch that takes flits by itself, beside its flip-flop.
const TAKEN: f64 = 8.0;
/// A bit of the sum of pointers, for a branch that reads by itself, and of what compares it.
const AHEAD: f64 = 17.0;
/// Gates of such a branch that do not grow with the FIFO.
const READER: f64 = 60.0;
/// Gates that pass from one branch to the next.
const NEXT_BRANCH: f64 = 48.0;

/// The replication units of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let (branches, pairs) = (s.inputs() * s.branches(), s.inputs() * s.outputs());
    let readers = || {
        let bits = s.count_bits();
        let port = choice(s.cell_bits(), s.depth()) + Area::gates(AHEAD * bits as f64 + READER);
        port * pairs + Area::state(bits) * s.outputs()
    };
    match s.replication() {
        None => Area::default(),
        Some(Replication::Lockstep) => Area::gates(LOCKSTEP) * branches,
        Some(Replication::Asynchronous) => Area { ge: FLIP_FLOP + TAKEN, flip_flops: 1 } * branches,
        Some(Replication::Buffered) => readers(),
        Some(Replication::Sequential) => readers() + Area::gates(NEXT_BRANCH) * branches,
    }
}
