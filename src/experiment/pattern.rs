//! Traffic patterns: whom a node sends to.

use serde::{Deserialize, Serialize};

/// Whom a node sends to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Pattern {
    /// Any other node alike.
    #[default]
    Uniform,
    /// A share of the messages goes to given nodes, the rest is uniform.
    HotSpot {
        /// The hot nodes.
        nodes: Vec<u32>,
        /// Share of messages, 0..=1, sent to one of them.
        share: f64,
    },
    /// Coordinates reversed: (x, y) to (y, x).
    Transpose,
    /// Address bits reversed.
    BitReversal,
    /// Address bits rotated left by one.
    Shuffle,
    /// Half-way round each dimension.
    Tornado,
    /// One of the directly linked nodes.
    NearestNeighbour,
}
