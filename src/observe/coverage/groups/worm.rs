//! Worms as their sources create them.

use crate::coverage::dimensions::ENCODING;
use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "worm",
    blocks: &["hw/injector", "hw/flit"],
    event: "A source creates a worm.",
    dimensions: &[
        ENCODING,
        Dimension {
            name: "destinations",
            meaning: "Number of destinations.",
            values: &["1", "2", "3", "4_to_7", "8_or_more"],
        },
        Dimension {
            name: "length",
            meaning: "Whether the worm, header included, fits into a FIFO (`in_fifo`) or is longer.",
            values: &["in_fifo", "longer"],
        },
    ],
    excluded,
};

/// The value of `destinations` for a number of nodes.
pub(in crate::observe::coverage) const fn destinations(nodes: usize) -> usize {
    match nodes {
        0 | 1 => 0,
        2 | 3 => nodes - 1,
        4..=7 => 3,
        _ => 4,
    }
}

fn excluded(values: &[usize]) -> Option<&'static str> {
    (values[0] == 0 && values[1] > 0).then_some("a unicast has one destination")
}
