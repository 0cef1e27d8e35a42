//! Contests for output lanes.

use crate::coverage::dimensions::ARBITER;
use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "contest",
    blocks: &[
        "hw/arbiter",
        "hw/allocator",
        "hw/reservation",
        "src/engine/banked/switch/acquisition",
        "src/engine/banked/switch/reservation",
    ],
    event: "An input lane gets an output lane.",
    dimensions: &[
        ARBITER,
        Dimension {
            name: "contenders",
            meaning: "Input lanes that ask for a lane of the same port in this cycle, the winner included.",
            values: &["1", "2", "3_or_more"],
        },
        Dimension {
            name: "winner_before",
            meaning: "The previous winner of this lane, compared with this one: none, the same, a lower input lane, a higher one.",
            values: &["none", "same", "lower", "higher"],
        },
    ],
    excluded,
};

/// The value of `winner_before`, from the winners of the lane.
#[inline(always)]
pub(in crate::observe::coverage) const fn before(before: u8, winner: u8, none: u8) -> usize {
    if before == none {
        0
    } else if before == winner {
        1
    } else if before < winner {
        2
    } else {
        3
    }
}

fn excluded(_: &[usize]) -> Option<&'static str> {
    None
}
