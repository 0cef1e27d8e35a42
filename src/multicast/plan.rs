//! Plan: what every node sends, to whom and in which order. The common language of all multicast
//! algorithms.
//!
//! A plan says nothing of cycles. A node performs its sends one start-up after the other, in the
//! order in which they stand in [`Plan::sends`], each as soon as it holds the pieces that the send
//! carries.

use std::iter::once;
use std::ops::Range;

use smallvec::{SmallVec, smallvec};
use wormscope_hw::{Encoding, NodeId};

use super::parameters::Parameters;
use wormscope_network::Wiring;

/// Parts of a message that is split into equal pieces numbered from 0: ascending, disjoint ranges.
pub type Pieces = SmallVec<[Range<u32>; 1]>;

/// Nodes that receive a worm.
pub(crate) type Receivers = SmallVec<[NodeId; 2]>;

/// One start-up: one worm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Send {
    /// Node that sends.
    pub from: NodeId,
    /// Nodes that receive: one for a unicast, in visiting order for a multidestination worm,
    /// ascending otherwise.
    pub to: Receivers,
    /// Header encoding of the worm.
    pub encoding: Encoding,
    /// What it carries.
    pub pieces: Pieces,
    /// Step, from 0, in which the start-up falls when every start-up takes one step,
    /// [`Parameters::ports`] of them at a time, and everything else takes no time (\[KP\] section
    /// 2.3.1).
    pub step: u32,
}

/// Who has which pieces at the start, and who is to have which in the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// The source has all of them, the destinations are to have all of them.
    #[default]
    Multicast,
    /// The source has all of them. Each is for one node, here by piece; others may carry it on the
    /// way.
    Scatter(Box<[NodeId]>),
    /// Each is at one node, here by piece. Source and destinations are to have all of them.
    Allgather(Box<[NodeId]>),
}

/// A multicast, planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Who has what, and who is to have what.
    pub task: Task,
    /// Node that has the message.
    pub source: NodeId,
    /// Nodes that are to have all of it (or their own piece of it), ascending, the source not among
    /// them.
    pub destinations: Box<[NodeId]>,
    /// Pieces the message is split into; 1 when it always travels whole.
    pub pieces: u32,
    /// All sends, ordered by step; the sends of one node in the order in which it performs them.
    pub sends: Vec<Send>,
}

/// What an algorithm is asked.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The network.
    pub wiring: &'a Wiring,
    /// Node that has the message.
    pub source: NodeId,
    /// Nodes that are to have it: distinct, inside the network, the source not among them, at least
    /// one. Trees that know nothing of the network take them in this order; for all others any
    /// order is the same.
    pub destinations: &'a [NodeId],
    /// Costs and settings that some algorithms depend on.
    pub parameters: &'a Parameters,
}

/// The whole of a message that is not split.
#[must_use]
pub fn whole() -> Pieces {
    smallvec![0..1]
}

/// Ascending, disjoint ranges as pieces: empty ones left out, those that touch joined.
pub(super) fn ranges(of: impl IntoIterator<Item = Range<u32>>) -> Pieces {
    let mut pieces = Pieces::new();
    for range in of.into_iter().filter(|range| !range.is_empty()) {
        match pieces.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => pieces.push(range),
        }
    }
    pieces
}

/// The pieces at `node`.
fn positions(home: &[NodeId], node: NodeId) -> impl Iterator<Item = Range<u32>> {
    (0..).zip(home).filter(move |&(_, &at)| at == node).map(|(piece, _)| piece..piece + 1)
}

impl Send {
    /// A unicast of the whole message.
    #[must_use]
    pub fn unicast(from: NodeId, to: NodeId, step: u32) -> Self {
        Self { from, to: smallvec![to], encoding: Encoding::Unicast, pieces: whole(), step }
    }

    /// How many pieces it carries.
    #[must_use]
    pub fn carried(&self) -> u32 {
        self.pieces.iter().map(|range| range.end - range.start).sum()
    }
}

impl Plan {
    /// Start-ups until the last node has everything: one more than the last step.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.sends.iter().map(|send| send.step + 1).max().unwrap_or(0)
    }

    /// What `node` has at the start.
    #[must_use]
    pub fn at_start(&self, node: NodeId) -> Pieces {
        match &self.task {
            Task::Allgather(home) => ranges(positions(home, node)),
            Task::Multicast | Task::Scatter(_) if node == self.source => ranges(once(0..self.pieces)),
            Task::Multicast | Task::Scatter(_) => ranges([]),
        }
    }

    /// What `node` is to have in the end.
    #[must_use]
    pub fn at_end(&self, node: NodeId) -> Pieces {
        let everywhere = || node == self.source || self.destinations.binary_search(&node).is_ok();
        match &self.task {
            Task::Scatter(home) => ranges(positions(home, node)),
            Task::Multicast | Task::Allgather(_) if everywhere() => ranges(once(0..self.pieces)),
            Task::Multicast | Task::Allgather(_) => ranges([]),
        }
    }
}
