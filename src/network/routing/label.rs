//! Label order: routing along a Hamiltonian path of a mesh (\[TPP\] eq. 2; Lin et al. 1994).
//!
//! Every node has a label, its position on a path that visits all nodes. Consecutive labels are
//! neighbours. A worm travels through rising labels only, or through falling labels only. So the
//! channels that it waits for never close a cycle.

use wormscope_hw::{NodeId, PortId};

use crate::Grid;

/// Hamiltonian labels of a mesh of one to three dimensions, of any radices.
///
/// \[TPP\] eq. 2 goes back and forth along x, row after row of a y-plane, plane after plane. On odd
/// y it has z reversed. Let k be the place of a row on the path:
/// `k = y * kz + (z if y is even, else kz - 1 - z)`.
/// Then the four cases of eq. 2 are one:
/// `label = k * kx + (x if k is even, else kx - 1 - x)`.
/// A 2-D mesh is the case `kz = 1`, and a linear array the case `ky = kz = 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels {
    kx: u32,
    ky: u32,
    kz: u32,
}

/// Place of `i` on a line of `k`, counted from the other end if `back`.
#[inline]
const fn fold(i: u32, k: u32, back: bool) -> u32 {
    if back { k - 1 - i } else { i }
}

const fn odd(i: u32) -> bool {
    i & 1 == 1
}

impl Labels {
    /// Labels of a mesh. `None` for a torus and for more than three dimensions, where no labels are
    /// defined.
    #[must_use]
    pub fn new(grid: &Grid) -> Option<Self> {
        let radix = |d: usize| grid.radices().get(d).copied().unwrap_or(1);
        (!grid.wraps() && grid.radices().len() <= 3).then(|| Self::of([0, 1, 2].map(radix)))
    }

    /// Labels of a mesh of `kx` x `ky` x `kz` nodes.
    #[must_use]
    pub const fn of([kx, ky, kz]: [u32; 3]) -> Self {
        Self { kx, ky, kz }
    }

