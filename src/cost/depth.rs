//! Levels of logic between two registers, on the longest path of a switch. The path goes from a
//! FIFO through the decoder, the arbiters, the replication unit and the crossbar to the registers
//! of all of them.
//!
//! The levels are the sum of
//! - `1.7 (13 + log2 N)` for the decoder, the replication unit and the crossbar, with N nodes.
//!   There are 9.2 more if N is no power of two;
//! - `7.3 log2 D` for a FIFO of D flits, and `9.9 log2 D` more if branches read by themselves;
//! - `10.2 log2 I` for a token station;
//! - `5.3 log2 V` for V virtual channels that take turns;
//! - the grants: the lanes of a group are granted one after the other, `c K log2 I` for the largest
//!   group, with c by the kind of arbiter. Atomic acquisition visits the inputs one after the
//!   other, `I (c log2 I + 2 log2 K)`. Synchronous worms claim lanes one after the other,
//!   `24 + 12.5 I`.
//!
//! `log2` is not rounded for I and K.

use super::SwitchShape;
use super::unit::{bits_of, log2};
use wormscope_hw::{Acquisition, Arbiter};

/// Levels of the path besides all others, and for each doubling of the nodes.
const PATH: (f64, f64) = (22.2, 1.7);
/// Levels to compare an address with a number of nodes that is no power of two.
const ADDRESS: f64 = 9.2;
/// Levels of a FIFO for each doubling of its flits: of its front, and of the cells that branches
/// read by themselves.
const FIFO: (f64, f64) = (7.3, 9.9);
/// Levels of a token station for each doubling of the input lanes.
const STATION: f64 = 10.2;
/// Levels of the turns of virtual channels, for each doubling of them.
const TURNS: f64 = 5.3;
/// Levels of a visit to an input lane for each doubling of the lanes of a group.
const VISIT: f64 = 2.0;

/// Levels of a reservation: of the order of two worms, and of a claim.
const RESERVATION: (f64, f64) = (24.0, 12.5);

/// Levels of an arbiter for each doubling of its requests.
const fn request(kind: Arbiter) -> f64 {
    match kind {
        Arbiter::RoundRobin => 6.0,
        Arbiter::FixedPriority => 4.2,
        Arbiter::RrTree => 6.4,
        Arbiter::Matrix => 5.1,
        Arbiter::OldestFirst => 15.4,
    }
}

/// Levels of the grants.
fn grants(s: &SwitchShape) -> f64 {
    let lanes = s.groups().into_iter().filter(|(count, _)| *count > 0).map(|(_, lanes)| lanes).max().unwrap_or(1);
    let (kind, inputs) = (s.network.switch.arbiter, s.inputs());
    if s.is_synchronous() {
        return RESERVATION.0 + RESERVATION.1 * inputs as f64;
    }
    // The oldest of all requests is found one after the other.
    let steps = if kind == Arbiter::OldestFirst { inputs.saturating_sub(1) as f64 } else { log2(inputs) };
    match s.network.switch.acquisition {
        Acquisition::Incremental => lanes as f64 * request(kind) * steps,
        Acquisition::Atomic => inputs as f64 * (request(kind) * steps + VISIT * log2(lanes)),
    }
}

/// Levels of the longest path of a switch, rounded.
#[allow(clippy::cast_sign_loss)] // Nothing is negative.
#[must_use]
pub fn levels(s: &SwitchShape) -> u32 {
    let address = if s.network.nodes().is_power_of_two() { 0.0 } else { ADDRESS };
    let path = PATH.0 + PATH.1 * f64::from(s.network.address_bits()) + address;
    let cells = FIFO.0 + if s.reads_all_cells() { FIFO.1 } else { 0.0 };
    let station = if s.ports.station.is_some() { STATION * log2(s.inputs()) } else { 0.0 };
    let turns = TURNS * bits_of(s.channels().max(s.node_channels())) as f64;
    (path + cells * bits_of(s.deepest()) as f64 + station + turns + grants(s)).round() as u32
}
