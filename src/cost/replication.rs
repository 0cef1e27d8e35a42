//! Replication unit of an input lane, in networks with worms of several branches.
//!
//! These formulas are for I input lanes, O output lanes and G lane groups.
//!
//! - lockstep: `6 I G`, for all branches at once;
//! - asynchronous: `I G (ff + 8)`, for the branches that took the front flit;
//! - buffered: `I O ((D - 1) F mux + 17 log2 (D + 1) + 60) + O log2 (D + 1) (ff + next)`, for a
//!   FIFO port of every branch, and for the distance that each is ahead;
//! - sequential: as buffered, and `48 I G` for one branch after the other;
//! - synchronous: as asynchronous, and
//!   `I (O (ff + mux + 3 and) + log2 (2 n + 1) (ff + next) + 2 ff + 2 G and)` in n stages, for
//!   locked lanes, the round trip, and the tree's wires, a hop each way.

use super::SwitchShape;
use super::unit::{AND, Area, FLIP_FLOP, bits_of, choice};
use wormscope_hw::Replication;

/// Gates of a branch in lockstep.
const LOCKSTEP: f64 = 6.0;
/// Gates of a branch that takes flits independently, without its flip-flop.
const TAKEN: f64 = 8.0;
/// Gates of a bit of the sum of pointers and of its comparison, for a branch that reads by itself.
const AHEAD: f64 = 17.0;
/// Gates of such a branch that do not grow with the FIFO.
const READER: f64 = 60.0;
/// Gates that pass from one branch to the next.
const NEXT_BRANCH: f64 = 48.0;

/// Area of an input for synchronous worms. It has locked lanes, compared with the claimed ones, the
/// count of the round trip, and the wires of its tree. The wires have one register for each hop and
/// direction.
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
    let (branches, pairs) = (s.inputs() * s.branches(), s.inputs() * s.outputs());
    let readers = || {
        let bits = s.count_bits();
        let port = choice(s.cell_bits(), s.depth()) + Area::gates(AHEAD * bits as f64 + READER);
        port * pairs + Area::state(bits) * s.outputs()
    };
    let taken = || Area { ge: FLIP_FLOP + TAKEN, flip_flops: 1 };
    match s.replication() {
        None => Area::default(),
        Some(Replication::Lockstep) => Area::gates(LOCKSTEP) * branches,
        Some(Replication::Asynchronous) => taken() * branches,
        Some(Replication::Buffered) => readers(),
        Some(Replication::Sequential) => readers() + Area::gates(NEXT_BRANCH) * branches,
        Some(Replication::Synchronous) => taken() * branches + synchronous(s) * s.inputs(),
    }
}
