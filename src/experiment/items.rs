//! The entries of a workload: every field, its unit and its default.

use serde::{Deserialize, Serialize};
use wormscope_hw::Encoding;

use crate::network::Network;

use super::{Draw, Multicast, Multicasts, Pattern, Settings, Spmd};

/// One source of messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Workload {
    /// Messages at given cycles.
    Messages(Vec<Message>),
    /// A trace as a CSV file: cycle, source, destinations, encoding, payload flits. Its path is
    /// relative to the configuration.
    Trace(String),
    /// Random traffic, drawn from the seed.
    Traffic(Traffic),
    /// Programs that compute and send repeatedly.
    Spmd(Spmd),
    /// A multicast in software.
    Multicast(Multicast),
    /// Multicasts in software among random nodes.
    Multicasts(Multicasts),
    /// Cycles in which a node takes no flit, a link carries none, a station holds the token, or an
    /// arbiter puts an input first.
    Stalls(Vec<Stall>),
}

/// One message, sent as one worm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Cycle in which the message is created.
    pub cycle: u64,
    /// Node that sends.
    pub source: u32,
    /// Nodes that receive. A multidestination worm visits them in this order; a multiport worm
    /// needs all combinations of their digits.
    pub destinations: Vec<u32>,
    /// Encoding of the header. With one destination, `None` is `unicast`.
    #[serde(default)]
    pub encoding: Option<Encoding>,
    /// Name of a class that the run measures separately, in addition to the class of the encoding.
    #[serde(default)]
    pub class: Option<String>,
    /// Payload flits after the header.
    pub payload_flits: u32,
}

/// When a node creates messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Process {
    /// At most one message in a cycle; the gaps are geometric.
    #[default]
    Bernoulli,
    /// Exponential gaps, rounded down to cycles. Several messages may fall into one cycle.
    Exponential,
    /// Bursts: a node creates messages with exponential gaps while it is on, and none while it is
    /// off. Both periods are exponential. The load is the mean over both.
    OnOff {
        /// Mean length of a period with messages.
        on: f64,
        /// Mean length of a period without messages.
        off: f64,
    },
    /// The same bursts, with periods of a Pareto distribution. The traffic of many such nodes is
    /// self-similar with a shape below 2.
    Pareto {
        /// Mean length of a period with messages.
        on: f64,
        /// Mean length of a period without messages.
        off: f64,
        /// Shape of the distribution of both periods. A small shape gives some very long periods.
        shape: f64,
    },
    /// Equal gaps without chance. The nodes take turns by their coordinate in a dimension. Nodes
    /// with coordinate c of k send c / k of a gap after those with coordinate 0.
    Steps {
        /// Dimension of the coordinate.
        dimension: u32,
    },
}

impl Process {
    /// Mean lengths of the periods with and without messages, and the shape of their Pareto
    /// distribution. `None` without bursts.
    #[must_use]
    pub fn bursts(self) -> Option<(f64, f64, Option<f64>)> {
        match self {
            Self::OnOff { on, off } => Some((on, off, None)),
            Self::Pareto { on, off, shape } => Some((on, off, Some(shape))),
            Self::Bernoulli | Self::Exponential | Self::Steps { .. } => None,
        }
    }
}

