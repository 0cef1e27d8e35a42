//! Warnings: known causes of deadlocks of a network and its worms, and links that no worm takes.

use std::collections::BTreeSet;

use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId, PortId, Replication, SwitchId};

use crate::experiment::{Loaded, Message, Workload};
use crate::input::{ConfigError, title};
use crate::multicast::find;
use crate::network::routing::Routes;
use crate::network::{Idle, Network, Routing, header_flits, header_flits_to};
use crate::quote::{self, counted, form};
use crate::site::Site;
use crate::workload::{Planned, TraceCsv, multicasts};

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

/// Facts about the worms of an experiment that matter for deadlocks.
pub struct Hazards<'a> {
    network: &'a Network,
    site: &'a Site,
    /// Tree worms to several destinations, at most 2 counted for random traffic.
    trees: u64,
    /// Encodings of the tree worms.
    tree_encodings: BTreeSet<&'static str>,
    /// Path worms to several destinations, counted in the same way.
    paths: u64,
    /// Whether the experiment sends tree worms, also trees that meet no other tree.
    sends_trees: bool,
    /// Whether the experiment sends path worms.
    sends_paths: bool,
    /// Whether software plans path worms that this report does not check.
    unseen_paths: bool,
    /// The longest of these worms, in flits.
    longest: u32,
    /// Multidestination worms on no route of the base routing: the first in words, and how many.
    strays: Option<(String, u64)>,
}

impl<'a> Hazards<'a> {
    /// The hazards of an experiment; messages of traces are added by [`Hazards::message`].
    ///
    /// # Errors
    /// When an algorithm makes no plan.
    pub fn new(loaded: &'a Loaded, site: &'a Site) -> Result<Self, ConfigError> {
        let experiment = &loaded.experiment;
        let network = &experiment.network;
        let mut hazards = Self {
            network,
            site,
            trees: 0,
            tree_encodings: BTreeSet::new(),
            paths: 0,
            sends_trees: false,
            sends_paths: false,
            unseen_paths: false,
            longest: 0,
            strays: None,
        };
        for (place, entry) in experiment.workload.iter().enumerate() {
            match entry {
                Workload::Messages(messages) => {
                    for (index, message) in messages.iter().enumerate() {
                        hazards.message(message, || format!("workload[{place}].messages[{index}]"));
                    }
                }
                Workload::Traffic(t) => {
                    let count = t.most_destinations(network);
                    let by_software = t.algorithm.as_ref().and_then(|algorithm| find(algorithm).ok());
                    let encoding = by_software.map_or(t.encoding, |algorithm| algorithm.encoding);
                    let flits = header_flits(network, encoding, count).saturating_add(t.length().most());
                    hazards.worms(encoding, count, flits, 2);
                    hazards.unseen_paths |= by_software.is_some() && encoding.way() == Way::Path;
                }
                Workload::Trace(_)
                | Workload::Spmd(_)
                | Workload::Multicast(_)
                | Workload::Multicasts(_)
                | Workload::Stalls(_) => {}
            }
        }
        let several = |multicast: &&Planned| multicast.algorithm.encoding != Encoding::Unicast;
        multicasts(loaded, site)?.iter().filter(several).for_each(|multicast| hazards.multicast(multicast));
        Ok(hazards)
    }

    /// The hazards of an experiment, with the hazards of its traces.
    ///
    /// # Errors
    /// As [`Hazards::new`], and when a trace is wrong.
    pub fn with_traces(loaded: &'a Loaded, site: &'a Site) -> Result<Self, ConfigError> {
        let mut hazards = Self::new(loaded, site)?;
        hazards.traces(loaded, |_| (), |_| ())?;
        Ok(hazards)
    }

    /// Takes the messages of all traces into account; `begins` gets the name of each trace, and
    /// `each` gets every message.
    ///
    /// # Errors
    /// When a trace is wrong.
    pub fn traces(
        &mut self,
        loaded: &Loaded,
        mut begins: impl FnMut(&str),
        mut each: impl FnMut(&Message),
    ) -> Result<(), ConfigError> {
        for name in loaded.traces() {
            let shown = quote::name(title(&loaded.resolve(name)));
            begins(&shown);
            for (number, message) in (1..).zip(TraceCsv::open(loaded, name)?) {
                let message = message?;
                self.message(&message, || format!("{shown}, message {number}"));
                each(&message);
            }
        }
        Ok(())
    }

