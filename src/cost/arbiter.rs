//! Arbiters of the output lanes.
//!
//! These formulas are for I input lanes and O output lanes, in groups of K lanes.
//!
//! - Incremental acquisition: `c (I - 1)` for each lane, with c by the kind of arbiter. A matrix
//!   has `c I (I - 1)`. The lanes of a group are granted one after the other. So a group with K > 1
//!   has `K^2 (3.4 I + 4.2 log2 I)` more, or `K^2 (3.4 I + 7.7 I (I - 1))` with a matrix.
//! - Atomic acquisition: an allocator visits the inputs one after the other. It has
//!   `I (c (I - 1) + 0.92 I (O + G) + 12.4 O)` for G lane groups. A matrix has `c I (I - 1)` in
//!   place of `c (I - 1)`.
//! - `lane_choice: round_robin` has `7.8 log2 (O + 1)` more for each group, and `3.3 K^2` if K > 1.
//!   With atomic acquisition the switch has `1.6 I O^2` more.
//! - Synchronous worms have a reservation in place of arbiters: `245 I (I - 1) + I (120 + 47 O)`.

use super::SwitchShape;
use super::unit::{Area, bits_of};
use wormscope_hw::{Acquisition, Arbiter, LaneChoice};

/// Gates of an input lane at an output lane, of each kind: of an arbiter, and of a visit in the
/// allocator of all lanes.
const fn request(kind: Arbiter) -> (f64, f64) {
    match kind {
        Arbiter::RoundRobin => (19.3, 14.7),
        Arbiter::FixedPriority => (4.9, 0.6),
        Arbiter::RrTree => (23.8, 10.6),
        Arbiter::Matrix => (15.2, 8.9),
        Arbiter::OldestFirst => (237.0, 148.0),
    }
}

/// Gates for each pair of lanes of a group. They are those of an input lane, of a bit of the
/// pointer, and of a pair of inputs of a matrix.
const PAIR: (f64, f64, f64) = (3.4, 4.2, 7.7);
/// Gates of a turn of the lanes of a group: of a bit of the pointer, and of a pair of lanes.
const TURN: (f64, f64) = (7.8, 3.3);

/// Gates of a visit in the allocator of all lanes, for each lane or lane group.
const VISIT: f64 = 0.92;
/// Gates of an input lane of this allocator: of each lane, and of each pair of lanes that take
/// turns.
const GIVEN: (f64, f64) = (12.4, 1.6);

/// Gates of a reservation: of the order of two input lanes, of an input lane, and of an output lane
/// at an input lane.
const RESERVATION: (f64, f64, f64) = (245.0, 120.0, 47.0);

/// The reservation of synchronous worms. Its registers are locked lanes and the cycles of a lock.
fn reservation(s: &SwitchShape) -> Area {
    let (inputs, lanes) = (s.inputs() as f64, s.outputs());
    let order = RESERVATION.0 * requests(Arbiter::OldestFirst, s.inputs());
    let left = s.depth_bits() + 1;
    Area {
        ge: inputs * (order + RESERVATION.1 + RESERVATION.2 * lanes as f64),
        flip_flops: s.inputs() * (lanes + left),
    }
}

/// Bits of the registers of an arbiter.
fn kept(kind: Arbiter, inputs: u64) -> u64 {
    match kind {
        Arbiter::RoundRobin | Arbiter::RrTree => bits_of(inputs),
        Arbiter::FixedPriority | Arbiter::OldestFirst => 0,
        Arbiter::Matrix => inputs * (inputs - 1),
    }
}

/// Requests that an arbiter compares with others.
fn requests(kind: Arbiter, inputs: u64) -> f64 {
    let others = inputs.saturating_sub(1);
    (if kind == Arbiter::Matrix { others * inputs } else { others }) as f64
}

/// Arbiters of the lanes of a group, which are granted one after the other.
fn incremental(kind: Arbiter, inputs: u64, lanes: u64) -> Area {
    let order = match kind {
        Arbiter::RoundRobin | Arbiter::RrTree => PAIR.1 * bits_of(inputs) as f64,
        Arbiter::FixedPriority | Arbiter::OldestFirst => 0.0,
        Arbiter::Matrix => PAIR.2 * requests(kind, inputs),
    };
    let passed = pairs(lanes) * (PAIR.0 * inputs as f64 + order);
    Area {
        ge: request(kind).0 * requests(kind, inputs) * lanes as f64 + passed,
        flip_flops: kept(kind, inputs) * lanes,
    }
}

/// The allocator of all lanes, which visits the inputs one after the other.
fn atomic(kind: Arbiter, s: &SwitchShape) -> Area {
    let (inputs, lanes) = (s.inputs() as f64, s.outputs() as f64);
    let visit = request(kind).1 * requests(kind, s.inputs()) + VISIT * inputs * (lanes + s.branches() as f64);
    Area { ge: inputs * (visit + GIVEN.0 * lanes), flip_flops: kept(kind, s.inputs()) }
}

/// Pairs of lanes of a group.
fn pairs(lanes: u64) -> f64 {
    if lanes > 1 { (lanes * lanes) as f64 } else { 0.0 }
}

/// The arbiters of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    if s.is_synchronous() {
        return reservation(s);
    }
    let kind = s.network.switch.arbiter;
    let all = |area: &dyn Fn(u64) -> Area| s.groups().iter().map(|&(count, lanes)| area(lanes) * count).sum::<Area>();
    let pointer = bits_of(s.outputs() + 1);
    let (grants, turns) = match s.network.switch.acquisition {
        Acquisition::Incremental => {
            let turn = |lanes| Area { ge: TURN.0 * pointer as f64 + TURN.1 * pairs(lanes), flip_flops: pointer };
            (all(&|lanes| incremental(kind, s.inputs(), lanes)), all(&turn))
        }
        Acquisition::Atomic => {
            let ge = GIVEN.1 * s.inputs() as f64 * pairs(s.outputs());
            (atomic(kind, s), Area { ge, flip_flops: pointer * s.branches() })
        }
    };
    match s.network.switch.lane_choice {
        LaneChoice::Lowest => grants,
        LaneChoice::RoundRobin => grants + turns,
    }
}
