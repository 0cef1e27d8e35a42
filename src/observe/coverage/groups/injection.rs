//! Injection channels.

use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "injection",
    blocks: &["hw/injector", "hw/node", "hw/credit"],
    event: "An injection channel begins to do something else, or its queue changes.",
    dimensions: &[
        Dimension {
            name: "channel",
            meaning: "The channel sends a flit, has no credit, waits for its turn on the link, or has no worm under way.",
            values: &["sends", "no_credit", "turn", "idle"],
        },
        Dimension {
            name: "queue",
            meaning: "Messages that wait at the node, the one under way included.",
            values: &["0", "1", "2", "3_or_more"],
        },
    ],
    excluded,
};

fn excluded(values: &[usize]) -> Option<&'static str> {
    match values {
        [1 | 2, 0] => Some("a worm that waits to leave is counted in the queue"),
        _ => None,
    }
}
