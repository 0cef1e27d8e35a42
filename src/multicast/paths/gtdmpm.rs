//! GTDMPM on 3-D meshes, a reconstruction. \[TPP\] compares with it and does not define it. It says
//! that the source sends on all its outgoing channels and takes p start-ups for p subsets of the
//! destinations.
//!
//! Here it is the multi-path of Lin et al. (1994) in its general form, on the labels of TPP. Let
//! v1, v2 and so on be the source's higher neighbours in the order of their labels. Subset i has
//! the destinations with labels from the label of `v_i` to below the label of `v_i+1`. The lower
//! neighbours have subsets in the same way.
//!
//! Label order by itself takes each worm to its neighbour first. So there are at most six worms,
//! all on different channels.

use wormscope_hw::{NodeId, PortId};

use super::dual_path::{plan_of, split};
use crate::networks::labelled_mesh;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "gtdmpm";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let (grid, labels) = labelled_mesh(request, NAME, 3..=3)?;
    let ports = 0..grid.ports() - 1;
    let neighbours = ports.filter_map(|port| grid.neighbour(request.source.0, PortId(port)));
    let neighbours: Vec<u32> = neighbours.map(|node| labels.label(NodeId(node))).collect();
    // The neighbour on the way is the farthest one that is not beyond the destination.
    let here = labels.label(request.source);
    let by = |node: NodeId| {
        let to = labels.label(node);
        let on_the_way =
            neighbours.iter().filter(|&&v| if to > here { (here..=to).contains(&v) } else { (to..=here).contains(&v) });
        on_the_way.max_by_key(|&&v| v.abs_diff(here)).copied()
    };
    let lists = split(&labels, request.source, request.destinations);
    let worms = lists.iter().flat_map(|list| list.chunk_by(|&a, &b| by(a) == by(b)).map(<[NodeId]>::to_vec));
    Ok(plan_of(request, worms))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{Parameters, find};
    use wormscope_network::routing::Labels;
    use wormscope_network::{Grid, Wiring};

    #[test]
    fn every_worm_leaves_by_a_port_of_its_own_and_a_broadcast_takes_all_of_them() {
        let grid = Grid::new(vec![4, 3, 5], false);
        let labels = Labels::new(&grid).unwrap();
        let wiring = Wiring::new(grid.clone());
        let parameters = Parameters::default();
        for source in (0..60).map(NodeId) {
            for stride in [1, 2, 3, 7] {
                let set = (1..60).step_by(stride).map(|i| NodeId((source.0 + i) % 60));
                let destinations: Vec<NodeId> = set.collect();
                let request = Request { wiring: &wiring, source, destinations: &destinations, parameters: &parameters };
                let plan = find(NAME).unwrap().plan(&request).unwrap();
                let ports: HashSet<_> = plan.sends.iter().map(|send| labels.next_port(source, send.to[0])).collect();
                assert_eq!(ports.len(), plan.sends.len(), "{source}, every {stride}.");
                if stride == 1 {
                    let neighbours = (0..6).filter(|&port| grid.neighbour(source.0, PortId(port)).is_some()).count();
                    assert_eq!(plan.sends.len(), neighbours);
                }
            }
        }
    }
}
