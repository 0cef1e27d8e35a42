//! Header store of an input lane, for decisions that need more than the front flit. A decision
//! reads the cells after it at the same time, with a multiplexer for each further flit. The mask of
//! a multiport worm stays in a register until the decision.
//!
//! The area is `(H_dec - 1) (D - 1) W mux + b (ff + mux)`, for decisions of `H_dec` flits of W bits
//! and masks of b bits.

use super::SwitchShape;
use super::unit::{Area, choice};

/// Number of bits that are kept for an input lane.
#[must_use]
pub fn bits(s: &SwitchShape) -> u64 {
    s.mask_bits()
}

/// The header stores of a switch.
#[must_use]
pub fn area(s: &SwitchShape) -> Area {
    let behind = choice(s.flit_bits(), s.depth()) * s.decision_flits().saturating_sub(1);
    (behind + Area::cells(bits(s))) * s.inputs()
}
