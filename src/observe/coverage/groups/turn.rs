//! Lanes that share a link.

use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "turn",
    blocks: &["hw/multiplexer"],
    event: "A flit crosses a link of several virtual channels.",
    dimensions: &[
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

fn excluded(_: &[usize]) -> Option<&'static str> {
    None
}
