//! The RON schema of an experiment: every field, its unit and its default.
//!
//! Unknown keys are refused. What a single type cannot say (a header longer than the FIFO, a destination outside
//! the network) is checked by [`validate`](fn@super::validate).

use std::ops::Range;

use serde::{Deserialize, Serialize};

use wormscope_hw::Encoding;

use crate::network::Network;

pub use super::software::*;

/// One experiment: a network, what is sent through it, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The hardware.
    pub network: Network,
    /// The stimulus: any number of sources of messages, side by side.
    #[serde(default)]
    pub workload: Vec<Workload>,
    /// How long to run and what to measure.
    #[serde(default)]
    pub run: Run,
}

/// One source of messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Workload {
    /// Messages at given cycles.
    Messages(Vec<Message>),
    /// A CSV trace (cycle, source, destinations, encoding, payload flits); its path is relative to the config.
    Trace(String),
    /// Random traffic from the seed.
    Traffic(Traffic),
    /// A multicast in software.
    Multicast(Multicast),
    /// Multicasts in software among random nodes.
    Multicasts(Multicasts),
    /// Cycles in which nodes take no flit.
    Stalls(Vec<Stall>),
}

/// One message, sent as one worm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Cycle of creation.
    pub cycle: u64,
    /// Node that sends.
    pub source: u32,
    /// Nodes that receive; for multidestination worms in visiting order, for multiport worms all combinations of their digits.
    pub destinations: Vec<u32>,
    /// Header encoding; may be left out for one destination (unicast).
    #[serde(default)]
    pub encoding: Option<Encoding>,
    /// Payload flits behind the header, at least 1.
    pub payload_flits: u32,
}

/// When a node creates messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Process {
    /// At most one message a cycle, geometric gaps.
    #[default]
    Bernoulli,
    /// Exponential gaps, rounded down to cycles; several messages may fall into one cycle.
    Exponential,
}

/// Whom a node sends to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Pattern {
    /// Any other node alike.
    #[default]
    Uniform,
    /// A share of the messages goes to given nodes, the rest is uniform.
    HotSpot {
        /// The hot nodes.
        nodes: Vec<u32>,
        /// Share of messages, 0..=1, sent to one of them.
        share: f64,
    },
    /// Coordinates reversed: (x, y) to (y, x).
    Transpose,
    /// Address bits reversed.
    BitReversal,
    /// Address bits rotated left by one.
    Shuffle,
    /// Half-way round each dimension.
    Tornado,
    /// One of the directly linked nodes.
    NearestNeighbour,
}

/// Random traffic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Offered load in flits per node and cycle, header flits included.
    pub load: f64,
    /// Gaps between messages of one node.
    #[serde(default)]
    pub process: Process,
    /// Destinations of unicasts.
    #[serde(default)]
    pub pattern: Pattern,
    /// Header encoding.
    #[serde(default)]
    pub encoding: Encoding,
    /// Destinations per message, drawn uniformly without repetition when more than 1; 1 for multiport worms.
    #[serde(default = "one")]
    pub destinations: u32,
    /// Payload flits behind the header.
    pub payload_flits: u32,
}

fn one() -> u32 {
    1
}

/// How a measured run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drain {
    /// Traffic goes on until every measured message has arrived; beyond saturation, where source queues grow steadily through the
    /// measured window, the run ends with the window.
    #[default]
    Measured,
    /// Traffic stops after the measured window; the run ends when the network is empty.
    Empty,
    /// Traffic goes on until every measured message has arrived, beyond saturation as well, where that takes many windows.
    All,
}

/// How long to run and what to measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// Seed of all random streams.
    pub seed: u64,
    /// Cycles before measuring starts; messages created in them are not measured.
    pub warmup_cycles: u64,
    /// Length of the measured window, and of random traffic behind the warm-up. When absent 10,000 cycles under random traffic; without
    /// any, everything behind the warm-up is measured.
    pub measure_cycles: Option<u64>,
    /// How the run ends behind the window.
    pub drain: Drain,
    /// The run stops here at the latest.
    pub max_cycles: u64,
    /// Cycles between searches for a deadlock while something still moves (a silent network is searched at once).
    pub deadlock_check_cycles: u64,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            seed: 1,
            warmup_cycles: 0,
            measure_cycles: None,
            drain: Drain::default(),
            max_cycles: 1_000_000_000_000,
            deadlock_check_cycles: 1024,
        }
    }
}

impl Run {
    /// Cycles whose messages are measured, in a run with or without random traffic; without end, up to the last cycle of 64 bits.
    #[must_use]
    pub fn window(&self, random_traffic: bool) -> Range<u64> {
        let cycles = self.measure_cycles.unwrap_or(if random_traffic { 10_000 } else { u64::MAX });
        self.warmup_cycles..self.warmup_cycles.saturating_add(cycles)
    }
}

impl Experiment {
    /// Cycles whose messages are measured, as [`Run::window`].
    #[must_use]
    pub fn window(&self) -> Range<u64> {
        self.run.window(self.workload.iter().any(|entry| matches!(entry, Workload::Traffic(_))))
    }
}
