//! Planned multicasts in the workload: lengths, parameters, rules.

use wormscope_hw::{Encoding, NodeId};

use super::fault::{Checked, Fault, fault, within, worm_fault};
use super::groups;
use crate::experiment::{
    Experiment, LARGEST_CYCLE, Length, MessagePart, Multicast, Multicasts, Settings, Traffic, WormRules, check_network,
    check_worms,
};
use crate::multicast::{self, Request};
use crate::network::{Network, header_flits};
use crate::quote;

/// Common part of planned multicasts.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    pub rules: &'a WormRules,
    pub experiment: &'a Experiment,
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
            return Err(fault(
                [nth(index)],
                format!("node {} is the source of this multicast; leave it out", m.source),
            ));
        }
        self.plan(path, &m.algorithm, m.source, &destinations, &m.settings, length)
    }

    pub(super) fn check_random(&self, m: &Multicasts, path: &str) -> Checked {
        let at = |field: &str| format!("{path}.{field}");
        let length = self.check(&m.one_of(), path)?;
        if self.network.nodes() == 1 {
            return Err(fault([path], "random multicasts need a second node to send to; the network has 1 node"));
        }
        let nodes = groups::size(self.experiment, m.group.as_ref(), path)?;
        let destinations = m.destinations_among(nodes);
        within(&at("destinations"), destinations, 1..=nodes - 1, &format!(" (other nodes of {nodes})"))?;
        within(&at("count"), m.count, 1..=nodes, " (each needs a different source)")?;
        check_records(m.times, m.count, destinations, path)?;
        // The check can use any nodes, because the algorithm accepts or refuses most sets of nodes
        // alike.
        let destinations: Vec<u32> = (1..=destinations).collect();
        self.plan(path, &m.algorithm, 0, &destinations, &m.settings, length)
    }

    /// Checks messages of random traffic that an algorithm performs.
    pub(super) fn check_traffic(&self, traffic: &Traffic, algorithm: &str, path: &str) -> Checked {
        let settings = traffic.settings.clone().unwrap_or_default();
        self.check_algorithm(algorithm, &settings, path)?;
        let lengths = if traffic.lengths.is_some() { "lengths" } else { "payload_flits" };
        let at = format!("{path}.{lengths}");
        let length = Length::new(self.network, Some(traffic.length().most()), None).map_err(|why| fault([at], why))?;
        // The check can use any nodes, because the algorithm accepts or refuses most sets of nodes
        // alike.
        let destinations: Vec<u32> = (1..=traffic.most_destinations(self.network)).collect();
        self.plan(path, algorithm, 0, &destinations, &settings, length)
    }

    /// Checks that the algorithm exists, and takes this network and these settings.
    fn check_algorithm(&self, algorithm: &str, settings: &Settings, path: &str) -> Checked {
        let at = |field: &str| format!("{path}.{field}");
        let found = multicast::find(algorithm).map_err(|unknown| fault([at("algorithm")], unknown.to_string()))?;
        check_network(found, self.network, self.rules.wiring()).map_err(|why| fault([at("algorithm")], why))?;
        settings.check(found).map_err(|(field, why)| {
            let path = at("settings");
            fault([if field.is_empty() { path } else { format!("{path}.{field}") }], why)
        })
    }

    /// Checks the common fields of both kinds.
    fn check(&self, m: &Multicast, path: &str) -> Result<Length, Fault> {
        let Multicast { settings, payload_flits, bytes, .. } = m;
        let at = |field: &str| format!("{path}.{field}");
        within(&at("cycle"), m.cycle, 0..=LARGEST_CYCLE, "")?;
        within(&at("times"), m.times, 1..=1_000_000, "")?;
        within(&at("skip"), m.skip, 0..=m.times - 1, " (fewer than times)")?;
        if let Some(every) = m.every {
            within(&at("every"), every, 0..=LARGEST_CYCLE / 1_000_000, " cycles")?;
        }
        self.check_algorithm(&m.algorithm, settings, path)?;
        let field = if payload_flits.is_some() { "payload_flits" } else { "bytes" };
        Length::new(self.network, *payload_flits, *bytes).map_err(|why| fault([at(field)], why))
    }

    /// Checks that the algorithm makes a plan, and that the network carries its worms.
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
        // The time in the network is known with the routes. A channel has the flits one by one.
        let header = f64::from(header_flits(self.network, Encoding::Unicast, 1));
        let channel = multicast::LinearCost { fixed: header, per_byte: f64::from(length.flits) / length.bytes };
        let parameters = settings.parameters(self.network, length.bytes, multicast::LinearCost::default(), channel);
        let wiring = self.rules.wiring();
        let request = Request { wiring, source: NodeId(source), destinations: &destinations, parameters: &parameters };
        let plan = algorithm.plan(&request).map_err(|refusal| {
            let field = match refusal {
                multicast::Refusal::Parameter { .. } => "settings",
                _ => "algorithm",
            };
            fault([format!("{path}.{field}"), path.to_owned()], refusal.to_string())
        })?;
        check_worms(self.rules, &plan, length).map_err(|why| match why.part {
            MessagePart::PayloadFlits => worm_fault(why, path),
            _ => Fault { paths: vec![format!("{path}.algorithm")], message: why.message },
        })
    }
}

/// Limits the number of messages, because the report keeps the result of each.
fn check_records(times: u32, count: u32, destinations: u32, path: &str) -> Checked {
    const MOST: u64 = 1 << 22;
    let each = u64::from(count) * u64::from(destinations);
    let records = each.checked_mul(times.into());
    if records.is_some_and(|records| records <= MOST) {
        return Ok(());
    }
    let records = quote::count(records);
    let why = format!(
        "{times} times {count} multicasts to {destinations} nodes are {records} deliveries; allowed: up to {MOST}"
    );
    Err(fault([format!("{path}.times"), format!("{path}.count"), path.to_owned()], why))
}
