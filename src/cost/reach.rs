//! Reach tables of bit-string worms. They have the nodes that each port leads to, and are wired
//! into the switch. Each output lane clears the bits of all other nodes in the header flits that
//! cross. The decoder compares a header with the same tables.
//!
//! The area is `O (2.1 + 2 (W - N / G) + 11.8 log2 (H + 1))`, for headers of N nodes in H flits
//! of W bits, and G lane groups. The last term is 0 for one flit.

use super::SwitchShape;
use super::unit::{Area, bits_of};

/// Gates that tell a header flit.
const LANE: f64 = 2.1;
/// Gates that clear a bit.
const CLEAR: f64 = 2.0;
/// Gates of a bit of the number of the header flit.
const WORD: f64 = 11.8;

/// Bits of the tables of a switch.
#[must_use]
pub fn bits(s: &SwitchShape) -> u64 {
    s.out_ports() * s.string_bits()
}

/// The tables of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    if s.string_bits() == 0 {
        return Area::default();
    }
    // The bits that cross at the same time.
    let width = if s.is_beside() { s.string_bits() } else { s.flit_bits() };
    let flits = s.string_bits().div_ceil(width);
    let word = if flits > 1 { bits_of(flits + 1) } else { 0 };
    let reached = s.string_bits() as f64 / s.branches() as f64;
    let cleared = (width as f64 - reached).max(0.0);
    let lane = Area { ge: LANE + CLEAR * cleared + WORD * word as f64, flip_flops: word };
    lane * s.outputs()
}
