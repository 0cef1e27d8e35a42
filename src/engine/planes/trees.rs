//! Branches of the worms that go to several nodes.
//!
//! The branches of a tree follow from the set of its destinations. A port is a branch if routing
//! sends a destination through it. So the set is masked with a table of the nodes that the port
//! leads to (docs/reference/timing.md, R2.13, R2.14).
//!
//! A header loses destinations on its way, and planes do not keep it. In a dimension all its
//! destinations lie ahead, on this side of the router where the worm turned into the dimension. So
//! a second mask, from the table of that router, gives what is left of the header. Only a torus
//! needs it: there a port also leads to nodes that the other branch serves.

use super::crossbar::leads;
use super::grid::Grid;

/// Destinations of a worm.
#[derive(Clone, Debug)]
pub(super) struct TreeSet {
    /// Router of its source.
    pub source: usize,
    /// One bit a node.
    pub set: Box<[u64]>,
    /// Destinations that its tail has not reached.
    pub missing: u32,
}

/// Nodes that each port of each router leads to, a bit each.
#[derive(Clone, Debug)]
pub(super) struct PortReach {
    table: Vec<u64>,
    words: usize,
}

impl PortReach {
    /// From a table, router-major, of as many bits for each port as there are nodes.
    pub fn new(table: Vec<u64>, nodes: usize) -> Self {
        Self { table, words: nodes.div_ceil(64) }
    }

    /// A set of nodes.
    pub fn set(&self, nodes: impl Iterator<Item = usize>) -> Box<[u64]> {
        let mut set = vec![0; self.words];
        nodes.for_each(|node| set[node / 64] |= 1 << (node % 64));
        set.into()
    }

    #[inline(always)]
    fn of(&self, grid: &Grid, router: usize, port: usize) -> &[u64] {
        &self.table[(router * grid.ports + port) * self.words..][..self.words]
    }

    /// The router where a tree that moves through `port` has turned into its dimension.
    #[inline(always)]
    fn turned(grid: &Grid, router: usize, port: usize, tree: &TreeSet) -> usize {
        let d = port / 2;
        let (from, at) = (grid.place(tree.source)[d], grid.place(router)[d]);
        router + grid.strides[d] * usize::from(from) - grid.strides[d] * usize::from(at)
    }

    /// Ports that are branches of a tree at a router that it came to through the input port `from`.
    #[inline(always)]
    pub fn branches(&self, grid: &Grid, router: usize, from: usize, tree: &TreeSet) -> impl Iterator<Item = usize> {
        (0..grid.ports).filter(move |&port| leads(grid.ports, from, port)).filter(move |&port| {
            let here = tree.set.iter().zip(self.of(grid, router, port));
            if !grid.wraps || port != from ^ 1 {
                return here.fold(0, |some, (set, reach)| some | set & reach) != 0;
            }
            let turned = self.of(grid, Self::turned(grid, router, port, tree), port);
            here.zip(turned).fold(0, |some, ((set, reach), turned)| some | set & reach & turned) != 0
        })
    }

    /// The rest of a bit-string that leaves a router, of this number, from an input lane through an
    /// output lane.
    pub fn behind(&self, grid: &Grid, (router, input, out): (usize, usize, usize), tree: &TreeSet) -> Vec<u64> {
        let rest = self.residue(grid, router, input / grid.channels, tree);
        rest.iter().zip(self.of(grid, router, out / grid.channels)).map(|(rest, reach)| rest & reach).collect()
    }

    /// The rest of a bit-string at a router that it came to through the input `port`.
    pub fn residue(&self, grid: &Grid, router: usize, port: usize, tree: &TreeSet) -> Vec<u64> {
        let Some(before) = grid.before(router, port) else {
            return tree.set.to_vec();
        };
        let turned = Self::turned(grid, before, port ^ 1, tree);
        let reach = [before, turned].map(|router| self.of(grid, router, port ^ 1));
        tree.set.iter().zip(reach[0]).zip(reach[1]).map(|((set, reach), turned)| set & reach & turned).collect()
    }
}
