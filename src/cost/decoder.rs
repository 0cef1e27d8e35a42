//! Header decoder of an input lane. It has its states, and the wired tables that lead from a header
//! to the lane groups of its branches.
//!
//! The area is `47.5 + 6.6 G + 7.1 log2 R` for G lane groups and `routing_cycles` R. Arbiters that
//! compare ages need 8.9 more for each bit of the age. So do the side signals of a synchronous
//! worm. Each encoding adds, for N nodes with addresses of A bits:
//! - unicast: `3.5 A` if N is no power of two;
//! - bit-string: `1.7 N`, to meet the header with the reach of each port;
//! - multidestination: 97, for the next address and to strip its own;
//! - multiport, of b ports: `38 + 9.3 b`, for a register of the mask and to strip it;
//! - masks: `6.6 A`, to match the nodes.

use super::SwitchShape;
use super::unit::{Area, bits_of};
use wormscope_hw::Encoding;

/// Gates of the states of a decoder.
const STATES: f64 = 47.5;
/// Gates of a lane group.
const GROUP: f64 = 6.6;
/// Gates of a bit of the counter of the cycles of a decision.
const WAIT: f64 = 7.1;
/// Gates of a bit of the age.
const AGE: f64 = 8.9;
/// Gates of a bit of an address among nodes that are no power of two.
const ADDRESS: f64 = 3.5;
/// Gates of a node of a bit-string.
const STRING: f64 = 1.7;
/// Gates of a path of addresses.
const PATH: f64 = 97.0;
/// Gates of a mask of ports, and of each of its bits.
const PORTS: (f64, f64) = (38.0, 9.3);
/// Gates of a bit of an address that a mask may ignore.
const MATCH: f64 = 6.6;

/// Gates that an encoding adds.
fn decision(s: &SwitchShape, encoding: Encoding) -> f64 {
    let (nodes, address) = (s.network.nodes(), f64::from(s.network.address_bits()));
    match encoding {
        Encoding::Unicast if nodes.is_power_of_two() => 0.0,
        Encoding::Unicast => ADDRESS * address,
        Encoding::BitString => STRING * f64::from(nodes),
        Encoding::Multidestination => PATH,
        Encoding::Multiport => PORTS.0 + PORTS.1 * s.mask_bits() as f64,
        Encoding::Mask | Encoding::CoordinateMask => MATCH * address,
    }
}

/// The header decoders of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let wait = bits_of(s.network.switch.routing_cycles.into());
    let decisions: f64 = s.encodings.iter().map(|encoding| decision(s, encoding)).sum();
    let kept = s.age_bits() + s.tree_bits();
    let ages = AGE * kept as f64;
    let ge = STATES + GROUP * s.branches() as f64 + WAIT * wait as f64 + ages + decisions;
    let strips = s.encodings.iter().any(|encoding| encoding.header().strips());
    let states = 6 + u64::from(strips) + wait + kept + s.mask_bits();
    Area { ge, flip_flops: states } * s.inputs()
}
