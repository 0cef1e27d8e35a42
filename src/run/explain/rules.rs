//! Rules by which a change frees any worms of the same kinds as those of an experiment.

use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId, Replication};

use crate::experiment::{Loaded, Message, Workload};
use crate::input::ConfigError;
use crate::network::routing::Routes;
use crate::network::{Network, Routing, header_flits, header_flits_to};
use crate::site::Site;
use crate::workload::{TraceCsv, multicasts, planned_encoding};

wormscope_hw::words!(
    /// A rule that excludes deadlocks, independent of all other properties of the worms.
    Rule {
        /// The channels of routes do not wait for each other in a cycle; of unicasts.
        AcyclicRoutes = "acyclic_routes",
        /// The same, in a torus.
        Datelines = "datelines",
        /// In a group of switches one worm at a time replicates.
        TokenRings = "token_rings",
        /// The heads of a worm go on together.
        SynchronousWorms = "synchronous_worms",
        /// Each branch reads for itself from FIFOs that hold all of a worm.
        WholeWormFifos = "whole_worm_fifos",
        /// A worm that absorbs never keeps another from its node.
        ConsumptionLanes = "consumption_lanes",
    }
);

impl Rule {
    /// Name of the rule in words.
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::AcyclicRoutes => "acyclic routes",
            Self::Datelines => "datelines",
            Self::TokenRings => "token rings",
            Self::SynchronousWorms => "synchronous worms",
            Self::WholeWormFifos => "FIFOs that hold a worm",
            Self::ConsumptionLanes => "consumption lanes for all arrivals",
        }
    }
}

/// Kinds of the worms of an experiment that matter for deadlocks.
pub struct WormKinds<'a> {
    network: &'a Network,
    site: &'a Site,
    /// Whether the experiment sends tree worms.
    sends_trees: bool,
    /// Whether the experiment sends path worms.
    sends_paths: bool,
    /// Whether software plans path worms, whose routes are not known.
    plans_paths: bool,
    /// The longest of these worms, in flits.
    longest: u32,
    /// Whether a path worm is on no route of the base routing.
    strays: bool,
}

impl<'a> WormKinds<'a> {
    /// The kinds of an experiment, with those of its traces.
    ///
    /// # Errors
    /// An algorithm makes no plan, or a trace is wrong.
    pub fn new(loaded: &'a Loaded, site: &'a Site) -> Result<Self, ConfigError> {
        let network = &loaded.experiment.network;
        let mut kinds = Self {
            network,
            site,
            sends_trees: false,
            sends_paths: false,
            plans_paths: false,
            longest: 0,
            strays: false,
        };
        for entry in &loaded.experiment.workload {
            match entry {
                Workload::Messages(messages) => messages.iter().for_each(|message| kinds.worm(message)),
                Workload::Traffic(t) => {
                    let count = t.most_destinations(network);
                    let encoding = planned_encoding(t);
                    let flits = header_flits(network, encoding, count).saturating_add(t.length().most());
                    kinds.worms(encoding, count, flits);
                    kinds.plans_paths |= t.algorithm.is_some() && encoding.way() == Way::Path;
                }
                Workload::Trace(name) => {
                    for message in TraceCsv::open(loaded, name)? {
                        kinds.worm(&message?);
                    }
                }
                Workload::Spmd(_) | Workload::Multicast(_) | Workload::Multicasts(_) | Workload::Stalls(_) => {}
            }
        }
        for multicast in multicasts(loaded, site)?.iter().filter(|of| of.algorithm.encoding != Encoding::Unicast) {
            multicast.worms.iter().for_each(|worm| kinds.worm(worm));
        }
        Ok(kinds)
    }

    fn worm(&mut self, message: &Message) {
        let encoding = message.encoding.unwrap_or_default();
        let to: Vec<NodeId> = message.destinations.iter().copied().map(NodeId).collect();
        let header = header_flits_to(self.network, self.site.wiring(), encoding, NodeId(message.source), &to);
        self.worms(encoding, to.len() as u32, header.saturating_add(message.payload_flits));
        self.strays |= encoding.way() == Way::Path && self.is_stray(message);
    }

