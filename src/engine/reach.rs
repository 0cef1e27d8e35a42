//! Tables of reachability: which nodes each port leads to, for bit-string decoders.

use bitvec::order::Lsb0;
use bitvec::view::BitView as _;
use wormscope_hw::{NodeId, PortId, SwitchId};

use crate::network::routing::Routes;
use crate::network::{End, Wiring};

/// Nodes that each port of each switch leads to, `ceil(nodes / 64)` words each, switch-major.
///
/// Those that the routing function sends through it. In the multistage networks of the papers that
/// is found faster from the wiring alone: those that can be reached at all, away from the sources
/// (down); the first of the ports that lead up has all the others.
pub(super) fn tables(wiring: &Wiring, routes: &Routes) -> Vec<u64> {
    let (switches, ports) = (wiring.switches(), wiring.ports());
    let words = wiring.nodes().div_ceil(64) as usize;
    let mut reach = vec![0; switches as usize * usize::from(ports) * words];
    let at = |s: u32, port: u8| (s as usize * usize::from(ports) + usize::from(port)) * words;
    if let Some(min) = wiring.bi_min() {
        let up = min.up().0;
        for s in 0..switches {
            down(wiring, &mut reach, s, up, &at, words);
            let (below, above) = reach[at(s, 0)..at(s, ports)].split_at_mut(usize::from(up) * words);
            for (w, word) in above[..words].iter_mut().enumerate() {
                let nodes = (wiring.nodes() - w as u32 * 64).min(64);
                *word = u64::MAX >> (64 - nodes) & !below.iter().skip(w).step_by(words).fold(0, |all, &b| all | b);
            }
        }
    } else if wiring.uni_min().is_some() {
        // The switches nearest to the destinations first.
        (0..switches).rev().for_each(|s| down(wiring, &mut reach, s, ports, &at, words));
    } else {
        for (s, d) in (0..switches).flat_map(|s| (0..wiring.nodes()).map(move |d| (s, d))) {
            let to = at(s, routes.port(SwitchId(s), NodeId(d)));
            reach[to..].view_bits_mut::<Lsb0>().set(d as usize, true);
        }
    }
    reach
}

/// Fills in the first `ports` ports of a switch from what their far ends reach through as many.
fn down(wiring: &Wiring, reach: &mut [u64], s: u32, ports: u8, at: &impl Fn(u32, u8) -> usize, words: usize) {
    for port in 0..ports {
        let to = at(s, port);
        match wiring.output(SwitchId(s), PortId(port)) {
            Some(End::Node(d)) => reach[to..].view_bits_mut::<Lsb0>().set(d.index(), true),
            Some(End::Switch(far, _)) => {
                for (from, w) in (0..ports).flat_map(|p| (0..words).map(move |w| (at(far.0, p) + w, w))) {
                    reach[to + w] |= reach[from];
                }
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_text;
    use crate::network::Topology;

    /// The ports that lead to each node, as sets of bits, from the tables: switch-major.
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
            let network =
                from_text("x", &format!("(network: (topology: {topology}))"), &[]).unwrap().experiment.network;
            let wiring = network.wiring();
            let routes = Routes::new(network.routing(), &wiring);
            let nodes = wiring.nodes();
            let rows = network.stages().map_or(1, |(_, stages)| wiring.switches() / stages);
            for (i, set) in ports(&wiring, &routes).into_iter().enumerate() {
                let (s, d) = (i as u32 / nodes, i as u32 % nodes);
                let expected = 1 << routes.port(SwitchId(s), NodeId(d));
                assert!(set == expected || set == 0, "{topology}: switch {s}, node {d}: {set:b}");
            }
            for (s, sets) in ports(&wiring, &routes).chunks(nodes as usize).enumerate() {
                let reached = sets.iter().filter(|&&set| set != 0).count() as u32;
                let narrowed = match network.topology {
                    // Every stage narrows down what can still be reached.
                    Topology::UniMin { switch_ports, .. } => nodes / switch_ports.pow(s as u32 / rows),
                    _ => nodes,
                };
                assert_eq!(reached, narrowed, "{topology}: switch {s}");
            }
        }
    }
}
