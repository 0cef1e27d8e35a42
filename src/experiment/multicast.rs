//! Multicasts in software, planned by name.

use serde::{Deserialize, Serialize};

use super::Settings;

/// A multicast in software: an algorithm plans the sends, and the nodes perform them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multicast {
    /// Cycle in which the first multicast begins.
    #[serde(default)]
    pub cycle: u64,
    /// Node that has the message.
    pub source: u32,
    /// Nodes that receive the message. `None` takes all others.
    #[serde(default)]
    pub destinations: Option<Vec<u32>>,
    /// Algorithm that plans the sends.
    pub algorithm: String,
    /// Length of the message. Give either this field or `bytes`.
    #[serde(default)]
    pub payload_flits: Option<u32>,
    /// Length of the message. Its last flit may be partly filled.
    #[serde(default)]
    pub bytes: Option<u32>,
    /// Name of a class that the run measures separately, in addition to `software`.
    #[serde(default)]
    pub class: Option<String>,
    /// Settings of `algorithm`.
    #[serde(default)]
    pub settings: Settings,
    /// How many times the multicast runs.
    #[serde(default = "one")]
    pub times: u32,
    /// Number of first multicasts that the run does not measure.
    #[serde(default)]
    pub skip: u32,
    /// Cycles from the start of one multicast to the start of the next. With `None`, the next
    /// begins when the one before is complete.
    #[serde(default)]
    pub every: Option<u64>,
}

impl Multicast {
    /// Nodes that have to receive the multicast, in a network of `nodes` nodes.
    #[must_use]
    pub(crate) fn receivers(&self, nodes: u32) -> Vec<u32> {
        self.destinations.clone().unwrap_or_else(|| (0..nodes).filter(|&node| node != self.source).collect())
    }
}

/// Multicasts of random nodes, drawn from the seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multicasts {
    /// Cycle in which the first multicasts begin.
    #[serde(default)]
    pub cycle: u64,
    /// Group from which sources and destinations are drawn. `None` takes all nodes.
    #[serde(default)]
    pub group: Option<String>,
    /// Number of multicasts, each from a different source.
    pub count: u32,
    /// Destinations of each multicast. `None` takes all others of the group.
    #[serde(default)]
    pub destinations: Option<u32>,
    /// Order of the destinations.
    #[serde(default)]
    pub order: MemberOrder,
    /// How the nodes of the multicasts overlap.
    #[serde(default)]
    pub overlap: Overlap,
    /// Algorithm that plans the sends.
    pub algorithm: String,
    /// Length of each message. Give either this field or `bytes`.
    #[serde(default)]
    pub payload_flits: Option<u32>,
    /// Length of each message. Its last flit may be partly filled.
    #[serde(default)]
    pub bytes: Option<u32>,
    /// Name of a class that the run measures separately, in addition to `software`.
    #[serde(default)]
    pub class: Option<String>,
    /// Settings of `algorithm`.
    #[serde(default)]
    pub settings: Settings,
    /// How many times each multicast runs.
    #[serde(default = "one")]
    pub times: u32,
    /// Number of first multicasts of each source that the run does not measure.
    #[serde(default)]
    pub skip: u32,
    /// Cycles from the start of one multicast to the start of the next. With `None`, the next
    /// begins when the one before is complete.
    #[serde(default)]
    pub every: Option<u64>,
}

impl Multicasts {
    /// Number of destinations of each multicast, among `nodes` nodes.
    #[must_use]
    pub(crate) fn destinations_among(&self, nodes: u32) -> u32 {
        self.destinations.unwrap_or(nodes - 1)
    }

    /// One of the multicasts, without its nodes.
    #[must_use]
    pub(crate) fn one_of(&self) -> Multicast {
        Multicast {
            cycle: self.cycle,
            source: 0,
            destinations: None,
            algorithm: self.algorithm.clone(),
            payload_flits: self.payload_flits,
            bytes: self.bytes,
            class: self.class.clone(),
            settings: self.settings.clone(),
            times: self.times,
            skip: self.skip,
            every: self.every,
        }
    }
}

fn one() -> u32 {
    1
}

/// How the nodes of random multicasts overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// Each multicast draws its own destinations.
    #[default]
    Random,
    /// All multicasts have the same nodes, each with another of them as its source (\[KP\] section
    /// 2.3.1). If there are more multicasts than nodes, the further multicasts have other nodes as
    /// sources. Each of these multicasts leaves out one of the same nodes (\[KP\] section 5).
    Complete,
}

/// The order of destinations. Algorithms without their own order keep it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberOrder {
    /// Drawn from the seed.
    #[default]
    Random,
    /// By node number.
    Ascending,
}
