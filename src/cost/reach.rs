//! Reach tables of bit-string worms. They have the nodes that each port leads to, and are wired
//! into the switch. Header flits are masked with them as they cross. Other encodings compare and
//! need no tables.
//!
//! The area is `P N table + O (W and + log2 H (ff + next))`, for P ports, N nodes, and headers of H
//! flits of W bits.

use super::SwitchShape;
use super::unit::{AND, Area, TABLE, bits_of};

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
    let flits = s.string_bits().div_ceil(s.flit_bits());
    let mask = Area::gates(AND * s.flit_bits() as f64) + Area::state(bits_of(flits));
    Area::gates(TABLE * bits(s) as f64) + mask * s.outputs()
}
