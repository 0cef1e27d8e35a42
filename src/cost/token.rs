//! Station of a token ring. It has a request for every input lane, the holder of the token, the
//! number of flits that have left since, and a pointer.
//!
//! The area is `(I + log2 (I + 1) + log2 (bound + 2)) (ff + next)` and a round-robin arbiter of I,
//! with the bound of docs/reference/timing.md.

use wormscope_hw::token_station;

use super::SwitchShape;
use super::arbiter::round_robin;
use super::unit::{Area, bits_of};
use crate::network::part_flits;

/// The station of a switch, if it has one.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let Some(to_come) = s.ports.station else { return Area::default() };
    let (network, inputs) = (s.network, s.inputs());
    let depth = network.switch.fifo_depth;
    let strips = s.encodings.iter().filter(|encoding| encoding.header().each_switch_strips());
    let stripped = strips.map(|encoding| part_flits(network, encoding)).max().unwrap_or(0);
    let bound = token_station::bound(to_come, depth, network.node.consumption_depth.unwrap_or(depth), stripped);
    Area::state(inputs + bits_of(inputs + 1) + bits_of(u64::from(bound) + 2)) + round_robin(inputs)
}
