//! Registers on the way through a switch.

use crate::coverage::group::{BinGroup, Dimension, none};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "pipeline",
    blocks: &["hw/link", "hw/lane", "hw/credit"],
    event: "The first flit of a worm crosses an output lane.",
    dimensions: &[
        Dimension { name: "allocation_cycles", meaning: "Cycles from a grant to the crossing.", values: &["0", "1"] },
        Dimension { name: "crossbar_cycles", meaning: "Cycles of the crossbar.", values: &["0", "1_or_more"] },
        Dimension { name: "link_cycles", meaning: "Cycles of a link.", values: &["1", "2_or_more"] },
        Dimension { name: "credit_cycles", meaning: "Cycles of a credit.", values: &["1", "2_or_more"] },
    ],
    excluded: none,
};
