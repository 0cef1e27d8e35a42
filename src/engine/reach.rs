//! Tables of reachability for bit-string decoders: the nodes that each port leads to.

use bitvec::order::Lsb0;
use bitvec::view::BitView as _;
use wormscope_hw::{NodeId, SwitchId};

use wormscope_network::Wiring;
use wormscope_network::routing::Routes;

/// Nodes that the routing function sends through each port of each switch. The table has
/// `ceil(nodes / 64)` words for each port, switch-major. If possible, the table comes from the
/// wiring alone.
pub(super) fn tables(wiring: &Wiring, routes: &Routes) -> Vec<u64> {
    wiring.reach().unwrap_or_else(|| asked(wiring, routes))
}

/// The same table, from a call of the routing function for every switch and node.
fn asked(wiring: &Wiring, routes: &Routes) -> Vec<u64> {
    let (switches, ports) = (wiring.switches(), wiring.ports());
    let words = wiring.nodes().div_ceil(64) as usize;
    let mut reach = vec![0; switches as usize * usize::from(ports) * words];
    for (s, d) in (0..switches).flat_map(|s| (0..wiring.nodes()).map(move |d| (s, d))) {
        let port = routes.port(SwitchId(s), NodeId(d));
        let to = (s as usize * usize::from(ports) + usize::from(port)) * words;
        reach[to..].view_bits_mut::<Lsb0>().set(d as usize, true);
    }
    reach
}

#[cfg(test)]
mod tests {
    use super::*;
    use wormscope_network::{Network, UniMin};

    /// The ports that lead to each node, as sets of bits, from the tables; switch-major.
    fn ports(wiring: &Wiring, routes: &Routes) -> Vec<u64> {
        let (reach, ports, words) =
            (tables(wiring, routes), wiring.ports().into(), wiring.nodes().div_ceil(64) as usize);
        let all = (0..wiring.switches() as usize).flat_map(|s| (0..wiring.nodes() as usize).map(move |d| (s, d)));
        all.map(|(s, d)| {
            let nodes = |p: usize| reach[(s * ports + p) * words..].view_bits::<Lsb0>();
            (0..ports).fold(0, |set, p| set | u64::from(nodes(p)[d]) << p)
        })
        .collect()
    }

    #[test]
    fn tables_found_from_the_wiring_say_what_routing_does() {
        for topology in [
            "mesh(radices: [4, 3])",
            "uni_min(kind: baseline, switch_ports: 2, stages: 3)",
            "uni_min(kind: butterfly, switch_ports: 3, stages: 3)",
            "uni_min(kind: omega, switch_ports: 5, stages: 3)",
            "bi_min(switch_ports: 2, stages: 4)",
            "bi_min(switch_ports: 5, stages: 3)",
            "bi_min(switch_ports: 4, stages: 1)",
        ] {
            let network = Network::new(ron::from_str(topology).unwrap());
            let built = network.build().unwrap();
            let (wiring, routes) = (built.wiring(), built.routes());
            let nodes = wiring.nodes();
            let rows = network.stages().map_or(1, |(_, stages)| wiring.switches() / stages);
            for (i, set) in ports(wiring, routes).into_iter().enumerate() {
                let (s, d) = (i as u32 / nodes, i as u32 % nodes);
                let expected = 1 << routes.port(SwitchId(s), NodeId(d));
                assert!(set == expected || set == 0, "{topology}: switch {s}, node {d}: {set:b}");
            }
            for (s, sets) in ports(wiring, routes).chunks(nodes as usize).enumerate() {
                let reached = sets.iter().filter(|&&set| set != 0).count() as u32;
                // After every stage of a unidirectional network, a switch reaches fewer nodes.
                let narrows = |min: &UniMin| nodes / u32::from(min.ports()).pow(s as u32 / rows);
                let narrowed = wiring.uni_min().map_or(nodes, narrows);
                assert_eq!(reached, narrowed, "{topology}: switch {s}");
            }
        }
    }
}
