//! Input FIFO of a lane: cells, a multiplexer that reads the front cell, a pointer and a counter.
//!
//! The area is `7.92 D F + 2.2 (D - 1) R + 19.3 (log2 D + log2 (D + 1))` for D flits of F bits, R
//! of which are read at the front. All bits are read there, unless the crossbar reads all cells:
//! then the decoder alone reads the front cell.

use super::unit::{Area, READ, bits_of};
use super::{SwitchShape, header_store};

/// Gates of a bit of a cell: a flip-flop without reset, and the multiplexer that writes it.
const CELL: f64 = 7.92;
/// Gates of a bit of the pointer and of the counter.
const COUNT: f64 = 19.3;

/// A FIFO of `depth` flits of `bits` bits, `read` of which are read at the front.
fn reading(depth: u64, bits: u64, read: u64) -> Area {
    let (cells, counters) = (depth * bits, bits_of(depth) + bits_of(depth + 1));
    let read = READ * ((depth - 1) * read) as f64;
    Area { ge: CELL * cells as f64 + read + COUNT * counters as f64, flip_flops: cells + counters }
}

/// A FIFO of `depth` flits of `bits` bits.
#[must_use]
pub fn one(depth: u64, bits: u64) -> Area {
    reading(depth, bits, bits)
}

/// The input FIFOs of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let read = if s.reads_all_cells() { header_store::front(s) + s.side_bits() } else { s.cell_bits() };
    s.fifos().into_iter().map(|(depth, count)| reading(depth, s.cell_bits(), read) * count).sum()
}
