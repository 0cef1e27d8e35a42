//! Plan: the sends of every node, with receivers and order. All multicast algorithms make plans.
//!
//! A plan has no cycles. A node makes its sends one start-up after the other, in the order of
//! [`Plan::sends`]. It makes each as soon as it holds the pieces that the send carries.

use std::iter::once;
use std::ops::Range;

use smallvec::{SmallVec, smallvec};
use wormscope_hw::{Encoding, NodeId};

use super::parameters::Parameters;
use wormscope_network::Wiring;

/// Parts of a message that is split into equal pieces numbered from 0. The ranges are ascending and
/// disjoint.
pub type Pieces = SmallVec<[Range<u32>; 1]>;

/// Nodes that receive a worm.
pub(crate) type Receivers = SmallVec<[NodeId; 2]>;

/// One start-up, which sends one worm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Send {
    /// Node that sends.
    pub from: NodeId,
    /// Nodes that receive. A unicast has one. A multidestination worm has them in visiting order,
    /// and any other worm in ascending order.
    pub to: Receivers,
    /// Header encoding of the worm.
    pub encoding: Encoding,
    /// Pieces that the worm carries.
    pub pieces: Pieces,
    /// Step of the start-up, from 0 (\[KP\] section 2.3.1). In this count every start-up takes one
    /// step, and a node makes [`Parameters::ports`] start-ups at the same time. All other work
    /// takes no time.
    pub step: u32,
}

/// Pieces that nodes have at the start, and pieces that they have to get.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// The source has all pieces, and the destinations have to get all of them.
    #[default]
    Multicast,
    /// The source has all pieces. Each is for one node, given here by piece. Other nodes may
    /// forward the piece.
    Scatter(Box<[NodeId]>),
    /// Each piece is at one node. The list has the node of each piece. Source and destinations have
    /// to get all pieces.
    Allgather(Box<[NodeId]>),
}

/// The plan of a multicast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Pieces that nodes have, and pieces that they have to get.
    pub task: Task,
    /// Node that has the message.
    pub source: NodeId,
    /// Nodes that have to get the whole message, or their own piece of it. The numbers are
    /// ascending, and the source is not in the list.
    pub destinations: Box<[NodeId]>,
    /// Number of pieces that the message is split into; 1 when it always travels whole.
    pub pieces: u32,
    /// All sends, ordered by step. The sends of one node are in the order in which the node makes
    /// them.
    pub sends: Vec<Send>,
}

/// Input of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The network.
    pub wiring: &'a Wiring,
    /// Node that has the message.
    pub source: NodeId,
    /// Nodes that have to get the message, at least one. They are distinct nodes of the network,
    /// and the source is not among them. Trees that know nothing of the network take them in this
    /// order. For all other algorithms the order has no effect.
    pub destinations: &'a [NodeId],
    /// Costs and settings of some algorithms.
    pub parameters: &'a Parameters,
}

/// All pieces of a message that is not split.
#[must_use]
pub fn whole() -> Pieces {
    smallvec![0..1]
}

/// Pieces from ascending, disjoint ranges. Empty ranges are left out, and adjacent ranges are
/// joined.
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

    /// Number of pieces that the worm carries.
    #[must_use]
    pub fn carried(&self) -> u32 {
        self.pieces.iter().map(|range| range.end - range.start).sum()
    }
}

impl Plan {
    /// Number of steps until the last node has all its pieces: the last step plus one.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.sends.iter().map(|send| send.step + 1).max().unwrap_or(0)
    }

    /// Pieces that `node` has at the start.
    #[must_use]
    pub fn at_start(&self, node: NodeId) -> Pieces {
        match &self.task {
            Task::Allgather(home) => ranges(positions(home, node)),
            Task::Multicast | Task::Scatter(_) if node == self.source => ranges(once(0..self.pieces)),
            Task::Multicast | Task::Scatter(_) => ranges([]),
        }
    }

    /// Pieces that `node` has to have in the end.
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
