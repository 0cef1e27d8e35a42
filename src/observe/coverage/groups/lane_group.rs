//! Occupancy of lane groups.

use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "lane_group",
    blocks: &["hw/lane_group", "hw/lane", "hw/credit"],
    event: "An input lane gets an output lane.",
    dimensions: &[
        Dimension {
            name: "leads_to",
            meaning: "End of the lane: a switch, the stage above (any of several ports), a node.",
            values: &["switch", "stage_above", "node"],
        },
        Dimension { name: "lanes", meaning: "Lanes in the group.", values: &["1", "2", "3_or_more"] },
        Dimension {
            name: "owned",
            meaning: "Lanes of the group with an owner, this one included.",
            values: &["one", "several", "all"],
        },
        Dimension {
            name: "granted",
            meaning: "Whether the lane has a credit.",
            values: &["without_credit", "with_credit"],
        },
    ],
    excluded,
};

/// The value of `owned`, from the lanes of a group and those that have an owner.
#[inline(always)]
pub(in crate::observe::coverage) const fn owned(lanes: u32, owned: u32) -> usize {
    if owned >= lanes {
        2
    } else if owned == 1 {
        0
    } else {
        1
    }
}

fn excluded(values: &[usize]) -> Option<&'static str> {
    match values {
        [1, 0, ..] => Some("a switch has two ports to the stage above, or more"),
        [_, 0, 0 | 1, _] => Some("one lane is all lanes"),
        [_, 1, 1, _] => Some("several of two lanes are all lanes"),
        _ => None,
    }
}
