//! Flits that cross: full and empty FIFOs on both sides.

use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "crossing",
    blocks: &[
        "hw/fifo",
        "hw/credit",
        "hw/crossbar",
        "hw/link",
        "src/engine/banked/counter",
        "src/engine/banked/switch/crossing",
        "src/engine/banked/switch/registers",
    ],
    event: "A flit crosses an output lane of a switch.",
    dimensions: &[
        Dimension {
            name: "flit",
            meaning: "The only flit of the worm on this lane, its first, one between, or its last.",
            values: &["only", "head", "body", "tail"],
        },
        Dimension {
            name: "fifo_before",
            meaning: "Flits in the FIFO that the flit leaves, itself included: one, some, or as many as it holds.",
            values: &["one_flit", "part", "full"],
        },
        Dimension {
            name: "credits",
            meaning: "Credits of the lane before the flit: one or none, some, or all.",
            values: &["last", "part", "all"],
        },
    ],
    excluded,
};

/// The value of `fifo_before`.
#[inline(always)]
pub(in crate::observe::coverage) const fn fifo(count: u16, depth: u16) -> usize {
    if count >= depth {
        2
    } else if count > 1 {
        1
    } else {
        0
    }
}

/// The value of `credits`.
#[inline(always)]
pub(in crate::observe::coverage) const fn credits(count: u16, all: u16) -> usize {
    if count <= 1 {
        0
    } else if count < all {
        1
    } else {
        2
    }
}

fn excluded(_: &[usize]) -> Option<&'static str> {
    None
}
