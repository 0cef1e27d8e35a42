//! Planner of multicasts: it looks up algorithms, gives them their input, and checks the plans on
//! the network.

use std::num::NonZeroU8;
use std::rc::Rc;

use wormscope_hw::{Encoding, NodeId};

use super::operation::Design;
use crate::engine::Class;
use crate::experiment::{Length, Loaded, Settings, Workload, WormRules, check_worms, class_number};
use crate::input::{ConfigError, Place};
use crate::model::unblocked::zero_load;
use crate::multicast::{self, LinearCost, Request};
use crate::network::{Network, header_flits};
use crate::site::Site;

/// Plans the multicasts of an experiment.
#[derive(Clone)]
pub(super) struct Planner {
    network: Network,
    site: Site,
    rules: WormRules,
    /// Number of the class of each entry of the workload.
    classes: Vec<Option<NonZeroU8>>,
    /// The file of the experiment.
    title: String,
}

impl Planner {
    /// The planner of a valid experiment.
    pub fn new(loaded: &Loaded, site: &Site) -> Self {
        let network = loaded.experiment.network.clone();
        let classes = loaded.experiment.classes();
        let of = |entry: &Workload| entry.class().and_then(|class| class_number(&classes, class));
        let classes = loaded.experiment.workload.iter().map(of).collect();
        Self { rules: WormRules::new(site.built()), network, site: site.clone(), classes, title: loaded.title() }
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// A multicast of entry number `entry`, ready to begin.
    ///
    /// # Errors
    /// The algorithm makes no plan, or the network does not carry its worms.
    pub fn design(
        &self,
        entry: usize,
        algorithm: &str,
        settings: &Settings,
        length: Length,
        source: NodeId,
        to: &[NodeId],
    ) -> Result<Design, ConfigError> {
        let refuse = |why: String| self.refusal(entry, &why);
        let algorithm = multicast::find(algorithm).map_err(|unknown| refuse(unknown.to_string()))?;
        let parameters = parameters(&self.network, &self.site, settings, length, source, to);
        let request = Request { wiring: self.site.wiring(), source, destinations: to, parameters: &parameters };
        let plan = algorithm.plan(&request).map_err(|refusal| refuse(refusal.to_string()))?;
        let policy = algorithm.policy(&request).map_err(|refusal| refuse(refusal.to_string()))?;
        check_worms(&self.rules, &plan, length).map_err(|fault| refuse(fault.message))?;
        Ok(Design {
            entry,
            algorithm,
            plan: Rc::new(plan),
            policy: policy.map(Rc::from),
            length,
            ports: self.network.node.ports,
            class: Class { number: self.classes[entry], is_part: true },
        })
    }

    /// The refusal of entry number `entry`.
    pub fn refusal(&self, entry: usize, why: &str) -> ConfigError {
        ConfigError::new(Place::File(self.title.clone()), format!("workload[{entry}]: {why}"))
    }
}

/// The parameters of a message from `source` to `to`: its settings, the costs of the nodes, and the
/// latency of the hardware without load. The latency is the latency of the longest route to a
/// destination.
#[must_use]
pub fn parameters(
    network: &Network,
    site: &Site,
    settings: &Settings,
    length: Length,
    source: NodeId,
    to: &[NodeId],
) -> multicast::Parameters {
    let switches = to.iter().map(|&node| site.route(source, node).count()).max().unwrap_or(1) as u32;
    let header = header_flits(network, Encoding::Unicast, 1);
    let startup = network.node.costs.map_or(0.0, |costs| costs.network);
    let latency = |flits| zero_load(site.timing(), header, flits, switches).map_or(0.0, |l| l.tail as f64);
    // The rate of the flits shows between a worm and one of twice its length. A few hundred flits
    // are enough for this.
    let some = header + length.flits.clamp(1, 256);
    let per_flit = (latency(some + 256) - latency(some)) / 256.0;
    let per_byte = per_flit * f64::from(length.flits) / length.bytes;
    let rest = latency(some) - per_flit * f64::from(some - header);
    let channel = LinearCost { fixed: startup + per_flit * f64::from(header), per_byte };
    settings.parameters(network, length.bytes, LinearCost { fixed: startup + rest, per_byte }, channel)
}
