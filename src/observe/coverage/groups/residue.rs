//! Residues: header flits that arrive at a node.

use crate::coverage::dimensions::ENCODING;
use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "residue",
    blocks: &["hw/header", "hw/sink", "hw/node"],
    event: "A worm has arrived at a destination, and its header takes flits.",
    dimensions: &[
        ENCODING,
        Dimension {
            name: "header_flits",
            meaning: "Header flits that arrive at the node.",
            values: &["0", "1", "2_or_more"],
        },
    ],
    excluded,
};

fn excluded(values: &[usize]) -> Option<&'static str> {
    match values {
        [3, 1 | 2] => Some("the last switch strips the last mask"),
        [4 | 5, 1] => Some("an address and a mask are two flits, or more"),
        [0 | 1 | 4 | 5, 0] => Some("switches strip no flit of this header"),
        _ => None,
    }
}
