//! Fixed half of a simulation: the network as wired, its routing function, and the timing of its
//! worms.

use std::ops::Range;
use std::sync::Arc;

use wormscope_hw::header::Way;
use wormscope_hw::{NodeId, PortId, SwitchId};

use crate::engine::WormInfo;
use crate::experiment::{Loaded, Workload};
use crate::input::ConfigError;
use crate::model::tree::{Send, Tree};
use crate::model::unblocked::{Flight, Timing, closed_form, zero_load};
use crate::network::channel::Stalled;
use crate::network::routing::Routes;
use crate::network::{Built, End, Misfit, Network, Routing, Wiring};
use crate::workload::stalls;

/// Largest product of flits and switches of a worm for which the exact times are computed.
const MOST_STEPS: u64 = 1 << 24;

/// Largest network in which every route is walked.
pub const MOST_WALKED: u32 = 1024;

/// A network and its routing function, for questions while the engine runs.
#[derive(Clone, Debug)]
pub struct Site {
    built: Arc<Built>,
    timing: Timing,
    /// Whether every route through the grid is a shortest one.
    is_shortest: bool,
}

impl From<Built> for Site {
    fn from(built: Built) -> Self {
        let is_shortest = matches!(built.network().routing(), Routing::DimensionOrder | Routing::ReverseDimensionOrder);
        Self { timing: Timing::from(built.network()), is_shortest, built: Arc::new(built) }
    }
}

impl Site {
    /// The site of a network.
    ///
    /// # Errors
    /// The network breaks a rule.
    pub fn new(network: &Network) -> Result<Self, Misfit> {
        Ok(network.build()?.into())
    }

    /// The site of an experiment.
    ///
    /// # Errors
    /// Its network was changed since it was read and breaks a rule.
    pub fn of(loaded: &Loaded) -> Result<Self, ConfigError> {
        Ok(loaded.build()?.into())
    }

    /// The network: checked, wired and routed.
    #[must_use]
    pub fn built(&self) -> &Built {
        &self.built
    }

    /// The same network for a simulation that outlives a loan of the site.
    pub(crate) fn shared(&self) -> Arc<Built> {
        Arc::clone(&self.built)
    }

    /// Wiring of the network.
    #[must_use]
    pub fn wiring(&self) -> &Wiring {
        self.built.wiring()
    }

    /// Routing function of the network.
    #[must_use]
    pub fn routes(&self) -> &Routes {
        self.built.routes()
    }

    /// The stalls of a workload with their cycles. A stall of a link is listed for each of its
    /// lanes.
    #[must_use]
    pub fn stalls(&self, workload: &[Workload]) -> Vec<(Stalled, Range<u64>)> {
        stalls(self.built.network(), self.wiring(), workload)
    }

    /// The timing of a worm in switches and links.
    #[must_use]
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// Port of a switch towards a node; `None` at the switch of the node.
    #[must_use]
    pub fn next(&self, switch: SwitchId, node: NodeId) -> Option<PortId> {
        let port = PortId(self.routes().port(switch, node));
        (self.wiring().consumption(node) != (switch, port)).then_some(port)
    }

