//! The entries of a workload: every field, its unit and its default.

use serde::{Deserialize, Serialize};
use wormscope_hw::Encoding;

use super::{Draw, Multicast, Multicasts, Pattern, Settings, Spmd};

/// One source of messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Workload {
    /// Messages at given cycles.
    Messages(Vec<Message>),
    /// A CSV trace (cycle, source, destinations, encoding, payload flits); its path is relative to
    /// the config.
    Trace(String),
    /// Random traffic from the seed.
    Traffic(Traffic),
    /// Programs that compute and send, over and over.
    Spmd(Spmd),
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
    /// Nodes that receive; for multidestination worms in visiting order, for multiport worms all
    /// combinations of their digits.
    pub destinations: Vec<u32>,
    /// Header encoding; may be left out for one destination (unicast).
    #[serde(default)]
    pub encoding: Option<Encoding>,
    /// Class of traffic that it is measured with, beside those of its encoding; any name.
    #[serde(default)]
    pub class: Option<String>,
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

/// Random traffic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Offered load in flits per node and cycle, header flits included; give this or `interval`.
    #[serde(default)]
    pub load: Option<f64>,
    /// Mean cycles from one message of a node to its next, whatever their lengths.
    #[serde(default)]
    pub interval: Option<f64>,
    /// Gaps between messages of one node.
    #[serde(default)]
    pub process: Process,
    /// Group of nodes that send and receive it; all nodes when absent.
    #[serde(default)]
    pub group: Option<String>,
    /// Destinations of unicasts.
    #[serde(default)]
    pub pattern: Pattern,
    /// Class of traffic that its messages are measured with, beside those of their encoding; any
    /// name.
    #[serde(default)]
    pub class: Option<String>,
    /// Header encoding.
    #[serde(default)]
    pub encoding: Encoding,
    /// Destinations per message, 1 to all other nodes, drawn uniformly without repetition when more
    /// than 1; 1 for multiport worms, and where neither this nor `counts` is given.
    #[serde(default)]
    pub destinations: Option<u32>,
    /// Destinations per message where their number is drawn; give this or `destinations`. \[ATBM\]
    /// section 5.3: a mean of half the nodes, a standard deviation of a quarter.
    #[serde(default)]
    pub counts: Option<Draw>,
    /// Payload flits behind the header where their number is drawn; give this or `payload_flits`.
    #[serde(default)]
    pub lengths: Option<Draw>,
    /// Name of the algorithm by which the nodes' software performs each message as a multicast;
    /// when absent the hardware does, with a worm in `encoding`. Either way the messages are the
    /// same, and a load counts the flits of that worm.
    #[serde(default)]
    pub algorithm: Option<String>,
    /// Settings of the algorithm.
    #[serde(default)]
    pub settings: Option<Settings>,
    /// Payload flits behind the header, at least 1.
    #[serde(default)]
    pub payload_flits: Option<u32>,
}

impl Workload {
    /// The file of the trace that it is, if it is one.
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

    /// Whether the nodes' software performs multicasts of it.
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
    /// Destinations of a message.
    #[must_use]
    pub fn count(&self) -> Draw {
        self.counts.unwrap_or(Draw::Exactly(self.destinations.unwrap_or(1)))
    }

    /// Payload flits of a message; of one without a length, which validation refuses, 1.
    #[must_use]
    pub fn length(&self) -> Draw {
        self.lengths.unwrap_or(Draw::Exactly(self.payload_flits.unwrap_or(1)))
    }
}

/// Cycles in which a node takes no flit, a link carries none, or a station of a token ring holds
/// the token up: one of the three.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stall {
    /// The node.
    #[serde(default)]
    pub node: Option<u32>,
    /// The link behind an output of a switch or an injection channel of a node, by its name in
    /// waveforms; of several lanes all, or one.
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
