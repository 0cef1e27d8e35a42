//! Tokens and requests.

use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "token",
    blocks: &["hw/token_station", "hw/token_ring", "hw/feedback", "src/engine/banked/switch/token"],
    event: "A station of a token ring changes.",
    dimensions: &[
        Dimension {
            name: "token",
            meaning: "The token is not here, passes, is captured in this cycle, is held, or is released.",
            values: &["elsewhere", "passes", "captured", "held", "released"],
        },
        Dimension {
            name: "requests",
            meaning: "Input lanes that wait for the token.",
            values: &["0", "1", "2_or_more"],
        },
    ],
    excluded,
};

/// The value of `token`, from the token and its holder now and before.
pub(in crate::observe::coverage) const fn state(here: bool, holder: Option<u8>, before: Option<u8>) -> usize {
    match (here, holder, before) {
        (_, Some(now), Some(before)) if now == before => 3,
        (_, Some(_), _) => 2,
        (_, None, Some(_)) => 4,
        (true, None, None) => 1,
        (false, None, None) => 0,
    }
}

fn excluded(values: &[usize]) -> Option<&'static str> {
    match values {
        [3, 0] => Some("a station that holds its token changes only when another worm asks"),
        _ => None,
    }
}
