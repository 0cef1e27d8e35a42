//! Arbiters of the output lanes.
//!
//! These formulas are for I input lanes and the K lanes of a group, which are granted one after the
//! other.
//!
//! - Incremental acquisition: `K (11 I + log2 I (ff + next))` with a round-robin pointer a lane or
//!   a tree of choices. `4 I K` with fixed priority.
//!   `K (I (I - 1) / 2 (ff + next) + I (I - 1) and)` with a matrix. `8.5 a K (I - 1)`, and
//!   `a (ff + mux)` an input, where ages of `a` bits are compared.
//! - A group of several lanes has `45 K^2` more, to choose the free lane that is granted. If its
//!   lanes take turns, it has a round-robin pointer over them, `11 K + log2 K (ff + next)`.
//! - atomic: for each input `4 + 6 K` for every group, one after the other, and one pointer.

use super::SwitchShape;
use super::unit::{AND, Area, bits_of, log2};
use wormscope_hw::{Acquisition, Arbiter, LaneChoice};

/// Gates of a request to a round-robin pointer.
const REQUEST: f64 = 11.0;
/// Gates of a request, if the lowest request wins.
const FIXED: f64 = 4.0;
/// Gates of the choice among the lanes of a group, for each pair of them.
const LANES: f64 = 45.0;
/// Gates of an input's request for a group in the allocator of a switch, and of each lane of the
/// group.
const ATOMIC: (f64, f64) = (4.0, 6.0);

/// Levels of a round-robin arbiter for each doubling of its requests, and the number to subtract.
const LEVELS: (f64, f64) = (15.5, 12.0);

/// Levels of a tree of two-way choices, as a share of the levels of a round-robin arbiter.
const TREE: f64 = 0.8;

/// Levels of a matrix arbiter, and levels for each doubling of its requests.
const MATRIX: (f64, f64) = (11.0, 2.5);

/// A matrix arbiter of `requests` requests: `n (n - 1) / 2 (ff + next) + n (n - 1) and`.
fn matrix(requests: u64) -> Area {
    let pairs = requests * requests.saturating_sub(1) / 2;
    Area::state(pairs) + Area::gates(AND * (2 * pairs) as f64)
}

/// Bits of a time stamp, which is compared modulo its range.
const AGE_BITS: u64 = 16;
/// Gates of a comparison and of the multiplexer after it, for each bit; levels of both.
const COMPARE: (f64, f64) = (8.5, 20.0);

/// A tree of comparisons that finds the oldest of `requests` worms: `8.5 a (n - 1)`, `a` bits of
/// age.
fn oldest_first(requests: u64) -> Area {
    Area::gates(COMPARE.0 * (AGE_BITS * requests.saturating_sub(1)) as f64)
}

/// A round-robin arbiter of `requests` requests: `11 n + log2 n (ff + next)`; none for one.
#[must_use]
pub fn round_robin(requests: u64) -> Area {
    if requests < 2 {
        return Area::default();
    }
    Area::gates(REQUEST * requests as f64) + Area::state(bits_of(requests))
}

/// An arbiter of a kind, of `requests` requests.
fn one(kind: Arbiter, requests: u64) -> Area {
    match kind {
        Arbiter::RoundRobin | Arbiter::RrTree => round_robin(requests),
        Arbiter::FixedPriority => Area::gates(FIXED * requests as f64),
        Arbiter::Matrix => matrix(requests),
        Arbiter::OldestFirst => oldest_first(requests),
    }
}

/// Area of the order that an allocator keeps besides its requests.
fn order(kind: Arbiter, requests: u64) -> Area {
    match kind {
        Arbiter::RoundRobin | Arbiter::RrTree => round_robin(requests),
        Arbiter::FixedPriority => Area::default(),
        Arbiter::Matrix => matrix(requests),
        Arbiter::OldestFirst => oldest_first(requests),
    }
}

/// Area of the ages that the inputs of a switch keep for its arbiters.
fn ages(kind: Arbiter, inputs: u64) -> Area {
    match kind {
        Arbiter::OldestFirst => Area::cells(AGE_BITS * inputs),
        Arbiter::RoundRobin | Arbiter::FixedPriority | Arbiter::RrTree | Arbiter::Matrix => Area::default(),
    }
}

/// Levels of logic of an arbiter of a kind, of `requests` requests.
#[must_use]
pub fn levels(kind: Arbiter, requests: u64) -> f64 {
    if requests < 2 {
        return 0.0;
    }
    let round_robin = (LEVELS.0 * log2(requests) - LEVELS.1).max(0.0);
    match kind {
        Arbiter::RoundRobin => round_robin,
        Arbiter::FixedPriority => round_robin / 2.0,
        Arbiter::RrTree => TREE * round_robin,
        Arbiter::Matrix => MATRIX.0 + MATRIX.1 * log2(requests),
        Arbiter::OldestFirst => COMPARE.1 * bits_of(requests) as f64,
    }
}

/// The arbiters of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let (inputs, arbiter) = (s.inputs(), s.network.switch.arbiter);
    let incremental = |lanes: u64| {
        let several = if lanes > 1 { LANES * (lanes * lanes) as f64 } else { 0.0 };
        one(arbiter, inputs) * lanes + Area::gates(several)
    };
    let atomic = |lanes: u64| Area::gates(ATOMIC.0 + ATOMIC.1 * lanes as f64) * inputs;
    let groups = s.groups();
    let all = |area: &dyn Fn(u64) -> Area| groups.iter().map(|&(count, lanes)| area(lanes) * count).sum::<Area>();
    let lanes = match s.network.switch.acquisition {
        Acquisition::Incremental => all(&incremental),
        Acquisition::Atomic => order(arbiter, inputs) + all(&atomic),
    };
    let turns = match s.network.switch.lane_choice {
        LaneChoice::Lowest => Area::default(),
        LaneChoice::RoundRobin => all(&round_robin),
    };
    lanes + turns + ages(arbiter, inputs)
}
