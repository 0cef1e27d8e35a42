//! Planned multicasts in the workload: lengths, parameters, rules.

use wormscope_hw::NodeId;

use super::schema::{LeaderLevels, LogP, Multicast, Multicasts, Overlap, Settings};
use super::validate::{Checked, Fault, LARGEST_CYCLE, MOST_COST, fault, within, worm_fault};
use super::worm::WormRules;
use crate::multicast::{self, Algorithm, Costs, Levels, Plan, Request};
use crate::network::{Cost, Network, Wiring};

impl Multicast {
    /// Nodes that are to have it, in a network of so many.
    #[must_use]
    pub fn receivers(&self, nodes: u32) -> Vec<u32> {
        self.destinations.clone().unwrap_or_else(|| (0..nodes).filter(|&node| node != self.source).collect())
    }
}

impl Multicasts {
    /// One of them, its nodes left out.
    #[must_use]
    pub fn one_of(&self) -> Multicast {
        Multicast {
            cycle: self.cycle,
            source: 0,
            destinations: None,
            algorithm: self.algorithm.clone(),
            payload_flits: self.payload_flits,
            bytes: self.bytes,
            settings: self.settings.clone(),
            times: self.times,
            every: self.every,
        }
    }
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
    /// Whether an algorithm takes these settings.
    ///
    /// # Errors
    /// The field and what is wrong with it, as [`Settings::costs`]; or a setting that the algorithm does not have.
    pub fn check(&self, algorithm: &Algorithm) -> Result<(), (&'static str, String)> {
        self.costs()?;
        let own = [("block", self.block.is_some()), ("levels", self.levels.is_some()), ("nu", self.nu.is_some())];
        match own.into_iter().find(|(name, given)| *given && !algorithm.settings.contains(name)) {
            None => Ok(()),
            Some((name, _)) => {
                let allowed = [&["hold and end", "log_p", "postal"], algorithm.settings].concat().join(", ");
                Err((name, format!("{} has no {name}; allowed: {allowed}", algorithm.name)))
            }
        }
    }

    /// The costs that are given, if any are.
    ///
    /// # Errors
    /// The field and what is wrong with it: half of a pair, two models at once, or a number that is none or beyond any machine.
    pub fn costs(&self) -> Result<Option<Costs>, (&'static str, String)> {
        let pair = self.hold.zip(self.end);
        if self.hold.is_some() != self.end.is_some() {
            return Err(("", "hold and end are given together or not at all".to_owned()));
        }
        let given = [pair.is_some(), self.log_p.is_some(), self.postal.is_some()];
        if given.into_iter().filter(|&given| given).count() > 1 {
            return Err(("", "costs are given twice; allowed: hold and end, or log_p, or postal".to_owned()));
        }
        let log_p = self.log_p.map(|l| [("latency", l.latency), ("overhead", l.overhead), ("gap", l.gap)]);
        let fields = [("hold", self.hold), ("end", self.end), ("postal", self.postal)];
        let numbers = fields.into_iter().filter_map(|(field, value)| Some((field, field, value?)));
        let numbers = numbers.chain(log_p.into_iter().flatten().map(|(name, value)| ("log_p", name, value)));
        for (field, name, value) in numbers {
            let (least, why) = match field {
                "postal" => (1.0, " (a message takes at least as long as its sender)"),
                _ => (0.0, ""),
            };
            if !(least..=MOST_COST).contains(&value) {
                return Err((field, format!("{name} is {value}; allowed: {least} to {MOST_COST}{why}")));
            }
        }
        let pair = pair.map(|(hold, end)| Costs::hold_and_end(hold, end));
        let log_p = self.log_p.map(|LogP { latency, overhead, gap }| Costs::log_p(latency, overhead, gap));
        Ok(pair.or(log_p).or(self.postal.map(Costs::postal)))
    }

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
        let costs = if let Ok(Some(costs)) = self.costs() {
            costs
        } else {
            let startup = multicast::Cost::fixed(node.startup_cycles.into());
            let software = node.costs.map(|c| [c.hold, c.send, c.receive].map(multicast::Cost::from));
            let [hold, send, receive] = software.unwrap_or([startup, startup, multicast::Cost::fixed(0.0)]);
            let hold = if hold.of(bytes) < channel.of(bytes) { channel } else { hold };
            Costs { hold, send, network: hardware, receive }
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
        let destinations = m.receivers(self.network.nodes());
        if destinations.is_empty() {
            return Err(fault([at("destinations"), path.to_owned()], "no destinations; at least one is needed"));
        }
        let nth = |index| at(&format!("destinations[{index}]"));
        self.rules.check_nodes(&destinations).map_err(|(index, why)| fault([nth(index)], why))?;
        check_records(m.times, 1, destinations.len() as u32, path)?;
        if let Some(index) = destinations.iter().position(|&node| node == m.source) {
            return Err(fault([nth(index)], format!("node {} is the source of this multicast", m.source)));
        }
        self.plan(path, &m.algorithm, m.source, &destinations, &m.settings, length)
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
        check_records(m.times, m.count, m.destinations, path)?;
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
        check_network(found, self.network, &self.network.wiring()).map_err(|why| fault([at("algorithm")], why))?;
        settings.check(found).map_err(|(field, why)| {
            let path = at("settings");
            fault([if field.is_empty() { path } else { format!("{path}.{field}") }], why)
        })?;
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

/// What becomes of every message is kept for the report.
fn check_records(times: u32, count: u32, destinations: u32, path: &str) -> Checked {
    const MOST: u64 = 1 << 22;
    let records = u64::from(times) * u64::from(count) * u64::from(destinations);
    if records <= MOST {
        return Ok(());
    }
    let why = format!(
        "{times} times {count} multicasts to {destinations} nodes are {records} deliveries; allowed: up to {MOST}"
    );
    Err(fault([format!("{path}.times"), format!("{path}.count"), path.to_owned()], why))
}

/// Whether an algorithm is one for this network, wired like that, and its worms are routed as they need it.
///
/// # Errors
/// The networks it is defined for, or the routing it needs.
pub fn check_network(algorithm: &Algorithm, network: &Network, wiring: &Wiring) -> Result<(), String> {
    algorithm.check_network(wiring).map_err(|refusal| refusal.to_string())?;
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
            rules.check_shape(worm.0, worm.1, worm.2)?;
        }
    }
    Ok(())
}
