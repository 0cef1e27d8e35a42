//! Routing decisions.

use crate::coverage::dimensions::{ENCODING, names};
use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "decision",
    blocks: &["hw/decoder", "hw/header", "src/engine/banked/switch/mod"],
    event: "A switch decides the branches of a worm.",
    dimensions: &[
        ENCODING,
        Dimension {
            name: "header_timing",
            meaning: "When the decoder starts.",
            values: names!(wormscope_hw::HeaderTiming),
        },
        Dimension {
            name: "routing_cycles",
            meaning: "Cycles of a routing decision.",
            values: &["0", "1", "2_or_more"],
        },
    ],
    excluded,
};

fn excluded(values: &[usize]) -> Option<&'static str> {
    match values {
        [2 | 3, 2, _] => Some("switches strip flits of this header, so it cannot be beside the flits"),
        _ => None,
    }
}
