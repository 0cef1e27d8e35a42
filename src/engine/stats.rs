//! Counters that the engine keeps for the report.

use std::ops::AddAssign;

use serde::Serialize;
use wormscope_hw::{SwitchId, WormId};

/// Account of cycles. The unit is the worm-cycle: one branch of one worm at one switch in one
/// cycle. It counts in cycles in which a flit of the worm is at the front of the FIFO. A worm
/// counts once while its branches are not decided or its header is stripped. A worm that waits for
/// the token, or for the lane of its only branch, counts even before the flit after its stripped
/// header arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleAccount {
    /// The branch took a flit.
    pub moving: u64,
    /// The branch owns its lane, but the lane has no credit (towards a switch).
    pub no_credit: u64,
    /// The branch waits for a lane that another worm owns, or for its turn on the link.
    pub lane_wait: u64,
    /// The branch has taken the front flit, or could take it in lockstep, and waits for a sibling.
    pub sibling: u64,
    /// The branch waits for the token of its group.
    pub token: u64,
    /// The header is being assembled, decoded or allocated.
    pub header: u64,
    /// The branch owns a consumption channel that has no credit.
    pub endpoint: u64,
    /// Cycles in which a worm waits for the token of its group, counted once for all its branches
    /// at a switch. They are in `token` already, so the total leaves them out.
    pub token_wait: u64,
}

impl CycleAccount {
    /// Sum of all worm-cycles.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.moving + self.no_credit + self.lane_wait + self.sibling + self.token + self.header + self.endpoint
    }
}

impl AddAssign for CycleAccount {
    fn add_assign(&mut self, other: Self) {
        let Self { moving, no_credit, lane_wait, sibling, token, header, endpoint, token_wait } = other;
        self.moving += moving;
        self.no_credit += no_credit;
        self.lane_wait += lane_wait;
        self.sibling += sibling;
        self.token += token;
        self.header += header;
        self.endpoint += endpoint;
        self.token_wait += token_wait;
    }
}

/// One output lane over the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneStats {
    /// The switch of the output lane.
    pub switch: SwitchId,
    /// Output lane of the switch, port-major.
    pub lane: u8,
    /// Flits that crossed.
    pub flits: u64,
    /// Cycles in which the owner had a flit for the lane but no credit.
    pub blocked: u64,
    /// The worm that held the lane longest.
    pub top_worm: Option<WormId>,
    /// Cycles for which that worm held the lane.
    pub top_held: u64,
}

/// Counters of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Cycles simulated (index of the last cycle plus one).
    pub cycles: u64,
    /// Flits through a switch, counted for each branch that took one.
    pub flit_hops: u64,
    /// Flits that nodes injected.
    pub injected_flits: u64,
    /// Flits that nodes consumed.
    pub consumed_flits: u64,
    /// Worms created.
    pub worms_created: u64,
    /// Worms that arrived at all their destinations.
    pub worms_done: u64,
    /// Number of switch evaluations. This is work of the engine, and no result of the run.
    #[serde(skip)]
    pub evaluations: u64,
}
