//! The worms that a workload allows, whatever its seed and cycles: the worms that it gives, and
//! those that it may draw.

use wormscope_hw::header::Way;
use wormscope_hw::{Encoding, NodeId};

use super::groups::Groups;
use super::launch::multicasts;
use super::pattern::Chooser;
use super::trace_csv::TraceCsv;
use super::traffic::array;
use crate::experiment::{Length, Loaded, Message, Traffic, Workload};
use crate::input::ConfigError;
use crate::multicast;
use crate::network::{Network, Routing};
use crate::site::Site;

/// The worms that an experiment allows.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    /// Worms that the experiment names, each once. The cycles are those of the experiment.
    pub given: Vec<Message>,
    /// Worms that it may send any number of times.
    pub drawn: Vec<Drawable>,
}

/// Worms of one entry of the workload, in any number and at any time.
#[derive(Clone, Debug)]
pub struct Drawable {
    /// Header encoding.
    pub encoding: Encoding,
    /// Fewest and most payload flits.
    pub payload_flits: [u32; 2],
    /// Nodes that send, with the nodes that they send to.
    pub sources: Vec<(NodeId, Targets)>,
}

/// Destinations of the worms of a source.
#[derive(Clone, Debug)]
pub enum Targets {
    /// One of these nodes.
    One(Vec<NodeId>),
    /// All these nodes, in header order.
    All(Vec<NodeId>),
    /// Any of these nodes.
    Some {
        /// The nodes.
        among: Vec<NodeId>,
        /// Fewest and most destinations of a worm.
        count: [u32; 2],
        /// Order of the destinations of a path worm.
        ordered: Ordered,
    },
}

/// Order in which path worms visit their destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordered {
    /// By rising or by falling labels.
    Labels,
    /// By rising node numbers.
    Numbers,
    /// In any order.
    Any,
}

impl Targets {
    /// Whether there is no destination.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::One(nodes) | Self::All(nodes) | Self::Some { among: nodes, .. } => nodes.is_empty(),
        }
    }
}

impl Allowed {
    /// The worms that an experiment allows.
    ///
    /// # Errors
    /// A trace is wrong, or an algorithm makes no plan.
    pub fn of(loaded: &Loaded, site: &Site) -> Result<Self, ConfigError> {
        let experiment = &loaded.experiment;
        let network = &experiment.network;
        let groups = Groups::new(experiment);
        let mut allowed = Self::default();
        for entry in &experiment.workload {
            match entry {
                Workload::Messages(messages) => allowed.given.extend(messages.iter().cloned()),
                Workload::Trace(name) => {
                    for message in TraceCsv::open(loaded, name)? {
                        allowed.given.push(message?);
                    }
                }
                Workload::Traffic(traffic) => {
                    let among = groups.among(traffic.group.as_ref());
                    let nodes: Vec<NodeId> = (0..among.count()).map(|place| among.node(place)).collect();
                    let payload_flits = [traffic.length().least(), traffic.length().most()];
                    if traffic.algorithm.is_some() {
                        let encoding = planned_encoding(traffic);
                        // Each of the pieces of a message is rounded up to whole flits.
                        let longest = payload_flits[1].saturating_add(network.nodes());
                        allowed.drawn.extend(Drawable::planned(network, encoding, [1, longest]));
                        continue;
                    }
                    let chooser = Chooser::new(array(network), &traffic.pattern, among.clone());
                    let chooser = chooser.with_source(traffic.goes_to_source(network));
                    let most = traffic.count().most();
                    let sources = nodes.iter().filter(|node| chooser.sends(node.0)).map(|&source| {
                        let targets = match chooser.set(source.0) {
                            Some(set) => Targets::All(set.into_vec()),
                            None if most > 1 => Targets::Some {
                                among: nodes.iter().copied().filter(|&node| node != source).collect(),
                                count: [traffic.count().least(), most],
                                ordered: ordered(network, false),
                            },
                            None => Targets::One(chooser.targets(source.0)),
                        };
                        (source, targets)
                    });
                    let sources = sources.collect();
                    allowed.drawn.push(Drawable { encoding: traffic.encoding, payload_flits, sources });
                }
                Workload::Spmd(spmd) => {
                    let length = |bytes| Length::of_bytes(bytes, network.switch.flit_bits).flits;
                    let payload_flits = [length(spmd.bytes.least()), length(spmd.bytes.most())];
                    allowed.drawn.extend(Drawable::planned(network, Encoding::Unicast, payload_flits));
                }
                Workload::Multicast(_) | Workload::Multicasts(_) | Workload::Stalls(_) => {}
            }
        }
        allowed.add_multicasts(loaded, site)?;
        Ok(allowed)
    }

    /// Adds the worms of multicasts that algorithms plan. A node that measures may send other
    /// unicasts than those of the plan. A multicast that runs several times sends its worms again.
    fn add_multicasts(&mut self, loaded: &Loaded, site: &Site) -> Result<(), ConfigError> {
        let network = &loaded.experiment.network;
        for multicast in multicasts(loaded, site)? {
            let lengths = || multicast.worms.iter().map(|worm| worm.payload_flits);
            let payload_flits = [1, lengths().max().unwrap_or(1)];
            if multicast.decides {
                self.drawn.extend(Drawable::planned(network, multicast.algorithm.encoding, payload_flits));
            } else if multicast.overlaps {
                self.drawn.extend(multicast.worms.iter().map(Drawable::again));
            } else {
                self.given.extend(multicast.worms);
            }
        }
        Ok(())
    }
}

impl Drawable {
    /// Worms that an algorithm may plan between any nodes. Unicasts are there in all cases, since
    /// a set may have one node.
    fn planned(network: &Network, encoding: Encoding, payload_flits: [u32; 2]) -> Vec<Self> {
        let nodes = || (0..network.nodes()).map(NodeId);
        let others = |source| nodes().filter(|&node| node != source).collect::<Vec<_>>();
        let of = |encoding: Encoding| {
            let several = encoding.way() != Way::Unicast;
            let targets = |source| {
                let among = others(source);
                if several {
                    let count = [1, network.nodes().saturating_sub(1)];
                    Targets::Some { among, count, ordered: ordered(network, true) }
                } else {
                    Targets::One(among)
                }
            };
            Self { encoding, payload_flits, sources: nodes().map(|source| (source, targets(source))).collect() }
        };
        let mut all = vec![of(Encoding::Unicast)];
        if encoding != Encoding::Unicast {
            all.push(of(encoding));
        }
        all
    }

    /// A given worm, any number of times.
    fn again(worm: &Message) -> Self {
        let to = worm.destinations.iter().copied().map(NodeId).collect();
        Self {
            encoding: worm.encoding.unwrap_or_default(),
            payload_flits: [worm.payload_flits; 2],
            sources: vec![(NodeId(worm.source), Targets::All(to))],
        }
    }
}

/// Encoding of the multicasts of traffic, which an algorithm may plan.
#[must_use]
pub fn planned_encoding(traffic: &Traffic) -> Encoding {
    let found = traffic.algorithm.as_ref().and_then(|algorithm| multicast::find(algorithm).ok());
    found.map_or(traffic.encoding, |found| found.encoding)
}

/// Order of the destinations of path worms that traffic draws, or that an algorithm plans.
fn ordered(network: &Network, is_planned: bool) -> Ordered {
    match (network.routing(), is_planned) {
        (Routing::LabelOrder, _) => Ordered::Labels,
        (_, true) => Ordered::Any,
        (_, false) => Ordered::Numbers,
    }
}