    /// Switches on the route from one node to another. The last switch is the switch of the
    /// destination.
    pub fn route(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = SwitchId> {
        let follow = move |&at: &SwitchId| match self.wiring().output(at, self.next(at, to)?)? {
            End::Switch(far, _) => Some(far),
            End::Node(_) => None,
        };
        std::iter::successors(Some(self.wiring().injection(from).0), follow)
    }

    /// Number of (source, destination) pairs by the number of switches on their route; index 0 is
    /// unused. It comes from the closed form of the topology, or else from a walk. `None` above
    /// [`MOST_WALKED`] nodes without a closed form.
    #[must_use]
    pub fn distances(&self) -> Option<Vec<u64>> {
        let network = self.built.network();
        let found = network.blueprint().distances(network.routing());
        found.or_else(|| (network.nodes() <= MOST_WALKED).then(|| self.walked()))
    }

    /// The same numbers, from the routes of all pairs.
    fn walked(&self) -> Vec<u64> {
        let (mut pairs, nodes) = (Vec::new(), self.wiring().nodes());
        for from in (0..nodes).map(NodeId) {
            for to in (0..nodes).map(NodeId).filter(|&to| to != from || nodes == 1) {
                let switches = self.route(from, to).count();
                pairs.resize(pairs.len().max(switches + 1), 0);
                pairs[switches] += 1;
            }
        }
        pairs
    }

    /// Number of switches that a worm visits on its route to one of its destinations.
    #[must_use]
    pub fn hops(&self, worm: &WormInfo, destination: NodeId) -> u32 {
        if self.climbs_together(worm) {
            return self.hops_of_tree(worm, destination);
        }
        let legs: &[NodeId] = match worm.encoding.way() {
            Way::Path => &worm.destinations,
            Way::Unicast | Way::Tree => &[destination],
        };
        let (mut at, mut hops) = (worm.source, 1);
        for &node in legs {
            hops += self.links(at, node);
            at = node;
            if node == destination {
                break;
            }
        }
        hops
    }

    /// Whether the branches of a worm climb together. Then the hops of the worm to one destination
    /// depend on its other destinations, and take time to find.
    #[must_use]
    pub fn climbs_together(&self, worm: &WormInfo) -> bool {
        worm.destinations.len() > 1 && !self.wiring().climbs().is_empty()
    }

    /// The hops of a worm whose branches climb together.
    fn hops_of_tree(&self, worm: &WormInfo, destination: NodeId) -> u32 {
        let (mut at, mut nodes, mut hops) = (self.wiring().injection(worm.source).0, worm.destinations.to_vec(), 1);
        loop {
            let ways = self.wiring().ways(&nodes, |node| PortId(self.routes().port(at, node)));
            let Some((port, behind)) = ways.into_iter().find(|(_, nodes)| nodes.contains(&destination)) else {
                return hops;
            };
            let Some(End::Switch(far, _)) = self.wiring().output(at, port) else { return hops };
            (at, nodes, hops) = (far, behind, hops + 1);
        }
    }

    /// Number of links between switches on the route from one node to another.
    fn links(&self, from: NodeId, to: NodeId) -> u32 {
        match self.wiring().grid().filter(|_| self.is_shortest) {
            Some(grid) => grid.distance(from.0, to.0),
            None => self.route(from, to).count() as u32 - 1,
        }
    }

    /// Cycles from the head that leaves a worm's node to its last tail. The worm is alone in the
    /// network, and no token makes it wait. `None` for a path that crosses itself, and for a worm
    /// whose result would take long, because it has many flits at many switches.
    #[must_use]
    pub fn unblocked(&self, worm: &WormInfo) -> Option<u64> {
        if worm.encoding.way() == Way::Unicast {
            let (header, flits) = (worm.header_flits, worm.header_flits + worm.payload_flits);
            let switches = self.hops(worm, worm.destinations[0]);
            let few = u64::from(switches) * u64::from(flits) <= MOST_STEPS;
            return few.then(|| zero_load(&self.timing, header, flits, switches).ok())?.map(|latency| latency.tail);
        }
        self.as_unicast(worm).or_else(|| self.flight(worm).map(|flight| flight.done()))
    }

    /// The same for a tree that takes the time of a unicast to its farthest destination.
    fn as_unicast(&self, worm: &WormInfo) -> Option<u64> {
        let is_tree = worm.encoding.way() == Way::Tree && !worm.encoding.header().each_switch_strips();
        if !is_tree || self.climbs_together(worm) || !self.timing.branches_keep_pace() {
            return None;
        }
        let farthest = worm.destinations.iter().map(|&node| self.hops(worm, node)).max()?;
        let flits = worm.header_flits + worm.payload_flits;
        closed_form(&self.timing, worm.header_flits, flits, farthest).map(|latency| latency.tail)
    }

    /// Cycles in which a worm alone in the network has flits in the FIFO of its node's injection
    /// channel. The count begins when the head leaves the node. `None` as for [`Site::unblocked`],
    /// and if the node has several injection channels.
    #[must_use]
    pub(crate) fn in_first_fifo(&self, worm: &WormInfo) -> Option<Range<u64>> {
        if self.built.network().injection_lanes() > 1 {
            return None;
        }
        let flight = self.flight(worm)?;
        let first = flight.hops.first()?;
        Some(*first.arrived.first()?..first.popped.last()? + 1)
    }

    fn flight(&self, worm: &WormInfo) -> Option<Flight> {
        let send = Send {
            source: worm.source,
            destinations: &worm.destinations,
            encoding: worm.encoding,
            header_flits: worm.header_flits,
            payload_flits: worm.payload_flits,
        };
        let tree = Tree::new(self.wiring(), &send, |switch, node| self.next(switch, node)).ok()?;
        let steps: u64 = tree.hops.iter().map(|hop| u64::from(hop.flits) * hop.branches.len() as u64).sum();
        (steps <= MOST_STEPS).then(|| Flight::new(&self.timing, &tree))?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_text;
    use crate::model::tree::Toward;
    use wormscope_hw::{Encoding, WormId};

    /// Number of switches from the root of a worm's tree to each of its destinations.
    fn depths(tree: &Tree) -> Vec<(NodeId, u32)> {
        let (mut depth, mut found) = (vec![1; tree.hops.len()], Vec::new());
        for (at, hop) in tree.hops.iter().enumerate() {
            for (_, toward) in &hop.branches {
                match *toward {
                    Toward::Hop(next) => depth[next] = depth[at] + 1,
                    Toward::Node(node) => found.push((node, depth[at])),
                }
            }
        }
        found
    }

    #[test]
    fn hops_are_the_switches_on_the_way_through_the_tree() {
        let networks = [
            ("mesh(radices: [3, 3])", 9),
            ("uni_min(kind: butterfly, switch_ports: 2, stages: 3)", 8),
            ("bi_min(switch_ports: 2, stages: 3)", 8),
            ("bi_min(switch_ports: 3, stages: 2)", 9),
        ];
        for (topology, nodes) in networks {
            let text = format!("(network: (topology: {topology}))");
            let site = Site::new(&from_text("x", &text, &[]).unwrap().experiment.network).unwrap();
            for (source, set) in (0..nodes).flat_map(|s| (1..1_u32 << nodes).map(move |set| (s, set))) {
                let destinations: Vec<NodeId> = (0..nodes).filter(|d| set >> d & 1 != 0).map(NodeId).collect();
                let send = Send {
                    source: NodeId(source),
                    destinations: &destinations,
                    encoding: Encoding::BitString,
                    header_flits: 1,
                    payload_flits: 1,
                };
                let tree = Tree::new(site.wiring(), &send, |switch, node| site.next(switch, node)).unwrap();
                let worm = WormInfo {
                    id: WormId(0),
                    source: send.source,
                    destinations: destinations.iter().copied().collect(),
                    encoding: send.encoding,
                    header_flits: 1,
                    payload_flits: 1,
                    created: 0,
                    measured: true,
                    class: crate::engine::Class::default(),
                };
                let found = depths(&tree);
                assert_eq!(found.len(), destinations.len());
                for (node, depth) in found {
                    assert_eq!(site.hops(&worm, node), depth, "{topology}: n{source} to {destinations:?}");
                }
            }
        }
    }

    #[test]
    fn distances_and_fifos_are_those_of_the_network_walked_link_by_link() {
        let kinds = [
            ("linear(nodes: 9)", "dimension_order"),
            ("mesh(radices: [4, 1, 3])", "dimension_order"),
            ("torus(radices: [5, 4, 2], datelines: false)", "dimension_order"),
            ("torus(radices: [5, 4, 2], datelines: false)", "reverse_dimension_order"),
            ("mesh(radices: [5, 4])", "label_order"),
            ("mesh(radices: [3, 4, 5])", "label_order"),
            ("mesh(radices: [1])", "dimension_order"),
            ("uni_min(switch_ports: 3, stages: 3)", "destination_tag"),
            ("uni_min(kind: omega, switch_ports: 5, stages: 1)", "destination_tag"),
            ("bi_min(switch_ports: 2, stages: 4)", "turnaround"),
            ("bi_min(switch_ports: 4, stages: 1)", "turnaround"),
        ];
        for (topology, routing) in kinds {
            let text = format!("(network: (topology: {topology}, routing: {routing}, switch: (dilation: 2)))");
            let loaded = from_text("x.ron", &text, &[]).unwrap();
            let (network, site) = (&loaded.experiment.network, Site::of(&loaded).unwrap());
            assert_eq!(site.distances(), Some(site.walked()), "{topology} {routing}");
            let nodes = || (0..network.nodes()).map(NodeId);
            for (from, to) in nodes().flat_map(|from| nodes().map(move |to| (from, to))) {
                assert_eq!(site.links(from, to) as usize + 1, site.route(from, to).count(), "{topology}");
            }
            let ports = || (0..site.wiring().ports()).map(PortId);
            let linked = |s, p: &PortId| matches!(site.wiring().input(SwitchId(s), *p), Some(End::Switch(..)));
            let links: usize = (0..site.wiring().switches()).map(|s| ports().filter(|p| linked(s, p)).count()).sum();
            assert_eq!(network.fifos(), [2 * links as u64, network.nodes().into()], "{topology}");
        }
    }
}
