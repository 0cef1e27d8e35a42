//! Planned crossings of worms: the tree of the routing function, followed step by step.

use std::collections::{BTreeMap, VecDeque};

use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId, PortId, SwitchId, WormId};

use super::rules::{Breaches, Rule};
use crate::engine::{FlitId, OutSample, WormInfo};
use crate::network::{End, Lanes, Network, part_flits};
use crate::simulation::Site;

/// A planned crossing of an output, by a worm or a branch of it.
#[derive(Clone, Debug)]
struct Visit {
    /// The first flit that is left of it there.
    first: u32,
    /// Nodes that it has still to reach, in header order.
    nodes: Vec<NodeId>,
}

/// Follows worms from switch to switch.
#[derive(Clone, Debug)]
pub(super) struct Itineraries<'a> {
    site: &'a Site,
    lanes: Lanes,
    /// Number of flits that are stripped at once, by the number of the encoding.
    stripped: [u32; Encoding::ALL.len()],
    encodings: Vec<Encoding>,
    /// Planned crossings by worm, switch and output port, in the order in which they come.
    ahead: BTreeMap<(u32, u32, u8), VecDeque<Visit>>,
}

impl<'a> Itineraries<'a> {
    pub fn new(network: &Network, site: &'a Site) -> Self {
        Self {
            site,
            lanes: network.lanes(site.wiring()),
            stripped: Encoding::ALL.map(
                |encoding| {
                    if encoding.header().strips() { part_flits(network, encoding) } else { 0 }
                },
            ),
            encodings: Vec::new(),
            ahead: BTreeMap::new(),
        }
    }

    pub fn created(&mut self, worm: &WormInfo) {
        self.encodings.push(worm.encoding);
        let (switch, _) = self.site.wiring().injection(worm.source);
        self.arrive(worm.id.0, switch, Visit { first: 0, nodes: worm.destinations.to_vec() });
    }

    /// Plans the crossings of a worm that comes to a switch.
    fn arrive(&mut self, worm: u32, switch: SwitchId, visit: Visit) {
        let port = |node: NodeId| self.site.routes().port(switch, node);
        let mut ways: BTreeMap<u8, Visit> = BTreeMap::new();
        let encoding = self.encodings[worm as usize];
        let stripped = visit.first + self.stripped[encoding as usize];
        match (encoding.way(), &visit.nodes[..]) {
            (Way::Path, [node, rest @ ..]) => {
                if self.site.next(switch, *node).is_some() {
                    ways.insert(port(*node), visit);
                } else {
                    ways.insert(port(*node), Visit { first: stripped, nodes: vec![*node] });
                    if let Some(next) = rest.first() {
                        ways.insert(port(*next), Visit { first: stripped, nodes: rest.to_vec() });
                    }
                }
            }
            (Way::Unicast | Way::Tree | Way::Path, nodes) => {
                let found = self.site.wiring().ways(nodes, |node| PortId(port(node)));
                ways.extend(found.into_iter().map(|(port, nodes)| (port.0, Visit { first: stripped, nodes })));
            }
        }
        for (port, visit) in ways {
            self.ahead.entry((worm, switch.0, port)).or_default().push_back(visit);
        }
    }

    /// Checks a worm that begins to cross an output.
    pub fn begins(&mut self, cycle: u64, s: &OutSample, flit: FlitId, breaches: &mut Breaches) {
        let FlitId { worm: WormId(worm), index } = flit;
        let port = self.lanes.outputs.port(s.lane);
        let place = (worm, s.switch.0, self.site.wiring().group(PortId(port)).0);
        let name = || format!("{}.{}", self.site.wiring().switch_name(s.switch), self.lanes.output_name(s.lane));
        let Some(visit) = self.ahead.get_mut(&place).and_then(VecDeque::pop_front) else {
            return breaches
                .add(Rule::Tree, cycle, || format!("worm {worm} crosses {}, which is not on its route", name()));
        };
        if self.ahead.get(&place).is_some_and(VecDeque::is_empty) {
            self.ahead.remove(&place);
        }
        if visit.first != index {
            breaches.add(Rule::Tree, cycle, || {
                format!("worm {worm} begins to cross {} with flit {index}, not {}", name(), visit.first)
            });
        }
        if let Some(End::Switch(far, _)) = self.site.wiring().output(s.switch, PortId(port)) {
            self.arrive(worm, far, visit);
        }
    }

    /// Checks that everything has arrived.
    pub fn complete(&self, end: u64, breaches: &mut Breaches) {
        for &(worm, switch, port) in self.ahead.keys() {
            breaches.add(Rule::Tree, end, || {
                let switch = self.site.wiring().switch_name(SwitchId(switch));
                format!("worm {worm} has not crossed {switch}.out{port}, which is on its route")
            });
        }
    }
}
