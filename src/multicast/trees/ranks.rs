//! Ranks: the nodes of a multicast as `P_0`, the source, to `P_k-1`, for trees that know nothing of
//! the network.

use wormscope_hw::NodeId;

use crate::plan::{Plan, Request};
use crate::planner::Planner;

/// `P_0 .. P_k-1`: the source, then the destinations in the given order. It may be any order
/// (\[NUPAIROJ\] places the members of a group at random).
pub(super) fn ranks(request: &Request) -> Vec<NodeId> {
    let mut ranks = vec![request.source];
    ranks.extend(request.destinations);
    ranks
}

/// The plan of a tree. Its edges are (sender's rank, receiver's rank). An edge comes after the edge
/// that brings the message to its sender. The edges of one sender are in the order of its sends.
pub(super) fn tree(request: &Request, edges: impl IntoIterator<Item = (usize, usize)>) -> Plan {
    let ranks = ranks(request);
    let mut planner = Planner::new(request);
    for (from, to) in edges {
        planner.unicast(ranks[from], ranks[to]);
    }
    planner.finish()
}
