//! OPT-mesh (\[NUPAIROJ\] section 5.2): the OPT-tree on the dimension-ordered chain, without
//! contention.
//!
//! The source stays at its place in the chain as long as its part is at least half of the chain.
//! This holds for `t_hold <= t_end`. Otherwise the source might be in neither part. Then the chain
//! is rotated as in `SPUmesh` (reconstruction: the text does not treat this case). This keeps the
//! shape of the tree, and keeps its worms apart.

use crate::networks::mesh;
use crate::ordered_chain::OrderedChain;
use crate::plan::{Plan, Request};
use crate::refusal::Refusal;
use crate::trees::opt_tree::OptTree;

pub(crate) const NAME: &str = "opt_mesh";

pub(crate) fn plan(request: &Request) -> Result<Plan, Refusal> {
    plan_as(request, NAME)
}

/// The plan; a refusal names `algorithm`.
pub(super) fn plan_as(request: &Request, algorithm: &'static str) -> Result<Plan, Refusal> {
    let grid = mesh(request, algorithm)?;
    Ok(plan_on(request, OrderedChain::dimension_ordered(request, grid)))
}

/// The OPT-tree on an ordered chain (\[NUPAIROJ\] algorithms 5.2.1 and 5.3.1).
pub(crate) fn plan_on(request: &Request, chain: OrderedChain) -> Plan {
    let parameters = request.parameters;
    let chain = if parameters.hold() <= parameters.end() { chain } else { chain.rotated() };
    let table = OptTree::of(parameters, chain.nodes().len());
    chain.plan(request, |part| table.split(part))
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // Sums of whole numbers are exact.
mod tests {
    use wormscope_hw::{NodeId, PortId, SwitchId};

    use super::*;
    use crate::model::contention;
    use crate::model::parameterised::{Flight, flights, latency};
    use crate::{Parameters, find};
    use wormscope_network::routing::DimensionOrder;
    use wormscope_network::{Grid, Wiring};

    type Node = (u32, u32);

    const DESTINATIONS: [Node; 7] = [(1, 5), (2, 1), (3, 4), (4, 3), (4, 4), (5, 1), (5, 4)];

    /// The example of \[NUPAIROJ\] section 5.2, source (3, 2) of a 6x6 mesh. Returns the sends of
    /// each sender, and the latency.
    fn example(algorithm: &str) -> (Vec<(Node, Vec<Node>)>, f64) {
        let wiring = Wiring::new(Grid::new(vec![6, 6], false));
        let parameters = Parameters::hold_and_end(20.0, 55.0);
        let destinations = DESTINATIONS.map(|(x, y)| NodeId(x + 6 * y));
        let request =
            Request { wiring: &wiring, source: NodeId(15), destinations: &destinations, parameters: &parameters };
        let plan = find(algorithm).unwrap().plan(&request).unwrap();
        let mut senders: Vec<(Node, Vec<Node>)> = Vec::new();
        for send in &plan.sends {
            let [from, to] = [send.from, send.to[0]].map(|node| (node.0 % 6, node.0 / 6));
            match senders.iter_mut().find(|(sender, _)| *sender == from) {
                Some((_, receivers)) => receivers.push(to),
                None => senders.push((from, vec![to])),
            }
        }
        (senders, latency(&plan, &parameters))
    }

    #[test]
    fn figures_5_4_and_5_5_come_out() {
        let (sends, latency) = example("opt_mesh");
        let expected =
            [((3, 2), vec![(4, 4), (3, 4), (1, 5), (2, 1)]), ((4, 4), vec![(5, 4), (5, 1)]), ((3, 4), vec![(4, 3)])];
        assert_eq!(sends, expected);
        assert_eq!(latency, 130.0);
        let (sends, latency) = example("u_mesh");
        assert_eq!(sends[0], ((3, 2), vec![(4, 3), (2, 1), (3, 4)]));
        assert_eq!(latency, 165.0);
    }

    #[test]
    fn figure_5_6_shares_two_links_among_sends_of_one_node_only() {
        let grid = Grid::new(vec![6, 6], false);
        let (routes, local) = (DimensionOrder::new(&grid), grid.node_port());
        let wiring = Wiring::new(grid);
        let parameters = Parameters::hold_and_end(20.0, 55.0);
        let destinations = DESTINATIONS.map(|(x, y)| NodeId(x + 6 * y));
        let request =
            Request { wiring: &wiring, source: NodeId(15), destinations: &destinations, parameters: &parameters };
        let plan = plan(&request).unwrap();
        let next = |switch: SwitchId, node: NodeId| {
            let port = PortId(routes.port(switch.0, node.0));
            (port != local).then_some(port)
        };
        let channels = contention::channels(&wiring, &plan, next).unwrap();
        assert!(contention::by_time(&plan, &channels, &flights(&plan, &parameters)).is_none());
        let every = vec![Flight { start: 0.0, arrival: 1.0 }; plan.sends.len()];
        assert!(contention::by_time(&plan, &channels, &every).is_none());
        let users = |channel| channels.iter().filter(|used| used.contains(&channel)).count();
        let link = |x: u32, y: u32, port: u8| (SwitchId(x + 6 * y), PortId(port));
        // The links are + x out of (4, 4) and - x out of (3, 2).
        assert_eq!((users(link(4, 4, 0)), users(link(3, 2, 1))), (2, 2));
    }
}
