//! Lanes that share a link.

use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "turn",
    blocks: &["hw/multiplexer"],
    event: "A flit crosses a link of several virtual channels.",
    dimensions: &[
        Dimension {
            name: "link_of",
            meaning: "The link begins at a switch, or at a node that injects.",
            values: &["switch", "node"],
        },
        Dimension {
            name: "channels_owned",
            meaning: "Channels of the link with an owner.",
            values: &["1", "2", "3_or_more"],
        },
        Dimension {
            name: "channel_before",
            meaning: "The channel that sent a flit before, seen from this channel.",
            values: &["same", "lower", "higher"],
        },
    ],
    excluded,
};

/// Order of a channel behind the channel that sent a flit before.
pub fn order(before: u8, channel: u8) -> usize {
    match before.cmp(&channel) {
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Less => 1,
        std::cmp::Ordering::Greater => 2,
    }
}

fn excluded(_: &[usize]) -> Option<&'static str> {
    None
}
