//! Header store of an input lane, for decisions that need more than the front flit. A decision
//! reads the bits behind the front flit at the same time, with a multiplexer for each bit.
//!
//! The area is `2.2 (D - 1) b`, for b bits behind the front flit in FIFOs of D flits.

use super::SwitchShape;
use super::unit::{Area, READ};
use wormscope_hw::Encoding;

/// Bits that a decision reads in the front flit, and behind it. A header beside the flits is not in
/// them.
fn read(s: &SwitchShape, encoding: Encoding) -> (u64, u64) {
    if s.is_beside() {
        return (0, 0);
    }
    let header = encoding.header();
    let part = u64::from(header.part_bits(&s.network.layout()));
    let front = part.min(s.flit_bits());
    (front, part * u64::from(header.decision_parts(2)) - front)
}

/// Bits of the front flit that a decision reads.
pub(super) fn front(s: &SwitchShape) -> u64 {
    s.encodings.iter().map(|encoding| read(s, encoding).0).max().unwrap_or(0)
}

/// Number of bits of the mask of a multiport worm, which an input lane keeps until the decision.
#[must_use]
pub fn bits(s: &SwitchShape) -> u64 {
    s.mask_bits()
}

/// The header stores of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let behind = s.encodings.iter().map(|encoding| read(s, encoding).1).max().unwrap_or(0);
    let one = |(depth, count)| Area::gates(READ * ((depth - 1) * behind) as f64) * count;
    s.fifos().into_iter().map(one).sum()
}
