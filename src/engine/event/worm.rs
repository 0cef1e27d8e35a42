//! Worms, and their arrivals.

use std::num::NonZeroU8;
use std::ops::Deref;

use wormscope_hw::{Encoding, NodeId, WormId};

/// Nodes that receive a worm, in header order. One destination needs no extra memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destinations {
    /// A unicast.
    One(NodeId),
    /// Several nodes.
    Many(Box<[NodeId]>),
}

impl Deref for Destinations {
    type Target = [NodeId];

    #[inline]
    fn deref(&self) -> &[NodeId] {
        match self {
            Self::One(node) => std::slice::from_ref(node),
            Self::Many(nodes) => nodes,
        }
    }
}

impl From<Box<[NodeId]>> for Destinations {
    fn from(nodes: Box<[NodeId]>) -> Self {
        if let [node] = *nodes { Self::One(node) } else { Self::Many(nodes) }
    }
}

impl FromIterator<NodeId> for Destinations {
    fn from_iter<I: IntoIterator<Item = NodeId>>(nodes: I) -> Self {
        nodes.into_iter().collect::<Box<[_]>>().into()
    }
}

impl From<Destinations> for Box<[NodeId]> {
    fn from(destinations: Destinations) -> Self {
        match destinations {
            Destinations::One(node) => Box::new([node]),
            Destinations::Many(nodes) => nodes,
        }
    }
}

/// The class of traffic that a worm is measured with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Number of the class, from 1 on, if the worm has one.
    pub number: Option<NonZeroU8>,
    /// Whether the worm is a part of a message. Then the latency of the message is measured
    /// elsewhere.
    pub is_part: bool,
}

/// A worm as its source creates it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWorm {
    /// Cycle of creation.
    pub cycle: u64,
    /// Node that sends.
    pub source: NodeId,
    /// Nodes that receive the worm, in header order.
    pub destinations: Destinations,
    /// Header encoding.
    pub encoding: Encoding,
    /// Number of payload flits after the header.
    pub payload_flits: u32,
    /// Class that the worm is measured with.
    pub class: Class,
}

/// A worm as the workload made it. Lengths are in flits, times in cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WormInfo {
    /// Number in order of creation.
    pub id: WormId,
    /// Node that sends.
    pub source: NodeId,
    /// Nodes that receive the worm, in header order.
    pub destinations: Destinations,
    /// Header encoding.
    pub encoding: Encoding,
    /// Header flits at injection.
    pub header_flits: u32,
    /// Number of payload flits after the header.
    pub payload_flits: u32,
    /// Cycle of creation.
    pub created: u64,
    /// Whether the worm was created inside the measured window.
    pub measured: bool,
    /// Class that the worm is measured with.
    pub class: Class,
}

/// The arrival of a worm at one destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The worm.
    pub worm: WormId,
    /// The destination.
    pub destination: NodeId,
    /// Cycle in which the worm's first flit left its source.
    pub injected: u64,
    /// Cycle in which the first flit (head) was at the destination node.
    pub head: u64,
    /// Cycle in which the last flit (tail) was at the destination node.
    pub tail: u64,
    /// Flits that arrived (header residue and payload).
    pub flits: u32,
    /// Consumption channel of the arrival.
    pub channel: u8,
}
