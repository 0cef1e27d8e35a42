//! Worms behind each other.

use crate::coverage::group::{BinGroup, Dimension, none};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "behind",
    blocks: &["hw/decoder", "hw/fifo", "hw/lane", "hw/injector", "hw/sink"],
    event: "A worm comes to a place where another worm has been before.",
    dimensions: &[
        Dimension {
            name: "place",
            meaning: "Place of the two worms. An output lane got the second worm from the same input lane or from another one.",
            values: &["input", "output_same_input", "output_other_input", "injection", "consumption"],
        },
        Dimension {
            name: "cycles_between",
            meaning: "Cycles between the last flit of the first worm and the first flit of the second worm.",
            values: &["0", "1", "2", "3", "4_to_7", "8_or_more"],
        },
    ],
    excluded: none,
};

/// The value of `cycles_between`: cycles without a flit of either worm.
#[inline(always)]
pub(in crate::observe::coverage) const fn between(cycles: u64) -> usize {
    match cycles {
        0..=3 => cycles as usize,
        4..=7 => 4,
        _ => 5,
    }
}
