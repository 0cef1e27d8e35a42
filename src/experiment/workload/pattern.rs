//! Traffic patterns: the destinations that a node sends to (Dally and Towles, Principles and
//! Practices of Interconnection Networks, 3.2).

use wormscope_hw::{NodeId, PortId};

use super::groups::{Among, skip};
use super::random::Stream;
use crate::experiment::{Matrix, Pattern};
use crate::network::Grid;

/// A pattern on a network, which validation has checked.
pub(super) struct Chooser {
    grid: Grid,
    nodes: u32,
    /// Nodes that send and receive.
    among: Among,
    /// Pattern. Hot nodes are sorted and distinct.
    pattern: Pattern,
    /// Weights of pairs, if the pattern has such.
    matrix: Option<Matrix>,
    /// Whether sets have their source.
    with_source: bool,
}

impl Chooser {
    pub(super) fn new(grid: Grid, pattern: &Pattern, among: Among) -> Self {
        let mut pattern = pattern.clone();
        if let Pattern::HotSpot { nodes, .. } = &mut pattern {
            nodes.sort_unstable();
            nodes.dedup();
        }
        // Validation has read the matrix.
        let matrix = match &pattern {
            Pattern::Matrix { text: Some(text), .. } => Matrix::parse(text, grid.nodes()).ok(),
            _ => None,
        };
        Self { nodes: grid.nodes(), grid, among, pattern, matrix, with_source: false }
    }

    /// The pattern, with the source in its sets or without it.
    pub(super) fn with_source(self, with_source: bool) -> Self {
        Self { with_source, ..self }
    }

    /// Whether a node has a destination. Fixed points of a permutation (the diagonal of a
    /// transpose) are silent. So are nodes whose set has no other node, and nodes without a weight.
    /// The only node of a network is silent as well.
    pub(super) fn sends(&self, node: u32) -> bool {
        self.among.count() > 1
            && self.permuted(node) != Some(node)
            && self.share(node) > 0.0
            && self.set(node).is_none_or(|set| !set.is_empty())
    }

    /// The load of a node, as a multiple of the mean load.
    pub(super) fn share(&self, node: u32) -> f64 {
        self.matrix.as_ref().map_or(1.0, |matrix| matrix.share(node))
    }

    /// Whether nodes have different loads.
    pub(super) fn has_shares(&self) -> bool {
        self.matrix.is_some()
    }

    /// The set of nodes that a message of `source` goes to, in ascending order. `None` if the
    /// pattern has no sets.
    pub(super) fn set(&self, source: u32) -> Option<Box<[NodeId]>> {
        if !self.pattern.is_set() {
            return None;
        }
        let mut set = self.pattern.set(&self.grid, source);
        set.retain(|&node| self.among.has(node));
        if self.with_source && !set.is_empty() {
            set.push(NodeId(source));
            set.sort_unstable();
        }
        Some(set.into())
    }

    /// A destination for a message of `source`, for which [`Chooser::sends`] must be true. It is
    /// never `source` itself.
    #[inline]
    pub(super) fn choose(&self, source: u32, random: &mut Stream) -> u32 {
        match &self.pattern {
            Pattern::Uniform => self.uniform(source, random),
            Pattern::HotSpot { nodes, share } => self.hot_spot(nodes, *share, source, random),
            Pattern::NearestNeighbour => self.neighbour(source, random),
            Pattern::Matrix { .. } => {
                let unit = random.unit();
                self.matrix.as_ref().map_or(source, |matrix| matrix.destination(source, unit))
            }
            Pattern::Transpose
            | Pattern::BitReversal
            | Pattern::Shuffle
            | Pattern::Tornado
            | Pattern::Permutation(_)
            | Pattern::Neighbours
            | Pattern::Row
            | Pattern::Column
            | Pattern::Rectangle { .. } => self.permuted(source).unwrap_or(source),
        }
    }

