//! Binomial tree: recursive doubling. In step i, from 0, each of the `2^i` nodes that have the
//! message sends to the node `2^i` ranks above it (\[NUPAIROJ\] section 4.1).

use super::ranks::tree;
use crate::plan::{Plan, Request};

pub(crate) const NAME: &str = "binomial";

pub(crate) fn plan(request: &Request) -> Plan {
    tree(request, doubling(request.destinations.len() + 1))
}

/// The edges of the binomial tree of `k` nodes.
pub(super) fn doubling(k: usize) -> impl Iterator<Item = (usize, usize)> {
    let steps = std::iter::successors(Some(1), |holders| Some(holders * 2)).take_while(move |&holders| holders < k);
    steps.flat_map(move |holders| (0..holders.min(k - holders)).map(move |i| (i, i + holders)))
}
