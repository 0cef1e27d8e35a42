//! Arrays and meshes of any size as hypercubes. Every dimension gets `2^bits` indices (\[SEIDEL\]
//! section 5).

use wormscope_hw::NodeId;

use wormscope_network::Grid;

/// Conversion of a dimension of n nodes to one of `2^bits` indices, for n that is no power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// Rounded up. The last node plays the nodes that do not exist (section 5.1).
    VirtualNodes,
    /// Rounded down. The nodes beyond are companions of a neighbour, which serves them (section
    /// 5.2).
    Companions,
}

/// One dimension.
#[derive(Clone, Debug)]
pub(super) struct Dimension {
    /// Base-2 logarithm of the number of indices.
    pub bits: u32,
    /// Coordinate of each index, ascending.
    places: Vec<u32>,
    /// Coordinate of the companion of each of the first indices.
    companions: Vec<u32>,
}

impl Dimension {
    /// A dimension of `n` nodes, at least 1. Coordinate `source` must get an index.
    fn new(n: u32, source: u32, fit: Fit) -> Self {
        match fit {
            Fit::VirtualNodes => {
                let bits = u32::BITS - (n - 1).leading_zeros();
                Self { bits, places: (0..1 << bits).map(|i| i.min(n - 1)).collect(), companions: Vec::new() }
            }
            Fit::Companions => {
                let bits = n.ilog2();
                let left_over = n - (1 << bits);
                // The first odd nodes are companions. The source is no companion, so it changes
                // places with its neighbour.
                let pair = |i| if source == 2 * i + 1 { (source, 2 * i) } else { (2 * i, 2 * i + 1) };
                let (mut places, companions): (Vec<_>, Vec<_>) = (0..left_over).map(pair).unzip();
                places.extend((left_over..1 << bits).map(|i| i + left_over));
                Self { bits, places, companions }
            }
        }
    }

    /// Coordinate of an index.
    pub(super) fn place(&self, index: u32) -> u32 {
        self.places[index as usize]
    }

    /// Coordinate of the companion of an index.
    pub(super) fn companion(&self, index: u32) -> Option<u32> {
        self.companions.get(index as usize).copied()
    }

    /// Whether any index has a companion.
    pub(super) fn has_companions(&self) -> bool {
        !self.companions.is_empty()
    }

    /// Whether an index is a real node, and not a virtual node that the last node plays.
    fn is_real(&self, index: u32) -> bool {
        index == 0 || self.place(index - 1) != self.place(index)
    }

    fn index(&self, place: u32) -> u32 {
        self.places.partition_point(|&p| p < place) as u32
    }
}

/// A linear array or 2-D mesh as a hypercube. The low bits of an index count columns, the high bits
/// rows.
#[derive(Clone, Debug)]
pub(super) struct Cube {
    /// The columns: coordinates along a row, in the dimension that is routed first.
    pub columns: Dimension,
    /// The rows.
    pub rows: Dimension,
    width: u32,
    nodes: u32,
    /// Index of the source.
    pub source: u32,
}

impl Cube {
    /// A grid of one or two dimensions and one of its nodes.
    pub(super) fn new(grid: &Grid, source: NodeId, fit: Fit) -> Self {
        let width = grid.radices()[0];
        let height = grid.radices().get(1).copied().unwrap_or(1);
        let (x, y) = (source.0 % width, source.0 / width);
        let (columns, rows) = (Dimension::new(width, x, fit), Dimension::new(height, y, fit));
        let source = rows.index(y) << columns.bits | columns.index(x);
        Self { columns, rows, width, nodes: width * height, source }
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Number of indices.
    pub(super) fn len(&self) -> u32 {
        1 << self.bits()
    }

    /// Bits of an index.
    pub(super) fn bits(&self) -> u32 {
        self.columns.bits + self.rows.bits
    }

    /// The bit of an index that is bit `bit` of its column number.
    pub(super) fn column_bit(&self, bit: u32) -> u32 {
        debug_assert!(bit < self.columns.bits);
        1 << bit
    }

    /// The bit of an index that is bit `bit` of its row number.
    pub(super) fn row_bit(&self, bit: u32) -> u32 {
        debug_assert!(bit < self.rows.bits);
        1 << (self.columns.bits + bit)
    }

    /// Column and row of an index.
    pub(super) fn split(&self, index: u32) -> (u32, u32) {
        (index & ((1 << self.columns.bits) - 1), index >> self.columns.bits)
    }

    /// The node at an index.
    pub(super) fn node(&self, index: u32) -> NodeId {
        let (column, row) = self.split(index);
        self.at(self.columns.place(column), self.rows.place(row))
    }

    /// Whether an index is a real node.
    pub(super) fn is_real(&self, index: u32) -> bool {
        let (column, row) = self.split(index);
        self.columns.is_real(column) && self.rows.is_real(row)
    }

    /// The node at coordinates.
    pub(super) fn at(&self, x: u32, y: u32) -> NodeId {
        NodeId(x + self.width * y)
    }

    /// Whether one of the dimensions is a single node.
    pub(super) fn is_line(&self) -> bool {
        self.columns.bits == 0 || self.rows.bits == 0
    }
}
