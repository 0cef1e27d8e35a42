//! Planned crossings of worms: the tree of the routing function, followed step by step.

use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId, PortId, SwitchId, WormId};

use super::rules::{Breaches, Rule};
use crate::engine::{FlitId, OutSample, WormInfo};
use crate::network::{End, Lanes, Network, part_flits};
use crate::simulation::Site;

/// A planned crossing of an output, by a worm or a branch of a worm.
#[derive(Clone, Debug)]
struct Visit {
    /// The first flit of the worm that is not stripped at this output.
    first: u32,
    /// Nodes that the worm has still to reach, in header order.
    nodes: Vec<NodeId>,
}

/// A crossing that is still to come.
#[derive(Clone, Debug)]
struct PlannedCrossing {
    switch: SwitchId,
    /// Output port.
    port: u8,
    visit: Visit,
}

/// A worm on its way.
#[derive(Clone, Debug)]
struct Itinerary {
    encoding: Encoding,
    /// Crossings at one output come in this order.
    ahead: Vec<PlannedCrossing>,
}

/// Follows worms from switch to switch.
#[derive(Clone, Debug)]
pub(super) struct Itineraries<'a> {
    site: &'a Site,
    lanes: Lanes,
    /// Number of flits that are stripped at once, by the number of the encoding.
    stripped: [u32; Encoding::ALL.len()],
    worms: Vec<Itinerary>,
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
            worms: Vec::new(),
        }
    }

    pub fn created(&mut self, worm: &WormInfo) {
        self.worms.push(Itinerary { encoding: worm.encoding, ahead: Vec::new() });
        let (switch, _) = self.site.wiring().injection(worm.source);
        self.arrive(worm.id.0, switch, Visit { first: 0, nodes: worm.destinations.to_vec() });
    }

    /// Plans the crossings of a worm that comes to a switch.
    fn arrive(&mut self, worm: u32, switch: SwitchId, visit: Visit) {
        let Itinerary { encoding, ahead } = &mut self.worms[worm as usize];
        let port = |node: NodeId| self.site.routes().port(switch, node);
        let mut plan = |port, visit| ahead.push(PlannedCrossing { switch, port, visit });
        let stripped = visit.first + self.stripped[*encoding as usize];
        match (encoding.way(), &visit.nodes[..]) {
            (Way::Path, &[node, ref rest @ ..]) => {
                if self.site.next(switch, node).is_some() {
                    plan(port(node), visit);
                    return;
                }
                let own = Visit { first: stripped, nodes: vec![node] };
                match rest.first().map(|next| (port(*next), Visit { first: stripped, nodes: rest.to_vec() })) {
                    // One crossing cannot lead to both.
                    Some((next, onward)) if next == port(node) => plan(next, onward),
                    Some((next, onward)) => {
                        plan(port(node), own);
                        plan(next, onward);
                    }
                    None => plan(port(node), own),
                }
            }
            // Whether it climbs is seen in its port.
            (Way::Unicast | Way::Tree, &[node]) => plan(port(node), Visit { first: stripped, nodes: visit.nodes }),
            (Way::Unicast | Way::Tree | Way::Path, nodes) => {
                for (port, nodes) in self.site.wiring().ways(nodes, |node| PortId(port(node))) {
                    plan(port.0, Visit { first: stripped, nodes });
                }
            }
        }
    }

    /// Checks a worm that begins to cross an output.
    pub fn begins(&mut self, cycle: u64, s: &OutSample, flit: FlitId, breaches: &mut Breaches) {
        let FlitId { worm: WormId(worm), index } = flit;
        let port = self.lanes.outputs.port(s.lane);
        let group = self.site.wiring().group(PortId(port)).0;
        let name = || format!("{}.{}", self.site.wiring().switch_name(s.switch), self.lanes.output_name(s.lane));
        let ahead = self.worms.get_mut(worm as usize).map(|of| &mut of.ahead);
        let planned = ahead.and_then(|ahead| {
            let place = ahead.iter().position(|of| (of.switch, of.port) == (s.switch, group))?;
            Some(ahead.remove(place).visit)
        });
        let Some(visit) = planned else {
            return breaches
                .add(Rule::Tree, cycle, || format!("worm {worm} crosses {}, which is not on its route", name()));
        };
        if visit.first != index {
            breaches.add(Rule::Tree, cycle, || {
                format!("worm {worm} begins to cross {} with flit {index}, not {}", name(), visit.first)
            });
        }
        if let Some(End::Switch(far, _)) = self.site.wiring().output(s.switch, PortId(port)) {
            self.arrive(worm, far, visit);
        }
    }

    /// Checks that all worms have arrived.
    pub fn complete(&self, end: u64, breaches: &mut Breaches) {
        for (worm, of) in self.worms.iter().enumerate() {
            let mut left: Vec<_> = of.ahead.iter().map(|of| (of.switch, of.port)).collect();
            left.sort_unstable();
            left.dedup();
            for (switch, port) in left {
                breaches.add(Rule::Tree, end, || {
                    let switch = self.site.wiring().switch_name(switch);
                    format!("worm {worm} has not crossed {switch}.out{port}, which is on its route")
                });
            }
        }
    }
}
