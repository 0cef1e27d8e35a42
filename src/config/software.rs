//! Schema of what nodes do in software: costs, multicasts planned by name; and of what a testbench does to them.

use serde::{Deserialize, Serialize};

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
    /// The costs as those of `LogP`, in place of `hold` and `end`.
    pub log_p: Option<LogP>,
    /// The costs as lambda of the postal model, in place of `hold` and `end`.
    pub postal: Option<f64>,
    /// Nodes in a block (block-binomial).
    pub block: Option<u32>,
    /// Levels of leaders (HL, SQHL, SCHL).
    pub levels: Option<LeaderLevels>,
    /// Base-2 logarithm of the flits a link carries beside each other without contention (\[SEIDEL\]).
    pub nu: Option<u32>,
}

/// Parameters of the `LogP` model in cycles: `t_hold` is the gap, `t_end` the latency and an overhead at either side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogP {
    /// L, of the network.
    pub latency: f64,
    /// o, of a processor at either side.
    pub overhead: f64,
    /// g, least time between two sends.
    pub gap: f64,
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

/// Cycles in which a node takes no flit, a link carries none, or a station of a token ring holds the token up: one of the three.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stall {
    /// The node.
    #[serde(default)]
    pub node: Option<u32>,
    /// The link behind an output of a switch or an injection channel of a node, by its name in waveforms; of several lanes all, or one.
    #[serde(default)]
    pub link: Option<String>,
    /// The switch of the station, by its name in waveforms.
    #[serde(default)]
    pub station: Option<String>,
    /// First cycle.
    pub from: u64,
    /// First cycle behind it.
    pub until: u64,
}