    /// Takes a multicast into account that an algorithm has planned. A node receives one worm of
    /// it, so that its own paths do not block each other at consumption channels. Trees that never
    /// meet do not wait for each other either.
    fn multicast(&mut self, multicast: &Planned) {
        let mut count = if multicast.overlaps { 2 } else { 1 };
        for worm in multicast.worms.iter().filter(|worm| worm.destinations.len() > 1) {
            self.worm(worm, count, || format!("workload[{}]", multicast.entry));
            if multicast.algorithm.contention_free || worm.encoding.is_some_and(|encoding| encoding.way() == Way::Path)
            {
                count = 0;
            }
        }
    }

    /// Adds the message at `place` to the worms of the experiment.
    pub fn message(&mut self, message: &Message, place: impl FnOnce() -> String) {
        self.worm(message, 1, place);
    }

    fn worm(&mut self, message: &Message, count: u64, place: impl FnOnce() -> String) {
        let encoding = message.encoding.unwrap_or_default();
        let to: Vec<NodeId> = message.destinations.iter().copied().map(NodeId).collect();
        let header = header_flits_to(self.network, self.site.wiring(), encoding, NodeId(message.source), &to);
        self.worms(encoding, to.len() as u32, header.saturating_add(message.payload_flits), count);
        if encoding.way() == Way::Path
            && let Some(why) = self.stray(message)
        {
            self.strays.get_or_insert_with(|| (format!("{}: {why}", place()), 0)).1 += 1;
        }
    }

    fn worms(&mut self, encoding: Encoding, destinations: u32, flits: u32, count: u64) {
        if destinations < 2 {
            return;
        }
        match encoding.way() {
            Way::Unicast => return,
            Way::Tree => {
                self.trees += count;
                self.sends_trees = true;
                self.tree_encodings.insert(encoding.name());
            }
            Way::Path => {
                self.paths += count;
                self.sends_paths = true;
            }
        }
        self.longest = self.longest.max(flits);
    }

    /// Why a multidestination worm takes no route of the base routing, if so.
    fn stray(&self, message: &Message) -> Option<String> {
        let (source, to) = (NodeId(message.source), &message.destinations);
        if let Routes::LabelOrder(labels, _) = self.site.routes() {
            let labels: Vec<u32> =
                [source].into_iter().chain(to.iter().map(|&n| NodeId(n))).map(|n| labels.label(n)).collect();
            let monotonic = labels.is_sorted() || labels.is_sorted_by(|a, b| a >= b);
            return (!monotonic).then(|| {
                format!(
                    "the labels of n{} and the destinations, {}, neither only rise nor only fall",
                    source.0,
                    quote::list(&labels)
                )
            });
        }
        let last = NodeId(*to.last()?);
        let mut ahead = to.iter().peekable();
        for at in self.site.route(source, last) {
            ahead.next_if(|&&node| self.site.wiring().consumption(NodeId(node)).0 == at);
        }
        let missed = ahead.next()?;
        let route = self.network.routing().in_words().replace(' ', "-");
        Some(format!("n{missed} is not, in this order, on the {route} route from n{} to n{}", source.0, last.0))
    }

