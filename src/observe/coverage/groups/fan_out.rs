//! Branches of worms.

use crate::coverage::dimensions::{ENCODING, FAN_OUT, REPLICATION};
use crate::coverage::group::BinGroup;

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "fan_out",
    blocks: &["hw/decoder", "hw/header", "hw/replication", "src/engine/banked/switch/mod"],
    event: "A switch decides the branches of a worm.",
    dimensions: &[ENCODING, FAN_OUT, REPLICATION],
    excluded,
};

/// Reason why a worm of an encoding cannot have so many branches.
pub(in crate::observe::coverage) const fn too_many(encoding: usize, fan_out: usize) -> Option<&'static str> {
    match (encoding, fan_out) {
        (0, 1..) => Some("a unicast has one branch"),
        (2, 2..) => Some("a path worm has a local branch and a forward branch"),
        _ => None,
    }
}

fn excluded(values: &[usize]) -> Option<&'static str> {
    let synchronous = match values {
        [2 | 5, _, 4] => Some("synchronous worms need stages, and this header needs a grid"),
        _ => None,
    };
    too_many(values[0], values[1]).or(synchronous)
}
