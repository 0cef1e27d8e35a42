//! Tables of reachability: which nodes each port leads to, for bit-string decoders.

use wormscope_hw::{NodeId, PortId, SwitchId};

use crate::routing::Routes;
use crate::topology::{End, Wiring};

/// Nodes that each port of each switch leads to, `ceil(nodes / 64)` words each, switch-major.
///
/// On a grid those that the routing function sends through it. In a multistage network those that can be reached at all, away from
/// the sources (down), found from the wiring alone; the first of the ports that lead up has all the others.
pub(super) fn tables(wiring: &Wiring, routes: &Routes) -> Vec<u64> {
    let (switches, ports) = (wiring.switches(), wiring.ports());
    let words = wiring.nodes().div_ceil(64) as usize;
    let mut reach = vec![0; switches as usize * usize::from(ports) * words];
    let at = |s: u32, port: u8| (s as usize * usize::from(ports) + usize::from(port)) * words;
    match wiring {
        Wiring::Grid(_) => {
            for (s, d) in (0..switches).flat_map(|s| (0..wiring.nodes()).map(move |d| (s, d))) {
                reach[at(s, routes.port(SwitchId(s), NodeId(d))) + d as usize / 64] |= 1 << (d % 64);
            }
        }
        // The switches nearest to the destinations first.
        Wiring::UniMin(_) => (0..switches).rev().for_each(|s| down(wiring, &mut reach, s, ports, &at, words)),
        Wiring::BiMin(min) => {
            let up = min.up().0;
            for s in 0..switches {
                down(wiring, &mut reach, s, up, &at, words);
                let (below, above) = reach[at(s, 0)..at(s, ports)].split_at_mut(usize::from(up) * words);
                for (w, word) in above[..words].iter_mut().enumerate() {
                    let nodes = (wiring.nodes() - w as u32 * 64).min(64);
                    *word = u64::MAX >> (64 - nodes) & !below.iter().skip(w).step_by(words).fold(0, |all, &b| all | b);
                }
            }
        }
    }
    reach
}

/// Fills in the first `ports` ports of a switch from what their far ends reach through as many.
fn down(wiring: &Wiring, reach: &mut [u64], s: u32, ports: u8, at: &impl Fn(u32, u8) -> usize, words: usize) {
    for port in 0..ports {
        let to = at(s, port);
        match wiring.output(SwitchId(s), PortId(port)) {
            Some(End::Node(d)) => reach[to + d.index() / 64] |= 1 << (d.0 % 64),
            Some(End::Switch(far, _)) => {
                for (from, w) in (0..ports).flat_map(|p| (0..words).map(move |w| (at(far.0, p) + w, w))) {
                    reach[to + w] |= reach[from];
                }
            }
            None => {}
        }
    }
}
