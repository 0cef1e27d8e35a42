//! Planned multicasts in the workload: schema and rules.

use serde::{Deserialize, Serialize};
use wormscope_hw::NodeId;

use super::schema::{Cost, Network};
use super::validate::{Checked, Fault, LARGEST_CYCLE, fault, within, worm_fault};
use super::worm::WormRules;
use crate::multicast::{self, Algorithm, Costs, Levels, Plan, Request};

/// A multicast in software: an algorithm plans who sends to whom, the nodes perform their sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multicast {
    /// Cycle in which it begins.
    #[serde(default)]
    pub cycle: u64,
    /// Node that has the message.
    pub source: u32,
    /// Nodes that are to have it.
    pub destinations: Vec<u32>,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Length of the message in flits; give this or `bytes`.
    #[serde(default)]
    pub payload_flits: Option<u32>,
    /// Length of the message in bytes; its last flit may be partly filled.
    #[serde(default)]
    pub bytes: Option<u32>,
    /// Settings of the algorithm.
    #[serde(default)]
    pub settings: Settings,
    /// How many times.
    #[serde(default = "one")]
    pub times: u32,
    /// Cycles from one begin to the next; when absent, the next begins when the one before is complete.
    #[serde(default)]
    pub every: Option<u64>,
}

/// Multicasts of random nodes, drawn from the seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multicasts {
    /// Cycle in which they begin.
    #[serde(default)]
    pub cycle: u64,
    /// How many, each from a source of its own.
    pub count: u32,
    /// Destinations of each.
    pub destinations: u32,
    /// How their sets of nodes overlap.
    #[serde(default)]
    pub overlap: Overlap,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Length of each message in flits; give this or `bytes`.
    #[serde(default)]
    pub payload_flits: Option<u32>,
    /// Length of each message in bytes.
    #[serde(default)]
    pub bytes: Option<u32>,
    /// Settings of the algorithm.
    #[serde(default)]
    pub settings: Settings,
    /// How many times each.
    #[serde(default = "one")]
    pub times: u32,
    /// Cycles from one begin to the next; when absent, the next begins when the one before is complete.
    #[serde(default)]
    pub every: Option<u64>,
}

fn one() -> u32 {
    1
}

impl Multicasts {
    /// One of them, its nodes left out.
    #[must_use]
    pub fn one_of(&self) -> Multicast {
        Multicast {
            cycle: self.cycle,
            source: 0,
            destinations: Vec::new(),
            algorithm: self.algorithm.clone(),
            payload_flits: self.payload_flits,
            bytes: self.bytes,
            settings: self.settings.clone(),
            times: self.times,
            every: self.every,
        }
    }
}

/// How the nodes of random multicasts overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// Each draws its destinations for itself.
    #[default]
    Random,
    /// All are among the same nodes, of which each has another for its source (\[KP\] section 2.3.1).
    Complete,
}

/// Settings of an algorithm. What is absent follows from the node's costs and from the hardware without load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `t_hold` of the message in cycles, as the algorithm takes it; with `end`.
    pub hold: Option<f64>,
    /// `t_end` of the message in cycles; with `hold`.
    pub end: Option<f64>,
    /// Nodes in a block (block-binomial).
    pub block: Option<u32>,
    /// Levels of leaders (HL, SQHL, SCHL).
    pub levels: Option<LeaderLevels>,
    /// Base-2 logarithm of the flits a link carries beside each other without contention (\[SEIDEL\]).
    pub nu: Option<u32>,
}

/// How many levels of leaders the hierarchical leader schemes form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeaderLevels {
    /// One for each dimension.
    All,
    /// As many as take the fewest steps.
    Fewest,
    /// So many.
    Exactly(u32),
}

/// Cycles in which a node takes no flit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stall {
    /// The node.
    pub node: u32,
    /// First cycle.
    pub from: u64,
    /// First cycle behind it.
    pub until: u64,
}

/// Length of a message: of exactly one of two fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// Payload flits.
    pub flits: u32,
    /// Bytes.
    pub bytes: f64,
}

