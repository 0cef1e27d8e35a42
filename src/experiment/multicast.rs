//! Multicasts in software, planned by name.

use serde::{Deserialize, Serialize};

use super::Settings;

/// A multicast in software: an algorithm plans who sends to whom, the nodes perform their sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multicast {
    /// Cycle in which it begins.
    #[serde(default)]
    pub cycle: u64,
    /// Node that has the message.
    pub source: u32,
    /// Nodes that are to have it; all others when absent.
    #[serde(default)]
    pub destinations: Option<Vec<u32>>,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Length of the message in flits; give this or `bytes`.
    #[serde(default)]
    pub payload_flits: Option<u32>,
    /// Length of the message in bytes; its last flit may be partly filled.
    #[serde(default)]
    pub bytes: Option<u32>,
    /// Class of traffic that it is measured with, beside `software`; any name.
    #[serde(default)]
    pub class: Option<String>,
    /// Settings of the algorithm.
    #[serde(default)]
    pub settings: Settings,
    /// How many times.
    #[serde(default = "one")]
    pub times: u32,
    /// The first so many of them are not measured.
    #[serde(default)]
    pub skip: u32,
    /// Cycles from one begin to the next; when absent, the next begins when the one before is
    /// complete.
    #[serde(default)]
    pub every: Option<u64>,
}

impl Multicast {
    /// Nodes that are to have it, in a network of so many.
    #[must_use]
    pub(crate) fn receivers(&self, nodes: u32) -> Vec<u32> {
        self.destinations.clone().unwrap_or_else(|| (0..nodes).filter(|&node| node != self.source).collect())
    }
}

/// Multicasts of random nodes, drawn from the seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multicasts {
    /// Cycle in which they begin.
    #[serde(default)]
    pub cycle: u64,
    /// Group of nodes that sources and destinations are drawn of; all nodes when absent.
    #[serde(default)]
    pub group: Option<String>,
    /// How many, each from a source of its own.
    pub count: u32,
    /// Destinations of each; all others of the group when absent.
    #[serde(default)]
    pub destinations: Option<u32>,
    /// The order that they are given in.
    #[serde(default)]
    pub order: MemberOrder,
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
    /// Class of traffic that it is measured with, beside `software`; any name.
    #[serde(default)]
    pub class: Option<String>,
    /// Settings of the algorithm.
    #[serde(default)]
    pub settings: Settings,
    /// How many times each.
    #[serde(default = "one")]
    pub times: u32,
    /// The first so many of each are not measured.
    #[serde(default)]
    pub skip: u32,
    /// Cycles from one begin to the next; when absent, the next begins when the one before is
    /// complete.
    #[serde(default)]
    pub every: Option<u64>,
}

impl Multicasts {
    /// Destinations of each among so many nodes.
    #[must_use]
    pub(crate) fn destinations_among(&self, nodes: u32) -> u32 {
        self.destinations.unwrap_or(nodes - 1)
    }

    /// One of them, its nodes left out.
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
    /// Each draws its destinations for itself.
    #[default]
    Random,
    /// All are among the same nodes, of which each has another for its source (\[KP\] section
    /// 2.3.1). Where there are more multicasts than these nodes, the sources of the others are any
    /// other nodes, and each of these leaves out one of the same nodes: as close to identical as
    /// can be (\[KP\] section 5).
    Complete,
}

/// The order of destinations, which algorithms without one of their own keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberOrder {
    /// Any, drawn from the seed.
    #[default]
    Random,
    /// By node numbers.
    Ascending,
}