    /// The warnings, one line for each.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let switch = &self.network.switch;
        let mut warnings: Vec<String> = self.network.blueprint().hazard().map(str::to_owned).into_iter().collect();
        if let Some((first, count)) = &self.strays {
            let others = if *count > 1 { format!(" ({} more like it)", count - 1) } else { String::new() };
            warnings.push(format!(
                "{first}: multidestination worms that do not conform to the base routing can deadlock{others}; \
                 list the destinations in the order in which one route passes them, or split the message"
            ));
        }
        let whole = self.holds_whole_worms();
        if self.trees > 1
            && !whole
            && switch.replication != Replication::Synchronous
            && self.network.token_ring.is_none()
        {
            let tokens = if self.network.blueprint().refuses_token_rings(self.network.routing()).is_none() {
                "token rings, or "
            } else {
                ""
            };
            warnings.push(format!(
                "{} multicasts can deadlock with {} replication and a fifo_depth of {}: a branch that waits holds up \
                 its siblings; {tokens}buffered or sequential replication with a fifo_depth of {}, the longest of these worms, \
                 prevents it",
                self.tree_encodings.iter().copied().collect::<Vec<_>>().join(" and "),
                switch.replication,
                switch.fifo_depth,
                self.longest
            ));
        }
        let (channels, lanes) = (self.network.node.consumption_channels, self.network.consumption_lanes());
        let arrivals = arrivals(self.network);
        if self.paths > 0 && self.paths + self.trees > 1 && lanes < arrivals && !whole {
            warnings.push(format!(
                "multidestination worms can deadlock with consumption_channels: {channels}: a worm that leaves a copy \
                 at a node blocks other worms to this node while it waits for its next link; consumption_channels: \
                 {arrivals} prevents it, one for each channel on which a worm can arrive"
            ));
        }
        warnings.extend(self.idle());
        warnings
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
            && switch.fifo_depth >= self.longest
    }

    /// The rules by which worms of this kind cannot deadlock, in any number and at any time. Worms
    /// like these have the same encodings, follow the routes, are not longer, and go to several
    /// destinations only where these do. `None` if no rule applies. [`Hazards::warnings`] need not
    /// warn then, since few worms may be safe without a rule.
    #[must_use]
    pub fn rules(&self) -> Option<Vec<Rule>> {
        let blueprint = self.network.blueprint();
        // Nodes that take no flit before their software has time for it can wait for each other.
        let is_free = blueprint.hazard().is_none()
            && self.strays.is_none()
            && !self.unseen_paths
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
                let by_tokens = self.network.token_ring.is_some().then_some(Rule::TokenRings);
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

    /// The links that no route takes, if there are some.
    fn idle(&self) -> Option<String> {
        let (wiring, Idle { links, cure }) = (self.site.wiring(), self.site.wiring().idle());
        let channel = |&(switch, port): &(SwitchId, PortId)| {
            format!("{}.out{port} to {}", wiring.switch_name(switch), wiring.far_end(switch, port))
        };
        let (count, links_of_all) = (links.len(), self.network.blueprint().links());
        (count > 0).then(|| {
            format!(
                "{} of {} between switches {} idle, since no route between two nodes takes {}: {}; {cure}",
                count,
                counted(links_of_all, "link"),
                form(count, "is", "are"),
                form(count, "it", "them"),
                quote::list(links.iter().map(channel))
            )
        })
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

    fn warnings(network: &str, workload: &str) -> Vec<String> {
        let text = format!("(network: ({network}), workload: [{workload}])");
        let loaded = from_text("x.ron", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
        Hazards::new(&loaded, &Site::of(&loaded).unwrap()).unwrap_or_else(|error| panic!("{error}")).warnings()
    }

    fn path(destinations: &[u32]) -> String {
        format!(
            "messages([(cycle: 0, source: 5, destinations: {destinations:?}, encoding: multidestination, payload_flits: 4)])"
        )
    }

    /// Number of warnings for one multidestination worm from (1, 1) in a 4x4 mesh.
    fn of_path(routing: &str, destinations: &[u32]) -> usize {
        warnings(&format!("topology: mesh(radices: [4, 4]), routing: {routing}"), &path(destinations)).len()
    }

    #[test]
    fn a_path_conforms_when_one_dimension_order_route_passes_its_destinations_in_order() {
        for conforming in [&[6, 7, 11, 15][..], &[4, 8, 12], &[9, 13], &[7, 3], &[6]] {
            assert_eq!(of_path("dimension_order", conforming), 0, "{conforming:?}");
        }
        for stray in [&[6, 4][..], &[9, 10], &[7, 6], &[13, 9], &[10, 6], &[6, 10, 11]] {
            assert_eq!(of_path("dimension_order", stray), 1, "{stray:?}");
        }
        let text = warnings("topology: mesh(radices: [4, 4])", &[path(&[9, 10]), path(&[6])].join(","));
        assert!(text[0].starts_with(
            "workload[0].messages[0]: n9 is not, in this order, on the dimension-order route from n5 to n10:"
        ));
    }

    #[test]
    fn a_path_conforms_to_label_order_when_its_labels_only_rise_or_only_fall() {
        // Labels of the 4x4 mesh, row by row: 0 1 2 3 / 7 6 5 4 / 8 9 10 11 / 15 14 13 12. Node 5
        // has label 6.
        assert_eq!(of_path("label_order", &[4, 9, 15]), 0);
        assert_eq!(of_path("label_order", &[6, 2, 0]), 0);
        assert_eq!(of_path("label_order", &[4, 2]), 1);
        assert_eq!(of_path("label_order", &[9, 8]), 1);
    }

    #[test]
    fn absorbing_worms_want_a_consumption_channel_for_every_way_to_arrive() {
        let two = [path(&[6, 7]), path(&[4, 8])].join(",");
        let of = |channels: u32| {
            warnings(&format!("topology: mesh(radices: [4, 4]), node: (consumption_channels: {channels})"), &two).len()
        };
        assert_eq!((of(1), of(3), of(4)), (1, 1, 0));
    }

    #[test]
    fn trees_want_whole_worms_in_buffered_or_sequential_fifos() {
        let tree = "messages([(cycle: 0, source: 5, destinations: [0, 15], encoding: bit_string, payload_flits: 7)])";
        let two = format!("{tree}, {tree}");
        let of = |replication: &str, depth: u32, workload: &str| {
            let switch = format!("switch: (replication: {replication}, fifo_depth: {depth})");
            warnings(&format!("topology: mesh(radices: [4, 4]), {switch}"), workload).len()
        };
        assert_eq!(of("asynchronous", 8, &two), 1);
        assert_eq!(of("lockstep", 8, &two), 1);
        assert_eq!(of("buffered", 7, &two), 1);
        assert_eq!(of("buffered", 8, &two), 0);
        assert_eq!(of("sequential", 8, &two), 0);
        assert_eq!(of("asynchronous", 4, tree), 0);
        let random = "traffic(load: 0.1, encoding: bit_string, destinations: 3, payload_flits: 7)";
        assert_eq!(of("asynchronous", 8, random), 1);
    }

    #[test]
    fn trees_in_multistage_networks_are_safe_with_token_rings() {
        let tree = "messages([(cycle: 0, source: 5, destinations: [0, 7], encoding: bit_string, payload_flits: 7)])";
        let of = |rest: &str| {
            warnings(&format!("topology: uni_min(switch_ports: 2, stages: 3){rest}"), &format!("{tree}, {tree}"))
        };
        assert!(of("")[0].contains("; token rings, or buffered"));
        assert!(of(", token_ring: ()").is_empty());
    }

    #[test]
    fn multiport_worms_are_trees() {
        let worm = |encoding: &str| {
            format!("messages([(cycle: 0, source: 0, destinations: [2, 3], encoding: {encoding}, payload_flits: 7)])")
        };
        let of = |switch: &str, worms: [&str; 2]| {
            let network = format!("topology: bi_min(switch_ports: 2, stages: 2), switch: (flit_bits: 8, {switch})");
            warnings(&network, &worms.map(worm).join(", "))
        };
        let mixed = of("", ["multiport", "bit_string"]);
        assert_eq!(mixed.len(), 1);
        assert!(
            mixed[0].starts_with("bit_string and multiport multicasts can deadlock with asynchronous"),
            "{mixed:?}"
        );
        // The header has three masks of a flit: up, the turn and down.
        assert!(mixed[0].contains("a fifo_depth of 10, the longest of these worms"), "{mixed:?}");
        assert!(of("", ["multiport"; 2])[0].starts_with("multiport multicasts can deadlock"));
        assert!(of("replication: buffered, fifo_depth: 10", ["multiport"; 2]).is_empty());
    }

    #[test]
    fn multicasts_that_are_planned_are_looked_at_as_those_that_are_given() {
        let one = |algorithm: &str, source: u32, more: &str| {
            format!(
                "multicast(source: {source}, destinations: [2, 3, 5, 7], algorithm: \"{algorithm}\", payload_flits: 7{more})"
            )
        };
        let many = |algorithm: &str| {
            format!("multicasts(count: 2, destinations: 3, algorithm: \"{algorithm}\", payload_flits: 7)")
        };
        let min = |rest: &str, workload: &str| {
            warnings(&format!("topology: bi_min(switch_ports: 2, stages: 3){rest}"), workload)
        };
        let two = [one("atbm", 0, ""), one("atbm", 1, "")].join(", ");
        for several in [&two, &many("atbm"), &one("atbm", 0, ", times: 2, every: 1")] {
            let told = min("", several);
            assert_eq!(told.len(), 1, "{several}: {told:?}");
            assert!(told[0].starts_with("bit_string multicasts can deadlock"), "{told:?}");
            assert!(min(", token_ring: ()", several).is_empty(), "{several}");
        }
        // Worms of one tree follow each other and never meet. A tree of unicasts is no tree worm.
        for alone in [&one("atbm", 0, ""), &one("atbm", 0, ", times: 2"), &many("u_min")] {
            assert!(min("", alone).is_empty(), "{alone}");
        }
        let mesh = |channels: u32, workload: &str| {
            let network = "topology: mesh(radices: [4, 4]), routing: label_order";
            warnings(&format!("{network}, node: (consumption_channels: {channels})"), workload)
        };
        let two = [one("dual_path", 4, ""), one("dual_path", 6, "")].join(", ");
        for several in [&two, &many("dual_path"), &many("multi_path"), &one("dual_path", 4, ", times: 2, every: 1")] {
            assert!(mesh(1, several)[0].starts_with("multidestination worms can deadlock with"), "{several}");
            assert!(mesh(4, several).is_empty(), "{several}");
        }
        assert!(mesh(1, &one("dual_path", 4, "")).is_empty());
    }

    /// The rules that speak for a workload in a network.
    fn rules(network: &str, workload: &str) -> Option<Vec<Rule>> {
        let text = format!("(network: ({network}), workload: [{workload}])");
        let loaded = from_text("x.ron", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
        Hazards::new(&loaded, &Site::of(&loaded).unwrap()).unwrap().rules()
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
        // A single tree has no hazard, but several trees have one.
        let tree = "messages([(cycle: 0, source: 5, destinations: [0, 7], encoding: bit_string, payload_flits: 7)])";
        let min = |more: &str| format!("topology: uni_min(switch_ports: 2, stages: 3){more}");
        assert!(warnings(&min(""), tree).is_empty());
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
    fn a_torus_wants_datelines_where_a_way_round_has_two_links() {
        let of = |k: u32, datelines: bool| {
            let torus = format!("topology: torus(radices: [{k}, 3], datelines: {datelines})");
            warnings(&format!("{torus}, switch: (virtual_channels: 2)"), "traffic(load: 0.1, payload_flits: 4)").len()
        };
        assert_eq!((of(4, false), of(4, true), of(3, false)), (1, 0, 0));
    }

    #[test]
    fn links_that_no_route_takes_are_named() {
        let of = |network: &str| warnings(&format!("topology: {network}"), "traffic(load: 0.1, payload_flits: 4)");
        let netlist = |rest: &str| {
            let text = "switch a b\nlink a.0 b.0\nlink a.1 b.1\nnode a.2\nnode a.3\nnode b.2\nnode b.3\n";
            of(&format!("netlist(text: \"{text}{rest})"))
        };
        assert_eq!(
            netlist("\""),
            [
                "2 of 4 links between switches are idle, since no route between two nodes takes them: a.out1 to b, b.out1 to a; \
                 netlist.spread: true shares destinations out among parallel links"
            ]
        );
        assert!(netlist("\", spread: true").is_empty());
        assert_eq!(
            netlist("route a 2 0\nroute a 3 1\nroute b 0 0\nroute b 1 0\", routing: given"),
            [
                "1 of 4 links between switches is idle, since no route between two nodes takes it: b.out1 to a; leave such links \
                 out, or give other routes"
            ]
        );
        assert_eq!(
            of("torus(radices: [2], datelines: false)"),
            [
                "2 of 4 links between switches are idle, since no route between two nodes takes them: rt_0.out1 to rt_1, rt_1.out1 \
                 to rt_0; along a dimension of two nodes all worms take the + link; a mesh has no other link there"
            ]
        );
        assert!(of("torus(radices: [3, 1], datelines: false)").is_empty());
        // Routes go up to a, then down. From b to c no worm takes the link between them, nor back.
        let ring = |rest: &str| {
            of(&format!("netlist(text: \"switch a b c\nlink a.0 b.0\nlink b.1 c.0\nlink c.1 a.1\nnode a.2{rest}\")"))
        };
        assert_eq!(ring("\nnode b.2\nnode c.2").len(), 0);
        let two = ring("\nnode b.2");
        assert!(two[0].starts_with("4 of 6 links between switches are idle"), "{two:?}");
    }
}
