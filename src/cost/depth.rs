//! Levels of logic between two registers, on the longest path of a switch.
//!
//! A round-robin arbiter of n requests has `r(n) = 15.5 log2 n - 12` levels, and fixed priority has
//! half of them. The path of a cycle goes through
//! - the decision, if it takes no cycle of its own: `4 + 2 log2 A` for A address bits, `3 + log2 N`
//!   for a bit-string of N;
//! - a token station, if there is one: `r(I)`;
//! - the choice of the next branch, with sequential replication: `log2 G`;
//! - the grants: lanes of a group are granted one after the other, `K r(I)` for the largest group.
//!   Atomic acquisition serves the inputs one after the other, `I (14 + 4 log2 K)`;
//! - the crossing, if it shares the cycle with the grant: `2 log2 I` rounded up, and `r(V)` where
//!   virtual channels take turns.

use super::unit::{bits_of, log2};
use super::{SwitchShape, arbiter, decoder};
use wormscope_hw::{Acquisition, Arbiter, Replication};

/// Levels of an input in the allocator of a switch, and levels for each doubling of the lanes of a
/// group.
const ATOMIC: (f64, f64) = (14.0, 4.0);

fn round_robin(requests: u64) -> f64 {
    arbiter::levels(Arbiter::RoundRobin, requests)
}

/// Levels of the decision.
fn decision(s: &SwitchShape) -> f64 {
    s.encodings.iter().map(|encoding| decoder::decision(s, encoding).levels).fold(0.0, f64::max)
}

/// Levels of the grants.
fn grants(s: &SwitchShape) -> f64 {
    let lanes = s.groups().into_iter().filter(|(count, _)| *count > 0).map(|(_, lanes)| lanes).max().unwrap_or(1);
    let switch = &s.network.switch;
    let granted = match switch.acquisition {
        Acquisition::Incremental => lanes as f64 * arbiter::levels(switch.arbiter, s.inputs()),
        Acquisition::Atomic => s.inputs() as f64 * (ATOMIC.0 + ATOMIC.1 * log2(lanes)),
    };
    let station = if s.ports.station.is_some() { round_robin(s.inputs()) } else { 0.0 };
    let next = if s.replication() == Some(Replication::Sequential) { log2(s.branches()) } else { 0.0 };
    station + next + granted
}

/// Levels of the longest path of a switch, rounded.
#[allow(clippy::cast_sign_loss)] // Nothing is negative.
#[must_use]
pub fn levels(s: &SwitchShape) -> u32 {
    let crossing = 2.0 * bits_of(s.inputs()) as f64 + round_robin(s.channels().max(s.node_channels()));
    let (mut decision, mut grants, mut crossing) = (decision(s), grants(s), crossing);
    let switch = &s.network.switch;
    if switch.routing_cycles == 0 {
        (decision, grants) = (0.0, decision + grants);
    }
    if switch.allocation_cycles == 0 {
        (grants, crossing) = (0.0, grants + crossing);
    }
    decision.max(grants).max(crossing).round() as u32
}
