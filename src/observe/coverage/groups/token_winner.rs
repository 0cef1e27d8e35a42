//! Winners of the token.

use crate::coverage::group::{BinGroup, Dimension, none};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "token_winner",
    blocks: &["hw/token_station", "src/engine/banked/switch/token"],
    event: "A station captures the token for a worm.",
    dimensions: &[
        Dimension {
            name: "waiting",
            meaning: "Input lanes that wait for the token in this cycle, the winner included.",
            values: &["1", "2", "3_or_more"],
        },
        Dimension {
            name: "holder_before",
            meaning: "Holder of the token before at this station, seen from the holder now: none, the same, a lower input lane, a higher one.",
            values: &["none", "same", "lower", "higher"],
        },
    ],
    excluded: none,
};
