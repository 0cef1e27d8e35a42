//! TPP, Two-Path-Pipelined (\[TPP\]): dual path on the Hamiltonian labels of a 3-D mesh. TPP takes
//! two start-ups for all sets of destinations. With two ports, a node does both at the same time.

use super::dual_path;
use crate::networks::labelled_mesh;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;

pub(crate) const NAME: &str = "tpp";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    let labels = labelled_mesh(request, NAME, 3..=3)?.1;
    Ok(dual_path::plan_on(request, &labels))
}

#[cfg(test)]
mod tests {
    use wormscope_hw::{NodeId, PortId, SwitchId};

    use crate::model::contention;
    use crate::{Parameters, Request, find};
    use wormscope_network::routing::Labels;
    use wormscope_network::{Grid, Wiring};

    #[test]
    fn the_papers_example_takes_9_and_14_channels_23_together() {
        let grid = Grid::new(vec![3, 3, 3], false);
        let labels = Labels::new(&grid).unwrap();
        let wiring = Wiring::new(grid);
        let node = |label: u32| labels.node(label);
        let destinations = [0, 4, 3, 8, 15, 10, 11, 18, 21, 23, 25].map(node);
        assert_eq!(node(16), NodeId(1 + 3));
        let plan = |ports: u32| {
            let parameters = Parameters { ports, ..Parameters::default() };
            let request =
                Request { wiring: &wiring, source: node(16), destinations: &destinations, parameters: &parameters };
            find("tpp").unwrap().plan(&request).unwrap()
        };
        let sends = plan(2).sends;
        assert_eq!(*sends[0].to, [18, 21, 23, 25].map(node));
        assert_eq!(*sends[1].to, [15, 11, 10, 8, 4, 3, 0].map(node));
        assert_eq!((sends[0].step, sends[1].step), (0, 0));
        assert_eq!(plan(1).sends[1].step, 1);
        let next = |switch: SwitchId, to: NodeId| labels.next_port(NodeId(switch.0), to);
        let channels = contention::channels(&wiring, &plan(1), next).unwrap();
        let between_routers = channels.iter().map(|used| used.iter().filter(|(_, port)| *port != PortId(6)).count());
        assert_eq!(between_routers.collect::<Vec<_>>(), [9, 14]);
    }
}
