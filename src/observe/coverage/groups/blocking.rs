//! Blocked branches.

use super::fan_out::too_many;
use crate::coverage::dimensions::{ENCODING, FAN_OUT};
use crate::coverage::group::{BinGroup, Dimension};
use crate::engine::LinkWaits;
use wormscope_hw::PortMask;

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "blocking",
    blocks: &["hw/replication", "hw/credit", "hw/allocator", "src/engine/banked/switch/mod"],
    event: "The set of blocked branches of a worm changes, and is not empty.",
    dimensions: &[
        ENCODING,
        FAN_OUT,
        Dimension {
            name: "blocked",
            meaning: "Branches that cannot cross: only the branch of the lowest port (`first`), one other, several but not all, or all.",
            values: &["first", "other", "several", "all"],
        },
        Dimension {
            name: "blocked_by",
            meaning: "What they wait for: all for a credit, all for a lane or a turn on the link, or some for each (`both`).",
            values: &["credit", "lane", "both"],
        },
    ],
    excluded,
};

/// The values of `blocked` and `blocked_by`.
#[inline(always)]
pub(in crate::observe::coverage) fn values(branches: PortMask, waits: LinkWaits) -> [usize; 2] {
    let all = PortMask(waits.no_credit.0 | waits.lane_wait.0);
    let which = match all.count() {
        n if n >= branches.count() => 3,
        1 => usize::from(all != branches.lowest()),
        _ => 2,
    };
    let by = match (waits.no_credit.is_empty(), waits.lane_wait.is_empty()) {
        (false, true) => 0,
        (true, _) => 1,
        (false, false) => 2,
    };
    [which, by]
}

fn excluded(values: &[usize]) -> Option<&'static str> {
    let &[encoding, fan_out, blocked, by] = values else { return None };
    let few = match (fan_out, blocked, by) {
        (0, 0..=2, _) => Some("one branch is all branches"),
        (1, 2, _) => Some("several of two branches are all branches"),
        (_, 0 | 1, 2) | (0, 3, 2) => Some("a branch waits for a credit or for a lane"),
        _ => None,
    };
    too_many(encoding, fan_out).or(few)
}