impl Length {
    /// The length that one of these fields gives.
    ///
    /// # Errors
    /// When none or both are given, or it is 0.
    pub fn new(network: &Network, payload_flits: Option<u32>, bytes: Option<u32>) -> Result<Self, String> {
        let width = network.switch.flit_bits;
        match (payload_flits, bytes) {
            (Some(0), None) => Err("payload_flits is 0; at least 1".to_owned()),
            (None, Some(0)) => Err("bytes is 0; at least 1".to_owned()),
            (Some(flits), None) => Ok(Self { flits, bytes: f64::from(flits) * f64::from(width) / 8.0 }),
            (None, Some(bytes)) => {
                let flits = (u64::from(bytes) * 8).div_ceil(width.into());
                Ok(Self { flits: flits.try_into().unwrap_or(u32::MAX), bytes: bytes.into() })
            }
            (None, None) => Err("no length; payload_flits or bytes is needed".to_owned()),
            (Some(_), Some(_)) => Err("both payload_flits and bytes are given; one is allowed".to_owned()),
        }
    }

    /// Payload flits of a worm that carries so many of the pieces: of a message that is split, each piece is rounded up to whole
    /// flits.
    #[must_use]
    pub fn flits_of(self, carried: u32, pieces: u32) -> u32 {
        self.flits.div_ceil(pieces).saturating_mul(carried)
    }

    /// Bytes of a worm that carries so many of the pieces.
    #[must_use]
    pub fn bytes_of(self, carried: u32, pieces: u32) -> f64 {
        self.bytes * f64::from(carried) / f64::from(pieces)
    }
}

impl From<Cost> for multicast::Cost {
    fn from(Cost { fixed, per_byte }: Cost) -> Self {
        Self { fixed, per_byte }
    }
}

impl Settings {
    /// What the algorithm is told, `hardware` being what a message costs from the send buffer to its tail's arrival without load.
    ///
    /// Where the hardware takes longer to send a message than software to hand over the next, it is the hardware that spaces the sends of a
    /// node: `t_hold` is then the occupation of the out-going channel, `channel`.
    #[must_use]
    pub fn parameters(
        &self,
        network: &Network,
        bytes: f64,
        hardware: multicast::Cost,
        channel: multicast::Cost,
    ) -> multicast::Parameters {
        let node = &network.node;
        let costs = match (self.hold, self.end) {
            (Some(hold), Some(end)) => Costs::hold_and_end(hold, end),
            _ => {
                let startup = multicast::Cost::fixed(node.startup_cycles.into());
                let software = node.costs.map(|c| [c.hold, c.send, c.receive].map(multicast::Cost::from));
                let [hold, send, receive] = software.unwrap_or([startup, startup, multicast::Cost::fixed(0.0)]);
                let hold = if hold.of(bytes) < channel.of(bytes) { channel } else { hold };
                Costs { hold, send, network: hardware, receive }
            }
        };
        let defaults = multicast::Parameters::default();
        multicast::Parameters {
            costs,
            bytes,
            inter: node.costs.map_or(0.0, |costs| multicast::Cost::from(costs.inter).of(bytes)),
            ports: node.ports,
            block: self.block.unwrap_or(defaults.block),
            levels: match self.levels {
                None | Some(LeaderLevels::All) => Levels::All,
                Some(LeaderLevels::Fewest) => Levels::Fewest,
                Some(LeaderLevels::Exactly(levels)) => Levels::Exactly(levels),
            },
            nu: self.nu.unwrap_or(defaults.nu),
        }
    }
}

/// What planned multicasts have in common.
pub(super) struct Common<'a> {
    pub rules: &'a WormRules,
    pub network: &'a Network,
}