/// Random traffic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Offered load, header flits included. Give either this field or `interval`.
    #[serde(default)]
    pub load: Option<f64>,
    /// Mean gap between two messages of a node, for all lengths.
    #[serde(default)]
    pub interval: Option<f64>,
    /// How the gaps between the messages of a node are drawn.
    #[serde(default)]
    pub process: Process,
    /// First cycle in which messages are created. `None` is cycle 0.
    #[serde(default)]
    pub from: Option<u64>,
    /// First cycle in which no more messages are created. `None` has no end.
    #[serde(default)]
    pub until: Option<u64>,
    /// Group whose nodes send and receive. `None` takes all nodes.
    #[serde(default)]
    pub group: Option<String>,
    /// How a message gets its destination, or its set of destinations.
    #[serde(default)]
    pub pattern: Pattern,
    /// Name of a class that the run measures separately, in addition to the class of the encoding.
    #[serde(default)]
    pub class: Option<String>,
    /// Encoding of the header.
    #[serde(default)]
    pub encoding: Encoding,
    /// Destinations of each message, drawn without repetition. `None` is 1 without `counts`.
    /// Multiport worms take 1.
    #[serde(default)]
    pub destinations: Option<u32>,
    /// Distribution of the number of destinations, in place of `destinations`.
    #[serde(default)]
    pub counts: Option<Draw>,
    /// Distribution of the number of payload flits, in place of `payload_flits`.
    #[serde(default)]
    pub lengths: Option<Draw>,
    /// Algorithm by which the software of the nodes performs each message. `None` sends a worm in
    /// `encoding`. A load counts the flits of that worm in both cases.
    #[serde(default)]
    pub algorithm: Option<String>,
    /// Settings of `algorithm`.
    #[serde(default)]
    pub settings: Option<Settings>,
    /// Payload flits after the header. Give either this field or `lengths`.
    #[serde(default)]
    pub payload_flits: Option<u32>,
}

impl Workload {
    /// The file of the trace, if it is one.
    #[must_use]
    pub fn trace(&self) -> Option<&str> {
        match self {
            Self::Trace(name) => Some(name),
            Self::Messages(_)
            | Self::Traffic(_)
            | Self::Spmd(_)
            | Self::Multicast(_)
            | Self::Multicasts(_)
            | Self::Stalls(_) => None,
        }
    }

    /// Whether the software of the nodes performs its multicasts.
    #[must_use]
    pub fn is_software(&self) -> bool {
        match self {
            Self::Multicast(_) | Self::Multicasts(_) => true,
            Self::Traffic(traffic) => traffic.algorithm.is_some(),
            Self::Messages(_) | Self::Trace(_) | Self::Spmd(_) | Self::Stalls(_) => false,
        }
    }
}

impl Traffic {
    /// Distribution of the number of destinations of a message.
    #[must_use]
    pub fn count(&self) -> Draw {
        self.counts.unwrap_or(Draw::Exactly(self.destinations.unwrap_or(1)))
    }

    /// Largest number of destinations of a message in a network.
    #[must_use]
    pub fn most_destinations(&self, network: &Network) -> u32 {
        if !self.pattern.is_set() {
            return self.count().most();
        }
        self.pattern.most(&network.radices()) + u32::from(self.goes_to_source(network))
    }

    /// Whether the sets of its pattern have the source, which gets a copy.
    #[must_use]
    pub fn goes_to_source(&self, network: &Network) -> bool {
        network.switch.copy_to_source
            && self.encoding.header().looks_up_reach()
            && self.algorithm.is_none()
            && self.pattern.is_block()
    }

    /// Distribution of the payload flits of a message. It is 1 without a length, which validation
    /// refuses.
    #[must_use]
    pub fn length(&self) -> Draw {
        self.lengths.unwrap_or(Draw::Exactly(self.payload_flits.unwrap_or(1)))
    }
}

/// Cycles in which a part of the network does not work as usual. A node takes no flit, a link
/// carries none, a station of a token ring holds the token, or an arbiter puts an input first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stall {
    /// Node that takes no flit. Give this field, `link`, `station` or `arbiter`.
    #[serde(default)]
    pub node: Option<u32>,
    /// Link that carries no flit, by its waveform name: an output of a switch, or an injection
    /// channel. The name means all its lanes, or one.
    #[serde(default)]
    pub link: Option<String>,
    /// Switch whose station keeps the token, by its waveform name.
    #[serde(default)]
    pub station: Option<String>,
    /// Arbiter that puts the input `first` first: an output lane, by its waveform name. A switch,
    /// by its name, means its station, or with atomic acquisition its allocator.
    #[serde(default)]
    pub arbiter: Option<String>,
    /// Input lane of the switch that `arbiter` puts first, as in `in2`.
    #[serde(default)]
    pub first: Option<String>,
    /// First cycle of the stall.
    pub from: u64,
    /// First cycle after the stall.
    pub until: u64,
}