    /// All destinations that [`Chooser::choose`] may choose for messages of `source`.
    pub(super) fn targets(&self, source: u32) -> Vec<NodeId> {
        let all = || (0..self.among.count()).map(|place| self.among.node(place)).filter(move |node| node.0 != source);
        match &self.pattern {
            Pattern::HotSpot { nodes, share } if *share >= 1.0 && nodes.iter().any(|&hot| hot != source) => {
                nodes.iter().copied().filter(|&hot| hot != source).map(NodeId).collect()
            }
            Pattern::Uniform | Pattern::HotSpot { .. } => all().collect(),
            Pattern::NearestNeighbour => {
                let ports = (0..self.grid.ports() - 1).map(PortId);
                let mut nodes: Vec<u32> = ports.filter_map(|port| self.grid.neighbour(source, port)).collect();
                nodes.retain(|&node| node != source);
                nodes.sort_unstable();
                nodes.dedup();
                nodes.into_iter().map(NodeId).collect()
            }
            Pattern::Matrix { .. } => {
                self.matrix.iter().flat_map(|matrix| matrix.destinations(source)).map(NodeId).collect()
            }
            Pattern::Transpose
            | Pattern::BitReversal
            | Pattern::Shuffle
            | Pattern::Tornado
            | Pattern::Permutation(_)
            | Pattern::Neighbours
            | Pattern::Row
            | Pattern::Column
            | Pattern::Rectangle { .. } => self.permuted(source).map(NodeId).into_iter().collect(),
        }
    }

    fn uniform(&self, source: u32, random: &mut Stream) -> u32 {
        self.among.other(source, random)
    }

    /// A hot node sends its hot share to the other hot nodes. The only hot node sends uniformly.
    fn hot_spot(&self, hot: &[u32], share: f64, source: u32, random: &mut Stream) -> u32 {
        let own = hot.binary_search(&source).ok();
        let others = hot.len() as u32 - u32::from(own.is_some());
        if random.unit() > share || others == 0 {
            return self.uniform(source, random);
        }
        let choice = random.below(others);
        hot[own.map_or(choice, |own| skip(choice, own as u32)) as usize]
    }

    /// A directly linked node, all equally likely. On a ring of two nodes, the only neighbour
    /// counts once.
    fn neighbour(&self, source: u32, random: &mut Stream) -> u32 {
        let ring_of_two = |port: PortId| self.grid.wraps() && self.grid.radices()[port.index() / 2] == 2;
        let once = |port: &PortId| port.0.is_multiple_of(2) || !ring_of_two(*port);
        let ports = (0..self.grid.ports() - 1).map(PortId).filter(once);
        let neighbours = ports.filter_map(|port| self.grid.neighbour(source, port)).filter(|&node| node != source);
        let choice = random.below(neighbours.clone().count() as u32);
        neighbours.clone().nth(choice as usize).unwrap_or(source)
    }

    /// The destination of a pattern with one destination per source.
    fn permuted(&self, node: u32) -> Option<u32> {
        let bits = self.nodes.trailing_zeros();
        let dimensions = self.grid.radices().len();
        Some(match &self.pattern {
            Pattern::Transpose => self.at(|d| self.grid.coordinate(node, dimensions - 1 - d)),
            Pattern::Tornado => self.at(|d| {
                let k = self.grid.radices()[d];
                (self.grid.coordinate(node, d) + k.div_ceil(2) - 1) % k
            }),
            Pattern::BitReversal => node.reverse_bits().checked_shr(u32::BITS - bits).unwrap_or(0),
            Pattern::Shuffle => node << 1 & (self.nodes - 1) | node >> bits.saturating_sub(1),
            Pattern::Permutation(to) => to[node as usize],
            Pattern::Uniform
            | Pattern::HotSpot { .. }
            | Pattern::NearestNeighbour
            | Pattern::Neighbours
            | Pattern::Row
            | Pattern::Column
            | Pattern::Rectangle { .. }
            | Pattern::Matrix { .. } => return None,
        })
    }

