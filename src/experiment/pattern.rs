//! Traffic patterns: the destinations that a node sends to.

use serde::{Deserialize, Serialize};
use wormscope_hw::{NodeId, PortId};

use super::matrix::MatrixText;
use crate::network::Grid;

/// Destinations of a message.
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
    /// In each dimension of k nodes, ceil(k / 2) - 1 nodes further in the + direction, around the
    /// end.
    Tornado,
    /// One of the directly linked nodes.
    NearestNeighbour,
    /// All directly linked nodes, as one multicast.
    Neighbours,
    /// The other nodes of the row of the source, as one multicast. A row is along dimension 0. With
    /// `copy_to_source`, the source is one of the nodes, also of columns and rectangles.
    Row,
    /// The other nodes of the column of the source, as one multicast. A column is along dimension
    /// 1.
    Column,
    /// The other nodes of the rectangle of the source, as one multicast. Rectangles of this size
    /// lie side by side from node 0 on, and the last ones may be cut off.
    Rectangle {
        /// Nodes along dimension 0.
        width: u32,
        /// Nodes along dimension 1.
        height: u32,
    },
    /// The destination of each node, in the order of the nodes. Each node is a destination once. A
    /// node that is its own destination sends nothing.
    Permutation(Vec<u32>),
    /// Weights of pairs of nodes, as CSV. The load of a node and its destinations follow the
    /// weights.
    Matrix {
        /// File with the weights. Its path is relative to the configuration.
        #[serde(default)]
        file: Option<String>,
        /// The weights themselves. Give either this field or `file`.
        #[serde(default)]
        text: Option<MatrixText>,
    },
}

impl Pattern {
    /// Its name in a configuration.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::HotSpot { .. } => "hot_spot",
            Self::Transpose => "transpose",
            Self::BitReversal => "bit_reversal",
            Self::Shuffle => "shuffle",
            Self::Tornado => "tornado",
            Self::NearestNeighbour => "nearest_neighbour",
            Self::Neighbours => "neighbours",
            Self::Row => "row",
            Self::Column => "column",
            Self::Rectangle { .. } => "rectangle",
            Self::Permutation(_) => "permutation",
            Self::Matrix { .. } => "matrix",
        }
    }

    /// Whether a message goes to all nodes of a set around its source.
    #[must_use]
    pub fn is_set(&self) -> bool {
        *self == Self::Neighbours || self.is_block()
    }

    /// Whether these sets are blocks of nodes, with the source among them.
    #[must_use]
    pub fn is_block(&self) -> bool {
        matches!(self, Self::Row | Self::Column | Self::Rectangle { .. })
    }

    /// The set around a source in ascending order, without the source. It is empty for patterns of
    /// one destination.
    #[must_use]
    pub(crate) fn set(&self, grid: &Grid, source: u32) -> Vec<NodeId> {
        let own = |radices: &[u32]| (0..2).map(|d| radices.get(d).copied().unwrap_or(1)).collect::<Vec<_>>();
        let sizes = own(grid.radices());
        match *self {
            Self::Row => block(&sizes, [sizes[0], 1], source),
            Self::Column => block(&sizes, [1, sizes[1]], source),
            Self::Rectangle { width, height } => block(&sizes, [width.max(1), height.max(1)], source),
            Self::Neighbours => {
                let ports = (0..grid.ports() - 1).map(PortId);
                let mut nodes: Vec<u32> = ports.filter_map(|port| grid.neighbour(source, port)).collect();
                nodes.sort_unstable();
                // On a ring of two nodes, both ports lead to the same node.
                nodes.dedup();
                nodes.into_iter().filter(|&node| node != source).map(NodeId).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Size of the largest set in a grid of these radices.
    #[must_use]
    pub(crate) fn most(&self, radices: &[u32]) -> u32 {
        let size = |d: usize| radices.get(d).copied().unwrap_or(1);
        let within = |part: u32, d: usize| part.clamp(1, size(d));
        match *self {
            Self::Row => size(0) - 1,
            Self::Column => size(1) - 1,
            Self::Rectangle { width, height } => within(width, 0) * within(height, 1) - 1,
            Self::Neighbours => radices.iter().map(|&k| k.min(3) - 1).sum(),
            _ => 1,
        }
    }

    /// Reads the file of a matrix, if it names one. `open` returns the text of a file. Returns
    /// whether the configuration gives another text beside the file.
    ///
    /// # Errors
    /// The error of `open`.
    pub(crate) fn read<E>(&mut self, open: impl FnOnce(&str) -> Result<String, E>) -> Result<bool, E> {
        let Self::Matrix { file: Some(file), text } = self else { return Ok(false) };
        let read = MatrixText::from(open(file)?);
        let given = text.replace(read.clone());
        Ok(given.is_some_and(|given| given != read))
    }
}

/// The other nodes of the block of a source. Blocks of these sizes lie side by side in a plane of
/// `radices`.
fn block(radices: &[u32], sizes: [u32; 2], source: u32) -> Vec<NodeId> {
    let [kx, ky] = [radices[0], radices[1]];
    let (x, y) = (source % kx, source / kx % ky);
    let base = source - x - y * kx;
    let along = |at: u32, size: u32, radix: u32| {
        let first = at / size * size;
        first..radix.min(first.saturating_add(size))
    };
    let (xs, ys) = (along(x, sizes[0], kx), along(y, sizes[1], ky));
    let all = ys.flat_map(|y| xs.clone().map(move |x| base + x + y * kx));
    all.filter(|&node| node != source).map(NodeId).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(pattern: &Pattern, radices: &[u32], wraps: bool, source: u32) -> Vec<u32> {
        let nodes = pattern.set(&Grid::new(radices.to_vec(), wraps), source);
        assert!(nodes.len() <= pattern.most(radices) as usize, "{pattern:?}");
        nodes.into_iter().map(|node| node.0).collect()
    }

    #[test]
    fn sets_are_the_rest_of_a_row_a_column_or_a_rectangle() {
        let of = |pattern: Pattern, source| set(&pattern, &[4, 3], false, source);
        assert_eq!(of(Pattern::Row, 5), [4, 6, 7]);
        assert_eq!(of(Pattern::Column, 5), [1, 9]);
        assert_eq!(of(Pattern::Rectangle { width: 2, height: 2 }, 5), [0, 1, 4]);
        assert_eq!(of(Pattern::Rectangle { width: 2, height: 2 }, 11), [10], "cut off below");
        assert_eq!(of(Pattern::Rectangle { width: 3, height: 1 }, 3), [0; 0], "cut off on the right");
        assert_eq!(of(Pattern::Rectangle { width: 9, height: 9 }, 0).len(), 11);
        // The second plane of a mesh in three dimensions.
        assert_eq!(set(&Pattern::Column, &[2, 3, 2], false, 8), [6, 10]);
        assert_eq!(set(&Pattern::Row, &[5], false, 0), [1, 2, 3, 4]);
    }

    #[test]
    fn neighbours_are_all_that_a_link_leads_to() {
        assert_eq!(set(&Pattern::Neighbours, &[3, 3], false, 0), [1, 3]);
        assert_eq!(set(&Pattern::Neighbours, &[3, 3], false, 4), [1, 3, 5, 7]);
        assert_eq!(set(&Pattern::Neighbours, &[4, 2], true, 0), [1, 3, 4]);
        let grid = Grid::new(vec![4, 2], true);
        let most = (0..8).map(|node| Pattern::Neighbours.set(&grid, node).len()).max();
        assert_eq!(most, Some(Pattern::Neighbours.most(&[4, 2]) as usize));
    }
}
