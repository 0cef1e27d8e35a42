//! Settings of a multicast algorithm.

use serde::{Deserialize, Serialize};

use crate::multicast::{self, Algorithm, Costs, Levels};
use crate::network::{MOST_COST, Network, may_cover_source};

/// Settings of an algorithm. A setting that is absent follows from the node's costs and from the
/// hardware without load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `t_hold` of the message, as the algorithm takes it. Give it with `end`.
    pub hold: Option<f64>,
    /// `t_end` of the message. Give it with `hold`.
    pub end: Option<f64>,
    /// Costs of the `LogP` model, in place of `hold` and `end`.
    pub log_p: Option<LogP>,
    /// Lambda of the postal model, in place of `hold` and `end`.
    pub postal: Option<f64>,
    /// Nodes in a block (`block_binomial`).
    pub block: Option<u32>,
    /// Levels of leaders (`hl`, `sqhl`, `schl`).
    pub levels: Option<LeaderLevels>,
    /// Largest number of orders of the nodes that `c_min` tries, up to 2880. Fewer take less time
    /// and may leave more contention.
    pub candidates: Option<u32>,
    /// Base-2 logarithm of the flits that a link carries side by side without contention
    /// (\[SEIDEL\]).
    pub nu: Option<u32>,
}

impl Settings {
    /// Checks that an algorithm takes these settings.
    ///
    /// # Errors
    /// The field at fault and its fault, as in [`Settings::costs`], or a setting that the algorithm
    /// does not have.
    pub fn check(&self, algorithm: &Algorithm) -> Result<(), (&'static str, String)> {
        self.costs()?;
        let own = [
            ("block", self.block.is_some()),
            ("levels", self.levels.is_some()),
            ("candidates", self.candidates.is_some()),
            ("nu", self.nu.is_some()),
        ];
        match own.into_iter().find(|(name, given)| *given && !algorithm.settings.contains(name)) {
            None => Ok(()),
            Some((name, _)) => {
                let allowed = [&["hold and end", "log_p", "postal"], algorithm.settings].concat().join(", ");
                Err((name, format!("{} has no {name}; allowed: {allowed}", algorithm.name)))
            }
        }
    }

    /// The given costs, if there are any.
    ///
    /// # Errors
    /// The field at fault and its fault: half of a pair, two models at once, or a number that no
    /// machine can have.
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
                _ => (0.0, " cycles"),
            };
            if !(least..=MOST_COST).contains(&value) {
                return Err((field, format!("{name} is {value}; allowed: {least} to {MOST_COST}{why}")));
            }
        }
        let pair = pair.map(|(hold, end)| Costs::hold_and_end(hold, end));
        let log_p = self.log_p.map(|LogP { latency, overhead, gap }| Costs::log_p(latency, overhead, gap));
        Ok(pair.or(log_p).or(self.postal.map(Costs::postal)))
    }

    /// Parameters for the algorithm. `hardware` is the cost of a message without load, from the
    /// send buffer to the arrival of its tail.
    ///
    /// The hardware may take longer to send a message than the software takes to hand over the next
    /// one. Then the hardware spaces the sends of a node, and `t_hold` is the occupation of the
    /// out-going channel, `channel`.
    #[must_use]
    pub fn parameters(
        &self,
        network: &Network,
        bytes: f64,
        hardware: multicast::LinearCost,
        channel: multicast::LinearCost,
    ) -> multicast::Parameters {
        let node = &network.node;
        let costs = if let Ok(Some(costs)) = self.costs() {
            costs
        } else {
            let startup = multicast::LinearCost::fixed(node.startup_cycles.into());
            let software = node.costs.map(|c| [c.hold, c.send, c.receive].map(multicast::LinearCost::from));
            let [hold, send, receive] = software.unwrap_or([startup, startup, multicast::LinearCost::fixed(0.0)]);
            let hold = if hold.of(bytes) < channel.of(bytes) { channel } else { hold };
            Costs { hold, send, network: hardware, receive }
        };
        let defaults = multicast::Parameters::default();
        multicast::Parameters {
            costs,
            bytes,
            inter: node.costs.map_or(0.0, |costs| multicast::LinearCost::from(costs.inter).of(bytes)),
            ports: node.ports,
            block: self.block.unwrap_or(defaults.block),
            levels: match self.levels {
                None | Some(LeaderLevels::All) => Levels::All,
                Some(LeaderLevels::Fewest) => Levels::Fewest,
                Some(LeaderLevels::Exactly(levels)) => Levels::Exactly(levels),
            },
            candidates: self.candidates.unwrap_or(defaults.candidates),
            nu: self.nu.unwrap_or(defaults.nu),
            covers_source: may_cover_source(network),
        }
    }
}

/// Parameters of the `LogP` model in cycles: `t_hold` is the gap, `t_end` the latency and an
/// overhead at either side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogP {
    /// L: latency of the network.
    pub latency: f64,
    /// o: overhead of the processor at either side.
    pub overhead: f64,
    /// g: least time between two sends.
    pub gap: f64,
}

/// How many levels of leaders the hierarchical leader schemes form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeaderLevels {
    /// One level for each dimension.
    All,
    /// The number of levels for which the formula of \[KP\] counts the fewest steps. Another
    /// number may take fewer, because the formula counts a worm for each leader.
    Fewest,
    /// This number of levels.
    Exactly(u32),
}