    /// Number of labels, and of nodes.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.kx * self.ky * self.kz
    }

    /// Always false: a valid mesh has nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Label of a node, `0..len`.
    #[must_use]
    #[inline]
    pub fn label(&self, node: NodeId) -> u32 {
        self.at(self.coordinates(node))
    }

    /// The node with a label.
    #[must_use]
    pub fn node(&self, label: u32) -> NodeId {
        let row = label / self.kx;
        let y = row / self.kz;
        let z = fold(row % self.kz, self.kz, odd(y));
        let x = fold(label % self.kx, self.kx, odd(row));
        NodeId(x + self.kx * (y + self.ky * z))
    }

    /// The routing function R(u, v) of Lin et al., for router `from`. When `to` has a higher label,
    /// the port leads to the neighbour with the largest label not above `to`'s. When `to` has a
    /// lower label, it leads to the neighbour with the smallest label not below it. `None` when
    /// `from` is `to`.
    ///
    /// The routes are minimal in two dimensions, and not always in three.
    #[must_use]
    pub fn next_port(&self, from: NodeId, to: NodeId) -> Option<PortId> {
        let [x, y, z] = self.coordinates(from);
        let (here, goal) = (self.at([x, y, z]), self.label(to));
        let neighbours = [
            (x + 1 < self.kx).then(|| [x + 1, y, z]),
            (x > 0).then(|| [x - 1, y, z]),
            (y + 1 < self.ky).then(|| [x, y + 1, z]),
            (y > 0).then(|| [x, y - 1, z]),
            (z + 1 < self.kz).then(|| [x, y, z + 1]),
            (z > 0).then(|| [x, y, z - 1]),
        ];
        let labels = (0u8..).zip(neighbours).filter_map(|(port, at)| Some((self.at(at?), PortId(port))));
        let (least, most) = (here.min(goal), here.max(goal));
        let ahead = labels.filter(|&(label, _)| label != here && (least..=most).contains(&label));
        let best = if goal > here { ahead.max() } else { ahead.min() };
        best.map(|(_, port)| port)
    }

    fn at(&self, [x, y, z]: [u32; 3]) -> u32 {
        let row = y * self.kz + fold(z, self.kz, odd(y));
        row * self.kx + fold(x, self.kx, odd(row))
    }

    fn coordinates(&self, node: NodeId) -> [u32; 3] {
        let (x, rest) = (node.0 % self.kx, node.0 / self.kx);
        [x, rest % self.ky, rest / self.ky]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(radices: &[u32]) -> (Grid, Labels) {
        let grid = Grid::new(radices.to_vec(), false);
        let labels = Labels::new(&grid).unwrap();
        (grid, labels)
    }

    fn many() -> impl Iterator<Item = Vec<u32>> {
        let lines = (1..=6).map(|x| vec![x]);
        let planes = (1..=6).flat_map(|x| (1..=6).map(move |y| vec![x, y]));
        let cubes = (1..=5).flat_map(|x| (1..=5).flat_map(move |y| (1..=5).map(move |z| vec![x, y, z])));
        lines.chain(planes).chain(cubes)
    }

    /// Nodes on the route from `from` to `to`, both included.
    fn walk(grid: &Grid, labels: &Labels, from: NodeId, to: NodeId) -> Vec<NodeId> {
        let mut path = vec![from];
        let mut at = from;
        while let Some(port) = labels.next_port(at, to) {
            at = NodeId(grid.neighbour(at.0, port).unwrap());
            path.push(at);
            assert!(path.len() <= labels.len() as usize, "{from} to {to} runs in circles");
        }
        path
    }

    #[test]
    fn consecutive_labels_are_neighbours_in_meshes_of_any_radices() {
        for radices in many() {
            let (grid, labels) = labels(&radices);
            for label in 0..labels.len() {
                let node = labels.node(label);
                assert_eq!(labels.label(node), label, "{radices:?}");
                if label > 0 {
                    let before = labels.node(label - 1);
                    let linked = (0..grid.ports() - 1).any(|p| grid.neighbour(before.0, PortId(p)) == Some(node.0));
                    assert!(linked, "{radices:?}: labels {} and {label} are not neighbours", label - 1);
                }
            }
        }
    }

    #[test]
    fn two_dimensions_are_the_boustrophedon() {
        let (_, labels) = labels(&[3, 3]);
        let by_node: Vec<u32> = (0..9).map(|n| labels.label(NodeId(n))).collect();
        assert_eq!(by_node, [0, 1, 2, 5, 4, 3, 6, 7, 8]);
    }

    #[test]
    fn three_dimensions_are_the_printed_equation() {
        for (n, m, r) in [(3, 3, 3), (4, 3, 2), (3, 2, 4), (5, 4, 3), (2, 5, 4)] {
            is_the_printed_equation(n, m, r);
        }
    }

    fn is_the_printed_equation(n: u32, m: u32, r: u32) {
        let (_, labels) = labels(&[n, m, r]);
        for (x, y, z) in (0..n * m * r).map(|i| (i % n, i / n % m, i / n / m)) {
            let printed = match (y % 2, z % 2) {
                (0, 0) => n * r * y + n * z + x,
                (0, _) => n * r * y + n * z + (n - x - 1),
                (_, 0) => n * r * y + n * (r - z - 1) + (n - x - 1),
                _ => n * r * y + n * (r - z - 1) + x,
            };
            assert_eq!(labels.label(NodeId(x + n * (y + m * z))), printed, "({x}, {y}, {z})");
        }
    }

    /// \[TPP\], "The proposed algorithm": R(u, v) = w. L(w) is the greatest label of a neighbour of
    /// u that is not above L(v), or the least that is not below it.
    #[test]
    fn the_next_node_is_that_of_the_printed_routing_function() {
        for radices in [vec![3, 3, 3], vec![4, 3, 2], vec![2, 5, 3], vec![4, 5]] {
            let (grid, labels) = labels(&radices);
            for (u, v) in (0..labels.len()).flat_map(|u| (0..labels.len()).map(move |v| (u, v))).filter(|(u, v)| u != v)
            {
                let (from, to) = (labels.node(u), labels.node(v));
                let neighbours = (0..grid.ports() - 1).filter_map(|port| grid.neighbour(from.0, PortId(port)));
                let mut of_neighbours: Vec<u32> = neighbours.map(|z| labels.label(NodeId(z))).collect();
                of_neighbours.retain(|&z| if u < v { z <= v } else { z >= v });
                let w = if u < v { of_neighbours.iter().max() } else { of_neighbours.iter().min() };
                let taken = labels.next_port(from, to).and_then(|port| grid.neighbour(from.0, port));
                assert_eq!(taken.map(|node| labels.label(NodeId(node))), w.copied(), "{radices:?}: {u} to {v}");
            }
        }
    }

    #[test]
    fn routes_are_monotone_and_arrive_between_all_pairs() {
        for radices in many() {
            let (grid, labels) = labels(&radices);
            for (a, b) in (0..labels.len()).flat_map(|a| (0..labels.len()).map(move |b| (NodeId(a), NodeId(b)))) {
                let path: Vec<u32> = walk(&grid, &labels, a, b).iter().map(|&n| labels.label(n)).collect();
                assert_eq!(path.last(), Some(&labels.label(b)), "{radices:?}: {a} to {b}");
                let rising = labels.label(a) < labels.label(b);
                assert!(path.windows(2).all(|w| (w[0] < w[1]) == rising), "{radices:?}: {a} to {b} by {path:?}");
            }
        }
    }

    #[test]
    fn routes_are_minimal_in_two_dimensions_and_mostly_in_three() {
        let longer = |radices: &[u32]| {
            let (grid, labels) = labels(radices);
            let distance = |a: u32, b: u32| -> u32 {
                (0..radices.len()).map(|d| grid.coordinate(a, d).abs_diff(grid.coordinate(b, d))).sum()
            };
            let pairs = (0..labels.len()).flat_map(|a| (0..labels.len()).map(move |b| (a, b)));
            pairs.filter(|&(a, b)| walk(&grid, &labels, NodeId(a), NodeId(b)).len() as u32 - 1 > distance(a, b)).count()
        };
        assert_eq!(longer(&[5, 4]), 0);
        assert_eq!(longer(&[4, 7]), 0);
        assert_eq!(longer(&[3, 3, 3]), 54);
        assert_eq!(longer(&[4, 4, 4]), 432);
    }

    #[test]
    fn the_tour_of_the_papers_example_takes_23_channels() {
        // [TPP] Fig. 2: source 16, D_U = {18, 21, 23, 25}, D_L = {15, 11, 10, 8, 4, 3, 0}.
        let (grid, labels) = labels(&[3, 3, 3]);
        let tour = |stops: &[u32]| -> usize {
            let hops = stops.windows(2).map(|w| walk(&grid, &labels, labels.node(w[0]), labels.node(w[1])).len() - 1);
            hops.sum()
        };
        assert_eq!(tour(&[16, 18, 21, 23, 25]), 9);
        assert_eq!(tour(&[16, 15, 11, 10, 8, 4, 3, 0]), 14);
    }

    #[test]
    fn a_torus_and_four_dimensions_have_no_labels() {
        assert!(Labels::new(&Grid::new(vec![4, 4], true)).is_none());
        assert!(Labels::new(&Grid::new(vec![2, 2, 2, 2], false)).is_none());
    }
}