    /// The node with the given coordinates.
    fn at(&self, coordinate: impl Fn(usize) -> u32) -> u32 {
        (0..self.grid.radices().len()).rev().fold(0, |node, d| node * self.grid.radices()[d] + coordinate(d))
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::Key;
    use super::*;

    fn mesh(radices: &[u32], pattern: &Pattern) -> Chooser {
        let grid = Grid::new(radices.to_vec(), false);
        let all = Among::all(grid.nodes());
        Chooser::new(grid, pattern, all)
    }

    fn map(chooser: &Chooser) -> Vec<u32> {
        (0..chooser.nodes).map(|node| chooser.permuted(node).unwrap()).collect()
    }

    fn counts(chooser: &Chooser, source: u32, draws: u32) -> Vec<u32> {
        let mut random = Key::new(7).stream();
        let mut counts = vec![0; chooser.nodes as usize];
        for _ in 0..draws {
            counts[chooser.choose(source, &mut random) as usize] += 1;
        }
        counts
    }

    fn near(count: u32, expected: f64) -> bool {
        (f64::from(count) - expected).abs() < 5.0 * expected.sqrt()
    }

    #[test]
    fn transpose_reverses_the_coordinates_and_the_diagonal_is_silent() {
        let chooser = mesh(&[3, 3], &Pattern::Transpose);
        assert_eq!(map(&chooser), [0, 3, 6, 1, 4, 7, 2, 5, 8]);
        let silent: Vec<u32> = (0..9).filter(|&n| !chooser.sends(n)).collect();
        assert_eq!(silent, [0, 4, 8]);
        // (1, 2, 0) to (0, 2, 1) on 2 x 3 x 2.
        assert_eq!(mesh(&[2, 3, 2], &Pattern::Transpose).permuted(5), Some(10));
    }

    #[test]
    fn bit_reversal_and_shuffle_permute_the_address_bits() {
        let reversal = mesh(&[4, 2], &Pattern::BitReversal);
        assert_eq!(map(&reversal), [0, 4, 2, 6, 1, 5, 3, 7]);
        let shuffle = mesh(&[4, 2], &Pattern::Shuffle);
        assert_eq!(map(&shuffle), [0, 2, 4, 6, 1, 3, 5, 7]);
        assert!(!shuffle.sends(0) && !shuffle.sends(7) && shuffle.sends(3));
        assert!(!mesh(&[1], &Pattern::Shuffle).sends(0) && !mesh(&[1], &Pattern::BitReversal).sends(0));
    }

    #[test]
    fn tornado_goes_just_short_of_half_way_round_each_dimension() {
        assert_eq!(map(&mesh(&[5], &Pattern::Tornado)), [2, 3, 4, 0, 1]);
        assert_eq!(map(&mesh(&[4, 2], &Pattern::Tornado)), [1, 2, 3, 0, 5, 6, 7, 4]);
        assert_eq!(mesh(&[8, 8], &Pattern::Tornado).permuted(0), Some(3 + 8 * 3));
        assert!(!mesh(&[2, 2], &Pattern::Tornado).sends(1));
    }

    #[test]
    fn uniform_reaches_every_other_node_alike_and_never_itself() {
        let counts = counts(&mesh(&[4, 4], &Pattern::Uniform), 5, 150_000);
        assert_eq!(counts[5], 0);
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 10_000.0).powi(2) / 10_000.0).sum::<f64>() - 10_000.0;
        assert!(chi2 < 36.1, "chi-square {chi2} with 14 degrees of freedom is beyond 0.1 %");
    }

    #[test]
    fn hot_nodes_get_their_share() {
        let chooser = mesh(&[4, 4], &Pattern::HotSpot { nodes: vec![9, 3, 9], share: 0.3 });
        let cold = counts(&chooser, 0, 150_000);
        assert!(near(cold[9], 0.15 * 150_000.0 + 7_000.0) && near(cold[3], 0.15 * 150_000.0 + 7_000.0), "{cold:?}");
        assert!(near(cold[1], 7_000.0) && cold[0] == 0);
        let hot = counts(&chooser, 3, 150_000);
        assert!(near(hot[9], 0.3 * 150_000.0 + 7_000.0) && hot[3] == 0, "{hot:?}");
        let only = counts(&mesh(&[4, 4], &Pattern::HotSpot { nodes: vec![3], share: 1.0 }), 3, 15_000);
        assert!(near(only[0], 1_000.0) && only[3] == 0, "{only:?}");
    }

    #[test]
    fn nearest_neighbours_are_those_linked_directly() {
        let corner = counts(&mesh(&[3, 3], &Pattern::NearestNeighbour), 0, 1_000);
        assert!(near(corner[1], 500.0) && corner[1] + corner[3] == 1_000);
        let torus = Chooser::new(Grid::new(vec![4, 2], true), &Pattern::NearestNeighbour, Among::all(8));
        let ring = counts(&torus, 0, 3_000);
        assert!([1, 3, 4].iter().all(|&n: &usize| near(ring[n], 1_000.0)), "{ring:?}");
    }
}