    fn worms(&mut self, encoding: Encoding, destinations: u32, flits: u32) {
        if destinations < 2 || encoding.way() == Way::Unicast {
            return;
        }
        self.sends_trees |= encoding.way() == Way::Tree;
        self.sends_paths |= encoding.way() == Way::Path;
        self.longest = self.longest.max(flits);
    }

    /// Whether a path worm takes no route of the base routing.
    fn is_stray(&self, message: &Message) -> bool {
        let (source, to) = (NodeId(message.source), &message.destinations);
        if let Routes::LabelOrder(labels, _) = self.site.routes() {
            let labels: Vec<u32> =
                [source].into_iter().chain(to.iter().map(|&n| NodeId(n))).map(|n| labels.label(n)).collect();
            return !labels.is_sorted() && !labels.is_sorted_by(|a, b| a >= b);
        }
        let Some(&last) = to.last() else { return false };
        let mut ahead = to.iter().peekable();
        for at in self.site.route(source, NodeId(last)) {
            ahead.next_if(|&&node| self.site.wiring().consumption(NodeId(node)).0 == at);
        }
        ahead.next().is_some()
    }

    /// Flits of the longest worm to several destinations; 0 without.
    #[must_use]
    pub fn longest(&self) -> u32 {
        self.longest
    }

    /// Whether branches read for themselves from FIFOs that hold all of a worm.
    fn holds_whole_worms(&self) -> bool {
        let switch = &self.network.switch;
        matches!(switch.replication, Replication::Buffered | Replication::Sequential)
            && self.network.shallowest_fifo().0 >= self.longest
    }

    /// The rules by which worms of this kind cannot deadlock, in any number and at any time. Worms
    /// like these have the same encodings, follow the routes, are not longer, and go to several
    /// destinations only where these do. `None` if no rule applies; few worms may be safe then.
    #[must_use]
    pub fn rules(&self) -> Option<Vec<Rule>> {
        let blueprint = self.network.blueprint();
        // Nodes that take no flit before their software has time for it can wait for each other.
        let is_free = blueprint.hazard().is_none()
            && !self.strays
            && !self.plans_paths
            && self.network.node.receive_buffer.is_none();
        if !is_free {
            return None;
        }
        let mut rules = Vec::new();
        if blueprint.wraps() && blueprint.classes() > 1 {
            rules.push(Rule::Datelines);
        }
        if (self.sends_trees || self.sends_paths) && self.holds_whole_worms() {
            rules.push(Rule::WholeWormFifos);
        } else {
            if self.sends_trees {
                let is_synchronous = self.network.switch.replication == Replication::Synchronous;
                let by_tokens =
                    self.network.token_ring.is_some_and(|ring| ring.is_published()).then_some(Rule::TokenRings);
                rules.push(by_tokens.or(is_synchronous.then_some(Rule::SynchronousWorms))?);
            }
            if self.sends_paths {
                // In the same network, trees take consumption lanes from paths.
                let is_alone = !self.sends_trees && self.network.routing() == Routing::LabelOrder;
                let has_lanes = self.network.consumption_lanes() >= arrivals(self.network);
                rules.push((is_alone && has_lanes).then_some(Rule::ConsumptionLanes)?);
            }
        }
        if rules.is_empty() {
            rules.push(Rule::AcyclicRoutes);
        }
        Some(rules)
    }
}

