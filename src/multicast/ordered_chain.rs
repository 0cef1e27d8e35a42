//! Ordered chains: the nodes of a multicast in an order that keeps their worms apart, divided again
//! and again.
//!
//! A node that has the message is responsible for a part of the chain. It splits the part and sends
//! the message to one end of the half that it is not in. The receiver becomes responsible for that
//! half. The sender goes on with its own half (\[NUPAIROJ\] algorithm 5.2.1). Algorithms differ in
//! the order of the chain and in the place of the split.

use wormscope_hw::NodeId;

use super::parameters::Measured;
use super::plan::{Plan, Request};
use super::planner::Planner;
use wormscope_network::Grid;

/// A part of a chain for which a node is responsible: positions from `first` to `last`, both
/// included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Position of its first node.
    pub first: u32,
    /// Position of its last node.
    pub last: u32,
    /// Position of the node that has the message.
    pub holder: u32,
}

impl Part {
    /// Number of nodes.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // Its holder is always in it.
    pub const fn len(self) -> u32 {
        self.last - self.first + 1
    }

    /// The sends of the holder, in order. Each is the part for which its receiver becomes
    /// responsible. `split` names the receiver, for a part of two or more nodes. A receiver above
    /// the holder takes its own place and all places above it. A receiver below the holder takes
    /// its own place and all places below it.
    #[must_use]
    pub(crate) fn burst(mut self, split: impl Fn(Self) -> u32) -> Vec<Self> {
        let mut sends = Vec::new();
        while self.len() > 1 {
            let holder = split(self);
            if holder > self.holder {
                sends.push(Self { first: holder, last: self.last, holder });
                self.last = holder - 1;
            } else {
                sends.push(Self { first: self.first, last: holder, holder });
                self.first = holder + 1;
            }
        }
        sends
    }
}

/// The nodes of a multicast in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedChain {
    nodes: Box<[NodeId]>,
    source: u32,
}

impl OrderedChain {
    /// Source and destinations by ascending `key`, which is different for every node.
    #[must_use]
    pub(crate) fn by_key<K: Ord>(request: &Request, key: impl Fn(NodeId) -> K) -> Self {
        let mut nodes: Box<[NodeId]> = request.destinations.iter().copied().chain([request.source]).collect();
        nodes.sort_by_cached_key(|&node| key(node));
        let source = nodes.iter().position(|&node| node == request.source).unwrap_or(0) as u32;
        Self { nodes, source }
    }

    /// A chain of the source, which is first in `ranks`, and the other nodes in their order.
    pub(super) fn of_ranks(ranks: Vec<NodeId>) -> Self {
        Self { nodes: ranks.into(), source: 0 }
    }

    /// The lexicographic chain: by address (\[NUPAIROJ\] section 5.3).
    #[must_use]
    pub(crate) fn lexicographic(request: &Request) -> Self {
        Self::by_key(request, |node| node)
    }

    /// The dimension-ordered chain: by coordinates, the dimension that is routed first being the
    /// most significant (\[NUPAIROJ\] section 5.2, relation `<_d`).
    #[must_use]
    pub(crate) fn dimension_ordered(request: &Request, grid: &Grid) -> Self {
        Self::by_key(request, |node| dimension_order(grid, node))
    }

    /// The chain, rotated left until the source is first.
    #[must_use]
    pub(crate) fn rotated(mut self) -> Self {
        self.nodes.rotate_left(self.source as usize);
        self.source = 0;
        self
    }

    /// The nodes in order.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The part of the source, which is the whole chain.
    #[must_use]
    pub fn whole(&self) -> Part {
        Part { first: 0, last: self.nodes.len() as u32 - 1, holder: self.source }
    }

    /// The plan in which every holder splits by `split`.
    pub(super) fn plan(&self, request: &Request, split: impl Fn(Part) -> u32) -> Plan {
        let mut planner = Planner::new(request);
        self.send_all(&mut planner, split);
        planner.finish()
    }

    /// Records the sends of all holders, which split by `split`.
    pub(super) fn send_all(&self, planner: &mut Planner, split: impl Fn(Part) -> u32) {
        let mut waiting = vec![self.whole()];
        while let Some(part) = waiting.pop() {
            for send in part.burst(&split) {
                planner.unicast(self.nodes[part.holder as usize], self.nodes[send.holder as usize]);
                waiting.push(send);
            }
        }
    }
}

/// Place of a node in dimension order.
pub(crate) fn dimension_order(grid: &Grid, node: NodeId) -> u32 {
    grid.radices().iter().enumerate().fold(0, |place, (d, &k)| place * k + grid.coordinate(node.0, d))
}

/// Decisions of a node that has the message, made when it is about to send.
pub trait Policy: std::fmt::Debug + std::marker::Send + Sync {
    /// The nodes of the multicast. Parts number them by position.
    fn chain(&self) -> &OrderedChain;

    /// The sends of the holder of `part`, in order. Each is the part for which its receiver becomes
    /// responsible. `measured` is from the last message that the node sent, if there was one.
    fn burst(&self, measured: Option<Measured>, part: Part) -> Vec<Part>;
}
