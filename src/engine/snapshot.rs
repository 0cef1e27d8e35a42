//! State of the network for the wait-for relation: the lanes that each worm holds and wants.
//!
//! All flit counts are relative to the front of the FIFO that holds a segment. Flit 0 is popped
//! next.

use wormscope_hw::{Replication, SwitchId, WormId};

/// Lane that a branch has or wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The tail of the branch has crossed, so the branch needs no lane any more.
    Done,
    /// The branch owns this output lane.
    Owns(LaneRef),
    /// The branch waits for any of these equivalent output lanes, in the order of their numbers.
    Wants(Vec<LaneRef>),
    /// The branch has not asked yet, and will want any of these lanes. It is a later branch of
    /// sequential replication, or its worm waits for a token.
    Later(Vec<LaneRef>),
}

/// An output lane of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaneRef {
    /// The switch.
    pub switch: SwitchId,
    /// Output lane, port-major.
    pub lane: u8,
}

/// One branch of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Lane that the branch has or wants.
    pub hold: Hold,
    /// Number of its flits that are still in the FIFO: 0 or 1, or more in buffered and sequential
    /// mode.
    pub taken: u32,
    /// Cycle since which `hold` is so. For a branch that wants, the cycle of its request, for the
    /// token if it waits for one. For a branch that owns, the cycle of the grant. A flit that
    /// crosses does not change it.
    pub blocked_since: u64,
}

/// A worm in service at the front of one input FIFO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The switch.
    pub switch: SwitchId,
    /// Input lane of the switch, port-major.
    pub lane: u8,
    /// The worm.
    pub worm: WormId,
    /// Output lane that feeds this FIFO, if the same worm owns the lane. `None` when a node feeds
    /// the FIFO or the tail has crossed. The search needs it to see a worm that starves because a
    /// branch further up is stuck.
    pub upstream: Option<LaneRef>,
    /// Flits that this FIFO holds.
    pub depth: u32,
    /// Flits of the worm in this FIFO or on the link into it.
    pub here: u32,
    /// Flits of the worm that have still to leave this FIFO: in the FIFO, upstream, and not yet
    /// injected.
    pub remaining: u32,
    /// Header flits among the flits in this FIFO.
    pub header_left: u32,
    /// Token (index into [`Snapshot::tokens`]) for which the worm waits before it asks for its
    /// lanes.
    pub awaits: Option<usize>,
    /// Branches that are decided and not yet popped. Empty while the header is not decided or a
    /// part is still to be stripped; then the segment can move.
    pub branches: Vec<Branch>,
}

/// An output lane and the FIFO at the other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The lane.
    pub lane: LaneRef,
    /// Segment (index into [`Snapshot::segments`]) that owns the lane; `None` if the lane is free.
    /// A lane whose tail crosses in the cycle of the snapshot is free.
    pub owner: Option<usize>,
    /// Free cells of that FIFO, credits on their way back included. `None` when the lane leads to a
    /// node, which takes every flit.
    pub free: Option<u32>,
    /// Segment in service in the FIFO of the lane, even if the FIFO has no flits of this segment
    /// now. `None` if the FIFO has no decided worm, or if the lane leads to a node.
    pub front: Option<usize>,
}

/// The token of a ring of switches. Only the holder of the token replicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The switches.
    pub switches: Vec<SwitchId>,
    /// Segment (index into [`Snapshot::segments`]) that holds the token; `None` while the token
    /// circulates.
    pub holder: Option<usize>,
    /// Cycle since which the holder has the token.
    pub held_since: u64,
    /// Number of flits that the holder has to pop before it releases the token; at most its
    /// `remaining`.
    pub release_after: u32,
}

/// State at the end of one cycle, with all facts that a deadlock search needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The cycle.
    pub cycle: u64,
    /// Replication mode, which couples the branches.
    pub coupling: Replication,
    /// Whether a worm takes all its lanes at a switch at once or none.
    pub atomic: bool,
    /// Segments in service.
    pub segments: Vec<Segment>,
    /// Every output lane that a segment owns or wants.
    pub lanes: Vec<Lane>,
    /// Every token.
    pub tokens: Vec<Token>,
}

impl Snapshot {
    /// Snapshot of a network without waiting worms.
    #[must_use]
    pub fn without_segments(cycle: u64) -> Self {
        Self {
            cycle,
            coupling: Replication::default(),
            atomic: false,
            segments: Vec::new(),
            lanes: Vec::new(),
            tokens: Vec::new(),
        }
    }
}
