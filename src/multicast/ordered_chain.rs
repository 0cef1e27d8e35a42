//! Ordered chains: the nodes of a multicast in an order that keeps their worms apart, divided again
//! and again.
//!
//! A node that has the message is responsible for a part of the chain. It splits the part, sends
//! the message to one end of the half that it is not in, makes the receiver responsible for that
//! half, and goes on with its own (\[NUPAIROJ\] algorithm 5.2.1). Algorithms differ in the order
//! and in where they split.

use wormscope_hw::NodeId;

use super::parameters::Measured;
use super::plan::{Plan, Request};
use super::planner::Planner;
use wormscope_network::Grid;

/// A part of a chain that a node is responsible for: positions from `first` to `last`, both
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
    /// Nodes in it.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // Its holder is always in it.
    pub const fn len(self) -> u32 {
        self.last - self.first + 1
    }

    /// The sends of its holder, in order, each as the part that its receiver, the holder of that,
    /// becomes responsible for. `split` names the receiver for a part of two nodes and more: one
    /// above the holder takes what is above it, one below what is below.
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

    /// The source, first of `ranks`, and the others as they stand.
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

    /// The chain rotated left until the source is first.
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

    /// What the source is responsible for: all of it.
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

    /// Writes down what all holders send who split by `split`.
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

/// What a node does that has the message, decided when it is about to send.
pub trait Policy: std::fmt::Debug + std::marker::Send + Sync {
    /// The nodes of the multicast, which parts number by position.
    fn chain(&self) -> &OrderedChain;

    /// The sends of the holder of `part`, in order, each as the part that its receiver becomes
    /// responsible for; `measured` is what that node measured at the last message it sent, if it
    /// sent any.
    fn burst(&self, measured: Option<Measured>, part: Part) -> Vec<Part>;
}
