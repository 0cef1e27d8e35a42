//! Input FIFO of a lane: cells, a multiplexer that reads the front cell, pointers to read and to
//! write, and a counter.
//!
//! The area is `D F (ff + mux) + (D - 1) F mux + (2 log2 D + log2 (D + 1)) (ff + next) + 2 D` for D
//! flits of F bits.

use super::SwitchShape;
use super::unit::{Area, bits_of, choice};

/// Gates to decode the write pointer, for each cell.
const WRITE: f64 = 2.0;

/// A FIFO of `depth` flits of `bits` bits.
#[must_use]
pub fn one(depth: u64, bits: u64) -> Area {
    let control = Area::state(2 * bits_of(depth) + bits_of(depth + 1)) + Area::gates(WRITE * depth as f64);
    Area::cells(depth * bits) + choice(bits, depth) + control
}

/// The input FIFOs of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    one(s.depth(), s.cell_bits()) * s.inputs()
}
