//! A worm that is under way, as both fast engines report it.

use wormscope_hw::NodeId;

use crate::event::WormInfo;

/// A worm that has been created and has not arrived everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnderWay<'a> {
    /// The worm.
    pub info: &'a WormInfo,
    /// Cycle in which the first flit of the worm left its source, or `None`.
    pub injected: Option<u64>,
    /// Destinations that the head has reached and the tail has not, with the cycle of the head's
    /// arrival. Nodes are ascending.
    pub heads: Vec<(NodeId, u64)>,
}
