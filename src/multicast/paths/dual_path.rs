//! Dual path (Lin et al. 1994): one multicast in at most two multidestination worms along a
//! Hamiltonian path. \[TPP\] steps 1 to 3 are the same on 3-D labels.

use arrayvec::ArrayVec;
use wormscope_hw::{Encoding, NodeId};

use crate::networks::labelled_mesh;
use crate::plan::{Plan, Request};
use crate::planner::Planner;
use crate::refusal::Refusal;
use wormscope_network::routing::label::Labels;

pub(crate) const NAME: &str = "dual_path";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let labels = labelled_mesh(request, NAME, 2..=3)?.1;
    Ok(plan_on(request, &labels))
}

/// Dual path on these labels.
pub(super) fn plan_on(request: &Request, labels: &Labels) -> Plan {
    plan_of(request, split(labels, request.source, request.destinations))
}

/// The plan in which the source sends these worms in this order. Empty worms are left out.
pub(super) fn plan_of(request: &Request, worms: impl IntoIterator<Item = Vec<NodeId>>) -> Plan {
    let mut planner = Planner::new(request);
    for worm in worms.into_iter().filter(|worm| !worm.is_empty()) {
        planner.send(request.source, worm.into(), Encoding::Multidestination);
    }
    planner.finish()
}

/// The worms of one multicast, each a list of destinations in visiting order. First comes `D_U`,
/// the destinations with labels above the source's, ascending. Then comes `D_L`, the destinations
/// with lower labels, descending. An empty part is no worm. The source is in no part.
#[must_use]
pub fn dual_path(labels: &Labels, source: NodeId, destinations: &[NodeId]) -> ArrayVec<Box<[NodeId]>, 2> {
    let parts = split(labels, source, destinations).into_iter().filter(|part| !part.is_empty());
    parts.map(Vec::into_boxed_slice).collect()
}

/// `D_U` and `D_L`, each in visiting order.
pub(super) fn split(labels: &Labels, source: NodeId, destinations: &[NodeId]) -> [Vec<NodeId>; 2] {
    let here = labels.label(source);
    let mut upper = Vec::new();
    let mut lower = Vec::new();
    for label in destinations.iter().map(|&node| labels.label(node)) {
        match label.cmp(&here) {
            std::cmp::Ordering::Greater => upper.push(label),
            std::cmp::Ordering::Less => lower.push(label),
            std::cmp::Ordering::Equal => {}
        }
    }
    upper.sort_unstable();
    lower.sort_unstable_by(|a, b| b.cmp(a));
    [upper, lower].map(|part| part.into_iter().map(|label| labels.node(label)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wormscope_network::Grid;

    fn worms(radices: &[u32], source: u32, destinations: &[u32]) -> Vec<Vec<u32>> {
        let labels = Labels::new(&Grid::new(radices.to_vec(), false)).unwrap();
        let nodes = |of: &[u32]| of.iter().map(|&label| labels.node(label)).collect::<Vec<_>>();
        let worms = dual_path(&labels, labels.node(source), &nodes(destinations));
        worms.iter().map(|worm| worm.iter().map(|&node| labels.label(node)).collect()).collect()
    }

    #[test]
    fn the_papers_example_splits_into_its_two_printed_lists() {
        let destinations = [0, 4, 3, 8, 15, 10, 11, 18, 21, 23, 25];
        let expected = vec![vec![18, 21, 23, 25], vec![15, 11, 10, 8, 4, 3, 0]];
        assert_eq!(worms(&[3, 3, 3], 16, &destinations), expected);
    }

    #[test]
    fn destinations_on_one_side_make_one_worm() {
        assert_eq!(worms(&[4, 4], 0, &[9, 3, 12]), [[3, 9, 12]]);
        assert_eq!(worms(&[4, 4], 15, &[9, 3, 12]), [[12, 9, 3]]);
        assert!(worms(&[4, 4], 5, &[]).is_empty());
    }

    #[test]
    fn a_broadcast_visits_every_other_node_once() {
        for source in 0..20 {
            let all: Vec<u32> = (0..20).filter(|&n| n != source).collect();
            let mut visited = worms(&[5, 4], source, &all).concat();
            visited.sort_unstable();
            assert_eq!(visited, all);
        }
    }
}
