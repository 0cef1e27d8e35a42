//! The state of the network as the wait-for relation sees it: who holds what and wants what.
//!
//! All flit counts are relative to the front of the FIFO a segment stands in: flit 0 is the next to
//! be popped.

use wormscope_hw::{Replication, SwitchId, WormId};

/// What a branch has or wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// The branch's tail has crossed; it needs nothing more.
    Done,
    /// It owns this output lane.
    Owns(LaneRef),
    /// It waits for any of these equivalent output lanes (the order of their numbers).
    Wants(Vec<LaneRef>),
    /// It has not asked yet (a later branch of sequential replication, or a worm that waits for a
    /// token): it will want any of these.
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
    /// What it has or wants.
    pub hold: Hold,
    /// Flits it has taken that still stand in the FIFO (0 or 1; more in buffered and sequential
    /// mode).
    pub taken: u32,
    /// Cycle since which it stands as `hold` says: of its request (for the token, if it waits for
    /// one) while it wants, of its grant while it owns. A crossing flit does not change it.
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
    /// Output lane that feeds this FIFO while the same worm owns it there; `None` when the FIFO is
    /// fed by a node or the tail has crossed. Needed to see that a worm starves because a branch
    /// further up is stuck.
    pub upstream: Option<LaneRef>,
    /// Flits of the worm standing in this FIFO or on their way into it on the link.
    pub here: u32,
    /// Flits of the worm that will have left this FIFO once it is through (here, upstream, and not
    /// yet injected).
    pub remaining: u32,
    /// Header flits among those standing in this FIFO.
    pub header_left: u32,
    /// Token (index into [`Snapshot::tokens`]) that it waits for before it asks for its lanes.
    pub awaits: Option<usize>,
    /// Branches, decided and not yet popped; empty while the header is not decided or still to be
    /// stripped (then the segment can move).
    pub branches: Vec<Branch>,
}

/// An output lane and the FIFO behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// The lane.
    pub lane: LaneRef,
    /// Segment (index into [`Snapshot::segments`]) that owns it; `None` when free. A lane whose
    /// tail crosses in the cycle of the snapshot is free.
    pub owner: Option<usize>,
    /// Free slots of the FIFO behind it, credits on their way back included; `None` when it leads
    /// to a node, which takes every flit.
    pub free: Option<u32>,
    /// Segment in service in the FIFO behind it, also while that FIFO has run empty of its flits;
    /// `None` when no worm is decided there, or when it leads to a node.
    pub front: Option<usize>,
}

/// The token of a ring of switches, one of which at a time replicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The switches.
    pub switches: Vec<SwitchId>,
    /// Segment (index into [`Snapshot::segments`]) that holds it; `None` while it circulates.
    pub holder: Option<usize>,
    /// Cycle since which it holds it.
    pub held_since: u64,
    /// Flits that the holder is still to pop before it releases it; at most its `remaining`.
    pub release_after: u32,
}

/// Everything a deadlock search needs to know, at the end of one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The cycle.
    pub cycle: u64,
    /// Depth of the input FIFOs in flits.
    pub fifo_depth: u32,
    /// How branches are coupled.
    pub coupling: Replication,
    /// Whether a worm takes all its lanes of a switch at once or none.
    pub atomic: bool,
    /// Segments in service.
    pub segments: Vec<Segment>,
    /// Every output lane that a segment owns or wants.
    pub lanes: Vec<Lane>,
    /// Every token.
    pub tokens: Vec<Token>,
}
