//! Ranks: the nodes of a multicast as `P_0`, the source, to `P_k-1`, for trees that know nothing of the network.

use wormscope_hw::NodeId;

use super::plan::{Plan, Request};
use super::planner::Planner;

/// `P_0 .. P_k-1`: by node number, beginning with the source and from the highest on with the lowest (\[NUPAIROJ\] algorithm 4.3.1).
pub(super) fn ranks(request: &Request) -> Vec<NodeId> {
    let mut ranks = request.destinations.to_vec();
    ranks.sort_unstable();
    let above = ranks.partition_point(|&node| node < request.source);
    ranks.rotate_left(above);
    ranks.insert(0, request.source);
    ranks
}

/// The plan of a tree: its edges, (sender's rank, receiver's rank), each after the one that brings the message to its sender, those
/// of one sender in their order.
pub(super) fn tree(request: &Request, edges: impl IntoIterator<Item = (usize, usize)>) -> Plan {
    let ranks = ranks(request);
    let mut planner = Planner::new(request);
    for (from, to) in edges {
        planner.unicast(ranks[from], ranks[to]);
    }
    planner.finish()
}