/// Lanes on which worms can come to a node's switch.
#[must_use]
pub fn arrivals(network: &Network) -> u32 {
    network.blueprint().arrivals() * network.switch.dilation * network.switch.virtual_channels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_text;

    /// The rules that speak for a workload in a network.
    fn rules(network: &str, workload: &str) -> Option<Vec<Rule>> {
        let text = format!("(network: ({network}), workload: [{workload}])");
        let loaded = from_text("x.ron", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
        WormKinds::new(&loaded, &Site::of(&loaded).unwrap()).unwrap().rules()
    }

    #[test]
    fn a_rule_speaks_for_any_worms_or_none_does() {
        let unicasts = "traffic(load: 0.1, payload_flits: 7)";
        let torus = |datelines| format!("topology: torus(radices: [4]{datelines}), switch: (virtual_channels: 2)");
        assert_eq!(rules(&torus(", datelines: false"), unicasts), None);
        assert_eq!(rules(&torus(""), unicasts), Some(vec![Rule::Datelines]));
        assert_eq!(rules("topology: mesh(radices: [4, 4])", unicasts), Some(vec![Rule::AcyclicRoutes]));
        // Nodes whose software must read the messages wait for their own sends.
        let software = "topology: mesh(radices: [4, 4]), node: (receive_buffer: 64, send_buffer: 64)";
        assert_eq!(rules(software, unicasts), None);
        // A single tree is safe, but several trees are not.
        let tree = "messages([(cycle: 0, source: 5, destinations: [0, 7], encoding: bit_string, payload_flits: 7)])";
        let min = |more: &str| format!("topology: uni_min(switch_ports: 2, stages: 3){more}");
        assert_eq!(rules(&min(""), tree), None);
        assert_eq!(rules(&min(", token_ring: ()"), tree), Some(vec![Rule::TokenRings]));
        let whole = |depth: u32| min(&format!(", switch: (replication: buffered, fifo_depth: {depth})"));
        assert_eq!(rules(&whole(7), tree), None);
        assert_eq!(rules(&whole(8), tree), Some(vec![Rule::WholeWormFifos]));
        let both = "topology: torus(radices: [4]), switch: (virtual_channels: 2, replication: buffered, fifo_depth: 8)";
        assert_eq!(
            rules(both, tree.replace("[0, 7]", "[0, 2]").replace("source: 5", "source: 1").as_str()),
            Some(vec![Rule::Datelines, Rule::WholeWormFifos])
        );
        // Worms of an algorithm are as long as their own headers make them.
        let planned = "traffic(load: 0.1, destinations: 3, payload_flits: 7, algorithm: \"atbm\")";
        let wide = |depth: u32| {
            let switch = format!("switch: (flit_bits: 8, replication: buffered, fifo_depth: {depth})");
            format!("topology: uni_min(switch_ports: 2, stages: 4), {switch}")
        };
        assert_eq!((rules(&wide(8), planned), rules(&wide(9), planned)), (None, Some(vec![Rule::WholeWormFifos])));
        let paths = "traffic(load: 0.1, encoding: multidestination, destinations: 3, payload_flits: 7)";
        let mesh = |channels: u32| {
            format!("topology: mesh(radices: [4, 4]), routing: label_order, node: (consumption_channels: {channels})")
        };
        assert_eq!((rules(&mesh(3), paths), rules(&mesh(4), paths)), (None, Some(vec![Rule::ConsumptionLanes])));
    }

    #[test]
    fn a_path_is_no_stray_when_a_route_passes_its_destinations_in_order() {
        let is_stray = |routing: &str, to: &[u32]| {
            let message =
                format!("(cycle: 0, source: 5, destinations: {to:?}, encoding: multidestination, payload_flits: 4)");
            let network = format!("topology: mesh(radices: [4, 4]), routing: {routing}");
            let text = format!("(network: ({network}), workload: [messages([{message}])])");
            let loaded = from_text("x.ron", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
            WormKinds::new(&loaded, &Site::of(&loaded).unwrap()).unwrap().strays
        };
        for conforming in [&[6, 7, 11, 15][..], &[4, 8, 12], &[9, 13], &[7, 3], &[6]] {
            assert!(!is_stray("dimension_order", conforming), "{conforming:?}");
        }
        for stray in [&[6, 4][..], &[9, 10], &[7, 6], &[13, 9], &[10, 6], &[6, 10, 11]] {
            assert!(is_stray("dimension_order", stray), "{stray:?}");
        }
        // Labels of the 4x4 mesh, row by row: 0 1 2 3 / 7 6 5 4 / 8 9 10 11 / 15 14 13 12. Node 5
        // has label 6.
        for (to, stray) in [(&[4, 9, 15][..], false), (&[6, 2, 0], false), (&[4, 2], true), (&[9, 8], true)] {
            assert_eq!(is_stray("label_order", to), stray, "{to:?}");
        }
    }
}
