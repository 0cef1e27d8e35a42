//! Station of a token ring. It has a request for every input lane, the holder of the token, the
//! number of flits that have left since, and a pointer.
//!
//! The area is `27 J + 12.5 c + 4.5 I c`, for I input lanes at J places of lanes, and a counter of
//! c bits. The counter counts to the bound of docs/reference/timing.md.

use wormscope_hw::{Encoding, token_station};

use super::SwitchShape;
use super::unit::{Area, bits_of};
use crate::network::part_flits;

/// Gates of a place of an input lane.
const INPUT: f64 = 27.0;
/// Gates of a bit of the counter.
const COUNT: f64 = 12.5;
/// Gates of a bit of the bound of an input lane.
const BOUND: f64 = 4.5;

/// The station of a switch, if it has one.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let Some(to_come) = s.ports.station else { return Area::default() };
    let (network, inputs) = (s.network, s.inputs());
    // All stations of a network count with the same bits, with any encoding.
    let strips = Encoding::ALL.into_iter().filter(|encoding| encoding.header().each_switch_strips());
    let stripped = strips.map(|encoding| part_flits(network, encoding)).max().unwrap_or(0);
    let bound = token_station::bound(to_come, network.switch.fifo_depth, network.consumption_depth(), stripped);
    let count = bits_of(u64::from(bound) + 2);
    let places = f64::from(network.input_lanes());
    let ge = INPUT * places + COUNT * count as f64 + BOUND * (inputs * count) as f64;
    Area { ge, flip_flops: 2 * inputs + count + bits_of(inputs) }
}
