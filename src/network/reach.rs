//! Tables of reachability from the wiring alone, without a call of the routing function for every
//! switch and node. A switch reaches the nodes of the switches that it leads to.

use bitvec::order::Lsb0;
use bitvec::view::BitView as _;
use wormscope_hw::{PortId, SwitchId};

use super::{End, Family};

/// Nodes that each port of each switch leads to, `ceil(nodes / 64)` words each, switch-major.
pub(super) struct Reach<'a, F> {
    family: &'a F,
    ports: u8,
    words: usize,
    tables: Vec<u64>,
}

impl<'a, F: Family> Reach<'a, F> {
    /// Tables in which no port leads to a node.
    pub fn new(family: &'a F) -> Self {
        let ports = family.sections().map(|section| section.ports).iter().sum();
        let words = family.nodes().div_ceil(64) as usize;
        let tables = vec![0; family.switches() as usize * usize::from(ports) * words];
        Self { family, ports, words, tables }
    }

    fn at(&self, switch: u32, port: u8) -> usize {
        (switch as usize * usize::from(self.ports) + usize::from(port)) * self.words
    }

    /// Fills in the first `ports` ports of a switch. Each reaches the nodes that the first `ports`
    /// ports of the switch at its far end reach.
    pub fn down(&mut self, switch: u32, ports: u8) {
        let words = self.words;
        for port in 0..ports {
            let to = self.at(switch, port);
            match self.family.output(SwitchId(switch), PortId(port)) {
                Some(End::Node(node)) => self.tables[to..].view_bits_mut::<Lsb0>().set(node.index(), true),
                Some(End::Switch(far, _)) => {
                    for (from, word) in (0..ports).flat_map(|p| (0..words).map(move |word| (p, word))) {
                        self.tables[to + word] |= self.tables[self.at(far.0, from) + word];
                    }
                }
                None => {}
            }
        }
    }

    /// Fills in port `port` of a switch with all nodes that none of the ports before it reaches.
    pub fn others(&mut self, switch: u32, port: u8) {
        let (first, at) = (self.at(switch, 0), self.at(switch, port));
        let (below, above) = self.tables[first..].split_at_mut(at - first);
        for (word, others) in above[..self.words].iter_mut().enumerate() {
            let nodes = (self.family.nodes() - word as u32 * 64).min(64);
            let known = below.iter().skip(word).step_by(self.words).fold(0, |all, &nodes| all | nodes);
            *others = u64::MAX >> (64 - nodes) & !known;
        }
    }

    pub fn tables(self) -> Vec<u64> {
        self.tables
    }
}
