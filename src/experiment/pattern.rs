//! Traffic patterns: the destinations that a node sends to.

use serde::{Deserialize, Serialize};

/// Destination of a unicast.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Pattern {
    /// Every other node is equally likely.
    #[default]
    Uniform,
    /// A share of the messages goes to given nodes. The rest is uniform.
    HotSpot {
        /// Nodes that get the share.
        nodes: Vec<u32>,
        /// Share of the messages that goes to one of `nodes`.
        share: f64,
    },
    /// Coordinates reversed: (x, y) to (y, x).
    Transpose,
    /// Address bits reversed.
    BitReversal,
    /// Address bits rotated left by one.
    Shuffle,
    /// Half-way around each dimension.
    Tornado,
    /// One of the directly linked nodes.
    NearestNeighbour,
}
