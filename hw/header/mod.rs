//! Header decoders: how many flits a decision needs, and which branches it yields. One encoding a file.
//!
//! The bits of a header travel with its flits; the bank keeps them once, beside the head flit, as 64-bit words. A decoder
//! reads them only when the flits that carry them are in the FIFO ([`ready`]), except with *overlapped* timing, the one
//! licensed look at flits that have not arrived (docs/TIMING.md, "Header decoder").

pub mod bit_string;
pub mod multidestination;
pub mod multiport;
pub mod unicast;

use alloc::vec::Vec;

use crate::flit::Flit;

/// A flit with the bits of its worm's header, which stand beside the head. A bit-string is kept word by word, addresses and masks one a word,
/// the first one last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The flit.
    pub flit: Flit,
    /// The header, with a head.
    pub header: Option<Vec<u64>>,
}

/// Whether the flits that a decision needs are in the FIFO.
#[must_use]
#[inline(always)]
pub const fn ready(count: u16, needed: u16, overlapped: bool) -> bool {
    overlapped || count >= needed
}

/// Flits that carry `bits` bits, `flit_bits` each.
#[must_use]
pub const fn flits(bits: u32, flit_bits: u32) -> u32 {
    bits.div_ceil(flit_bits)
}
