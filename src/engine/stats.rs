//! Counters that the engine keeps for the report.

use serde::Serialize;
use wormscope_hw::{SwitchId, WormId};

/// Where cycles went. The unit is the worm-cycle: one branch of one worm at one switch in one cycle
/// in which a flit of the worm stands at the front of the FIFO; a worm whose branches are not
/// decided yet, or whose header is stripped, counts once. One that waits for the token, or with its
/// only branch for a lane, counts whether or not the flit behind its stripped header is there yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleAccount {
    /// The branch took a flit.
    pub moving: u64,
    /// The branch owns its lane, but the lane has no credit (towards a switch).
    pub no_credit: u64,
    /// The branch waits for a lane that another worm owns.
    pub lane_wait: u64,
    /// The branch has taken the flit at the front (or could take it, lockstep) and waits for a
    /// sibling branch.
    pub sibling: u64,
    /// The branch waits for the token of its group.
    pub token: u64,
    /// The header is being assembled, decoded or allocated.
    pub header: u64,
    /// The branch owns a consumption channel that has no credit.
    pub endpoint: u64,
}

impl CycleAccount {
    /// Sum of all classes.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.moving + self.no_credit + self.lane_wait + self.sibling + self.token + self.header + self.endpoint
    }
}

/// One output lane over the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneStats {
    /// The switch whose output it is.
    pub switch: SwitchId,
    /// Output lane of the switch, port-major.
    pub lane: u8,
    /// Flits that crossed.
    pub flits: u64,
    /// Cycles in which the owner had a flit for it but no credit.
    pub blocked: u64,
    /// The worm that held the lane longest.
    pub top_worm: Option<WormId>,
    /// Cycles that worm held it.
    pub top_held: u64,
}

/// Counters of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Cycles simulated (index of the last cycle plus one).
    pub cycles: u64,
    /// Flits through a switch, counted per branch taken.
    pub flit_hops: u64,
    /// Flits that nodes injected.
    pub injected_flits: u64,
    /// Flits that nodes consumed.
    pub consumed_flits: u64,
    /// Worms created.
    pub worms_created: u64,
    /// Worms that arrived at all their destinations.
    pub worms_done: u64,
    /// Switch evaluations.
    pub evaluations: u64,
}
