//! Replication unit and FIFO.

use crate::coverage::dimensions::REPLICATION;
use crate::coverage::group::{BinGroup, Dimension};

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "replication",
    blocks: &["hw/replication", "hw/fifo", "src/engine/banked/switch/crossing"],
    event: "At an input lane with several branches, the state of the FIFO or of the front flit changes.",
    dimensions: &[
        REPLICATION,
        Dimension {
            name: "fifo",
            meaning: "Flits in the FIFO: none, some, or as many as it holds.",
            values: &["empty", "part", "full"],
        },
        Dimension {
            name: "front",
            meaning: "Whether some branches have taken the front flit and others have not.",
            values: &["no_branch_took_it", "some_took_it"],
        },
    ],
    excluded,
};

fn excluded(values: &[usize]) -> Option<&'static str> {
    match values {
        [3, 0, 0] => Some("a sequential worm stays in the FIFO until its last branch has it"),
        [_, 0, 1] => Some("an empty FIFO has no front flit"),
        [1, _, 1] => Some("in lockstep all branches take a flit together"),
        _ => None,
    }
}
