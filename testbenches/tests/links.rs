//! Links that no route between two nodes takes. The list of a network is compared with a walk of
//! its routes.

use std::collections::BTreeSet;

use proptest::prelude::*;
use wormscope::hw::{NodeId, PortId, SwitchId};
use wormscope::network::topology::netlist::Order;
use wormscope::network::{Built, End, Topology};
use wormscope_testbenches::drive::built;
use wormscope_testbenches::random::{cases, networks, topologies};

/// A port of a switch.
type Port = (SwitchId, PortId);

/// Links that some route to `node` takes, by any port of those that routing chooses from freely.
fn taken_to(built: &Built, node: NodeId) -> BTreeSet<Port> {
    let (wiring, mut taken, mut seen) = (built.wiring(), BTreeSet::new(), BTreeSet::new());
    let mut left: Vec<SwitchId> = (0..wiring.nodes()).map(|from| wiring.injection(NodeId(from)).0).collect();
    while let Some(at) = left.pop() {
        if !seen.insert(at) {
            continue;
        }
        let port = PortId(built.routes().port(at, node));
        let ports: Vec<u8> = wiring.climb(port).map_or_else(|| vec![port.0], |climb| climb.ports.iter().collect());
        for port in ports.into_iter().map(PortId) {
            if let Some(End::Switch(far, _)) = wiring.output(at, port) {
                taken.insert((at, port));
                left.push(far);
            }
        }
    }
    taken
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_network_names_the_links_that_no_route_takes(network in networks(topologies())) {
        let built = built(&network);
        let wiring = built.wiring();
        let taken: BTreeSet<Port> = (0..wiring.nodes()).flat_map(|node| taken_to(&built, NodeId(node))).collect();
        let ports = || (0..wiring.ports()).map(PortId);
        let all = (0..wiring.switches()).map(SwitchId).flat_map(|switch| ports().map(move |port| (switch, port)));
        let links = all.filter(|&(switch, port)| matches!(wiring.output(switch, port), Some(End::Switch(..))));
        let links: Vec<Port> = links.collect();
        // Up and down a tree, some links have routes in one direction only.
        let is_tree = matches!(network.topology, Topology::Netlist { routing: Order::UpDown, .. });
        let is_told = |&(switch, port): &Port| {
            let back = match wiring.output(switch, port) {
                Some(End::Switch(far, at)) => taken.contains(&(far, at)),
                _ => false,
            };
            let mut beside = links.iter().filter(|link| link.0 == switch && wiring.far_end(switch, link.1) == wiring.far_end(switch, port));
            !is_tree || !back || beside.any(|link| taken.contains(link))
        };
        let idle: Vec<Port> = links.iter().copied().filter(|link| !taken.contains(link)).filter(is_told).collect();
        prop_assert_eq!(wiring.idle().links, idle, "{:?}", network.topology);
    }
}
