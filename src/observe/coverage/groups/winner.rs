//! Winners of contests.

use crate::coverage::dimensions::ARBITER;
use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "winner",
    blocks: &["hw/arbiter"],
    event: "One of several input lanes that ask for a port gets a lane.",
    dimensions: &[
        ARBITER,
        Dimension {
            name: "winner",
            meaning: "Place of the winner among the input lanes that ask, by number.",
            values: &["lowest", "between", "highest"],
        },
    ],
    excluded,
};

/// The value of `winner`: the place of an input lane among several that ask.
#[inline(always)]
pub(in crate::observe::coverage) const fn rank(asking: u64, winner: u8) -> usize {
    let below = asking & ((1 << winner) - 1);
    let above = asking & !((1 << winner) - 1) & !(1 << winner);
    match (below, above) {
        (0, _) => 0,
        (_, 0) => 2,
        _ => 1,
    }
}

fn excluded(_: &[usize]) -> Option<&'static str> {
    None
}