impl Common<'_> {
    pub(super) fn check_one(&self, m: &Multicast, path: &str) -> Checked {
        let at = |field: &str| format!("{path}.{field}");
        let length = self.check(m, path)?;
        self.rules.check_node(m.source).map_err(|why| fault([at("source")], why))?;
        if m.destinations.is_empty() {
            return Err(fault([at("destinations")], "no destinations; at least one is needed"));
        }
        let nth = |index| at(&format!("destinations[{index}]"));
        self.rules.check_nodes(&m.destinations).map_err(|(index, why)| fault([nth(index)], why))?;
        if let Some(index) = m.destinations.iter().position(|&node| node == m.source) {
            return Err(fault([nth(index)], format!("node {} is the source of this multicast", m.source)));
        }
        self.plan(path, &m.algorithm, m.source, &m.destinations, &m.settings, length)
    }

    pub(super) fn check_random(&self, m: &Multicasts, path: &str) -> Checked {
        let at = |field: &str| format!("{path}.{field}");
        let length = self.check(&m.one_of(), path)?;
        let nodes = self.network.nodes();
        if nodes == 1 {
            return Err(fault([path], "random multicasts need a second node to send to; the network has 1 node"));
        }
        within(&at("destinations"), m.destinations, 1..=nodes - 1, &format!(" (other nodes of {nodes})"))?;
        let most = if m.overlap == Overlap::Complete { m.destinations + 1 } else { nodes };
        within(&at("count"), m.count, 1..=most, " (each has a source of its own)")?;
        // Of any nodes: what the algorithm says of these it says of most.
        let destinations: Vec<u32> = (1..=m.destinations).collect();
        self.plan(path, &m.algorithm, 0, &destinations, &m.settings, length)
    }

    /// What both kinds have.
    fn check(&self, m: &Multicast, path: &str) -> Result<Length, Fault> {
        let Multicast { settings, payload_flits, bytes, .. } = m;
        let at = |field: &str| format!("{path}.{field}");
        within(&at("cycle"), m.cycle, 0..=LARGEST_CYCLE, "")?;
        within(&at("times"), m.times, 1..=1_000_000, "")?;
        if let Some(every) = m.every {
            within(&at("every"), every, 0..=LARGEST_CYCLE / 1_000_000, " cycles")?;
        }
        let found = multicast::find(&m.algorithm).map_err(|unknown| fault([at("algorithm")], unknown.to_string()))?;
        check_routing(found, self.network).map_err(|why| fault([at("algorithm")], why))?;
        for (field, value) in [("hold", settings.hold), ("end", settings.end)] {
            let path = at(&format!("settings.{field}"));
            if settings.hold.is_some() != settings.end.is_some() {
                return Err(fault([at("settings")], "hold and end are given together or not at all"));
            }
            if value.is_some_and(|value| !(value.is_finite() && value >= 0.0)) {
                let value = value.unwrap_or_default();
                return Err(fault([path], format!("{field} is {value}; allowed: 0 cycles and more, finite")));
            }
        }
        let field = if payload_flits.is_some() { "payload_flits" } else { "bytes" };
        Length::new(self.network, *payload_flits, *bytes).map_err(|why| fault([at(field)], why))
    }

    /// Whether the algorithm makes a plan, and the network carries its worms.
    fn plan(
        &self,
        path: &str,
        algorithm: &str,
        source: u32,
        destinations: &[u32],
        settings: &Settings,
        length: Length,
    ) -> Checked {
        let Ok(algorithm) = multicast::find(algorithm) else { return Ok(()) };
        let destinations: Vec<NodeId> = destinations.iter().map(|&node| NodeId(node)).collect();
        let nothing = multicast::Cost::default();
        let parameters = settings.parameters(self.network, length.bytes, nothing, nothing);
        let wiring = &self.network.wiring();
        let request = Request { wiring, source: NodeId(source), destinations: &destinations, parameters: &parameters };
        let plan = algorithm.plan(&request).map_err(|refusal| {
            let field = match refusal {
                multicast::Refusal::Parameter { .. } => "settings",
                _ => "algorithm",
            };
            fault([format!("{path}.{field}"), path.to_owned()], refusal.to_string())
        })?;
        check_worms(self.rules, &plan, length).map_err(|why| match why.part {
            super::worm::Part::PayloadFlits => worm_fault(why, path),
            _ => Fault { paths: vec![format!("{path}.algorithm")], message: why.message },
        })
    }
}

/// Whether the network routes as the worms of an algorithm need it.
///
/// # Errors
/// Names the routing it needs.
pub fn check_routing(algorithm: &Algorithm, network: &Network) -> Result<(), String> {
    match algorithm.routing {
        Some(needed) if needed != network.routing() => {
            let name = |routing| super::source::snake_case(&format!("{routing:?}"));
            Err(format!("{} needs routing: {}, not {}", algorithm.name, name(needed), name(network.routing())))
        }
        _ => Ok(()),
    }
}

/// Whether a network carries the worms of a plan.
///
/// # Errors
/// The first rule that one of them breaks.
pub fn check_worms(rules: &WormRules, plan: &Plan, length: Length) -> Result<(), super::worm::WormFault> {
    // Most worms are of one kind.
    let mut checked = None;
    for send in &plan.sends {
        let worm = (send.encoding, send.to.len() as u32, length.flits_of(send.carried(), plan.pieces));
        if checked.replace(worm) != Some(worm) {
            rules.check_worm(worm.0, worm.1, worm.2)?;
        }
    }
    Ok(())
}
