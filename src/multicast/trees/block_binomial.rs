//! Block-based binomial tree of MPI-F (\[NUPAIROJ\] section 3.4.1): a binomial tree over the first
//! nodes of blocks, and a sequential tree inside each block.
//!
//! The number of blocks is the greatest power of two for which there are enough nodes. The m nodes
//! beyond are served by `P_0 .. P_m-1` in the end. Blocks of one node make the binomial tree. One
//! block of all nodes makes the sequential tree.

use super::binomial::doubling;
use super::ranks::tree;
use crate::plan::{Plan, Request};

pub(crate) const NAME: &str = "block_binomial";

pub(crate) fn plan(request: &Request) -> Plan {
    tree(request, edges(request.destinations.len() + 1, request.parameters.block as usize))
}

/// The edges of the tree of `k` nodes in blocks of at most `block`.
fn edges(k: usize, block: usize) -> impl Iterator<Item = (usize, usize)> {
    let block = block.min(k);
    let blocks = 1 << (k / block).ilog2();
    let between = doubling(blocks).map(move |(from, to)| (from * block, to * block));
    let within = (0..blocks).flat_map(move |i| (1..block).map(move |j| (i * block, i * block + j)));
    let left_over = (blocks * block..k).enumerate();
    between.chain(within).chain(left_over)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_nodes_in_blocks_of_three_are_the_tree_of_figure_3_7() {
        let tree: Vec<_> = edges(9, 3).collect();
        assert_eq!(tree, [(0, 3), (0, 1), (0, 2), (3, 4), (3, 5), (0, 6), (1, 7), (2, 8)]);
    }

    #[test]
    fn blocks_of_one_node_are_the_binomial_tree_and_one_block_the_sequential() {
        for k in 2..70 {
            assert!(edges(k, 1).eq(doubling(k)), "{k} nodes");
            assert!(edges(k, k).eq((1..k).map(|i| (0, i))), "{k} nodes");
            assert!(edges(k, k + 5).eq((1..k).map(|i| (0, i))), "{k} nodes");
        }
    }
}
