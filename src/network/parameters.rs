//! The parameters of a network: every field, its unit and its default.

use serde::{Deserialize, Serialize};
use wormscope_hw::{Acquisition, Arbiter, HeaderTiming, LaneChoice, Release, Replication, TokenSpan};

use super::{Clock, End, Routing, Topology};

/// The hardware: topology, routing and the parameters of its blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// The kind of network: which switches it has, and how links join them.
    pub topology: Topology,
    /// How a switch finds the output port for a destination. `None` takes the routing of the
    /// topology.
    #[serde(default)]
    pub routing: Option<Routing>,
    /// Parameters of every switch.
    #[serde(default)]
    pub switch: Switch,
    /// Delays of the links between switches.
    #[serde(default)]
    pub link: Link,
    /// The interface of a node: its software, its buffers and its channels.
    #[serde(default)]
    pub node: Node,
    /// Token rings, which keep tree worms in a multistage network from deadlock (\[ATBM\]). `None`
    /// builds none.
    #[serde(default)]
    pub token_ring: Option<TokenRing>,
    /// Clock period. Only printed times and energies use it; the model counts cycles. `from_depth`
    /// computes it from the levels of logic and the longest link, with the delays of `--energy`, or
    /// of 45nm. `None` takes 1 ns, or the computed period if `--energy` has delays.
    #[serde(default)]
    pub clock_ns: Option<Clock>,
    /// Most memory for the table of the nodes that each port reaches, which bit-strings and masks
    /// need. wormscope refuses them if the table is larger, and names the size.
    #[serde(default = "default_reach_limit_mib")]
    pub reach_limit_mib: u32,
}

impl Network {
    /// A network of a topology, with every other field at its default.
    #[must_use]
    pub fn new(topology: Topology) -> Self {
        Self {
            topology,
            routing: None,
            switch: Switch::default(),
            link: Link::default(),
            node: Node::default(),
            token_ring: None,
            clock_ns: None,
            reach_limit_mib: default_reach_limit_mib(),
        }
    }

    /// Clock period in ns; `None` if it follows from the depth of logic.
    #[must_use]
    pub fn given_clock_ns(&self) -> Option<f64> {
        match self.clock_ns {
            Some(Clock::Ns(ns)) => Some(ns),
            Some(Clock::FromDepth) => None,
            None => Some(Clock::DEFAULT_NS),
        }
    }

    /// Virtual channels of each injection and each consumption link.
    #[must_use]
    pub fn node_channels(&self) -> u32 {
        self.node.virtual_channels.unwrap_or(self.switch.virtual_channels)
    }

    /// Flits that the FIFO of an input lane from a node holds.
    #[must_use]
    pub fn injection_depth(&self) -> u32 {
        self.node.injection_depth.unwrap_or(self.switch.fifo_depth)
    }

    /// Flits of the FIFO behind a lane to a node, which are its credits.
    #[must_use]
    pub fn consumption_depth(&self) -> u32 {
        self.node.consumption_depth.unwrap_or(self.switch.fifo_depth)
    }

    /// Flits that the FIFO of an input lane holds, by the end that it comes from.
    #[must_use]
    pub fn depth_from(&self, end: Option<End>) -> u32 {
        if matches!(end, Some(End::Node(_))) { self.injection_depth() } else { self.switch.fifo_depth }
    }

    /// Flits of the FIFO at the end of an output lane.
    #[must_use]
    pub fn depth_to(&self, end: Option<End>) -> u32 {
        if matches!(end, Some(End::Node(_))) { self.consumption_depth() } else { self.switch.fifo_depth }
    }

    /// The shallowest FIFO of an input lane, in flits, and the path of its field.
    #[must_use]
    pub fn shallowest_fifo(&self) -> (u32, &'static str) {
        match self.node.injection_depth {
            Some(depth) if depth < self.switch.fifo_depth => (depth, "network.node.injection_depth"),
            _ => (self.switch.fifo_depth, "network.switch.fifo_depth"),
        }
    }

    /// The deepest FIFO of an input lane, in flits, and the name of its field.
    #[must_use]
    pub fn deepest_fifo(&self) -> (u32, &'static str) {
        match self.node.injection_depth {
            Some(depth) if depth > self.switch.fifo_depth => (depth, "injection_depth"),
            _ => (self.switch.fifo_depth, "fifo_depth"),
        }
    }

    /// Lanes into a switch from a node: the virtual channels of all its injection links.
    #[must_use]
    pub fn injection_lanes(&self) -> u32 {
        self.node.injection_channels.saturating_mul(self.node_channels())
    }

    /// Lanes out of a switch to a node: the virtual channels of all its consumption links.
    #[must_use]
    pub fn consumption_lanes(&self) -> u32 {
        self.node.consumption_channels.saturating_mul(self.node_channels())
    }
}

fn default_reach_limit_mib() -> u32 {
    512
}

/// Parameters of every switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Switch {
    /// Width of a flit.
    pub flit_bits: u32,
    /// Flits that the FIFO of each input lane holds. `injection_depth` of the nodes may give the
    /// lanes from nodes another depth.
    pub fifo_depth: u32,
    /// Virtual channels of each physical link between switches, over all classes.
    pub virtual_channels: u32,
    /// Parallel physical links between two neighbours.
    pub dilation: u32,
    /// When the switch starts to decode a header.
    pub header_timing: HeaderTiming,
    /// How a switch copies a worm to several branches.
    pub replication: Replication,
    /// Whether a multicast may go to its own source. The router of the source then returns a copy.
    pub copy_to_source: bool,
    /// How a worm with several branches gets its lanes.
    pub acquisition: Acquisition,
    /// How a switch chooses one of several inputs that ask for the same lane.
    pub arbiter: Arbiter,
    /// Which free lane of a lane group a worm gets.
    pub lane_choice: LaneChoice,
    /// Order in which arbiters count the input ports, by name. `None` takes the order of the port
    /// numbers.
    pub port_order: Option<Vec<String>>,
    /// Cycles of the routing decision. With 0, it happens in the cycle in which the flits that it
    /// needs are there.
    pub routing_cycles: u32,
    /// With 0, a granted head crosses in the cycle of the grant. With 1, it crosses in the next
    /// cycle.
    pub allocation_cycles: u32,
    /// Register stages of the crossbar. With 0, it is combinational.
    pub crossbar_cycles: u32,
}

impl Default for Switch {
    fn default() -> Self {
        Self {
            flit_bits: 64,
            fifo_depth: 4,
            virtual_channels: 1,
            dilation: 1,
            header_timing: HeaderTiming::default(),
            replication: Replication::default(),
            copy_to_source: false,
            acquisition: Acquisition::default(),
            arbiter: Arbiter::default(),
            lane_choice: LaneChoice::default(),
            port_order: None,
            routing_cycles: 1,
            allocation_cycles: 0,
            crossbar_cycles: 0,
        }
    }
}

/// Delays of one kind of link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Link {
    /// Cycles from the crossing of a flit to the next FIFO, without the stages of the crossbar.
    pub link_cycles: u32,
    /// Cycles from the cycle in which a flit leaves a FIFO until the sender can use the credit.
    pub credit_cycles: u32,
}

impl Default for Link {
    fn default() -> Self {
        Self { link_cycles: 1, credit_cycles: 1 }
    }
}

/// Node interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Node {
    /// Processor cycles of each send, before the worm queues for the injection channel. It is the
    /// model without `costs`.
    pub startup_cycles: u32,
    /// Sends that a node works on at a time (alpha). Each uses an injection channel of its own.
    pub ports: u32,
    /// Costs of the software, in place of `startup_cycles`.
    pub costs: Option<Costs>,
    /// Bytes of payload that the send buffer can store. `None` sets no limit.
    pub send_buffer: Option<u32>,
    /// Bytes of payload that the receive buffer of each virtual channel of a consumption link can
    /// store. `None` sets no limit.
    pub receive_buffer: Option<u32>,
    /// Virtual channels of each injection and each consumption link. `None` takes
    /// `virtual_channels` of the switches.
    pub virtual_channels: Option<u32>,
    /// Injection channels: parallel links from a node into its switch.
    pub injection_channels: u32,
    /// Flits that the FIFO of each virtual channel of an injection link holds. `None` takes
    /// `fifo_depth` of the switches.
    pub injection_depth: Option<u32>,
    /// Delays of the injection links.
    pub injection_link: Link,
    /// Consumption channels: parallel links from a switch to its node.
    pub consumption_channels: u32,
    /// Credits of each virtual channel of a consumption link. `None` takes `fifo_depth` of the
    /// switches.
    pub consumption_depth: Option<u32>,
    /// Delays of the consumption links.
    pub consumption_link: Link,
}

impl Default for Node {
    fn default() -> Self {
        Self {
            startup_cycles: 0,
            ports: 1,
            costs: None,
            send_buffer: None,
            receive_buffer: None,
            virtual_channels: None,
            injection_channels: 1,
            injection_depth: None,
            injection_link: Link::default(),
            consumption_channels: 1,
            consumption_depth: None,
            consumption_link: Link::default(),
        }
    }
}

impl Node {
    /// Whether messages go through a model of the node's software and buffers.
    #[must_use]
    pub fn has_software(&self) -> bool {
        self.costs.is_some() || self.send_buffer.is_some() || self.receive_buffer.is_some()
    }
}

/// Token rings: of each group of switches, one at a time copies a worm (\[ATBM\] section 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TokenRing {
    /// Cycles of the token from a switch to the next one of its ring.
    pub hop_cycles: u32,
    /// When a worm releases the token.
    pub release: Release,
    /// Number of flits after which a worm releases the token, in place of the number that the hops
    /// ahead can hold. With fewer flits than that, worms may deadlock.
    pub release_flits: Option<u32>,
    /// Switches that share a token. With fewer switches than a group, worms may deadlock.
    pub span: TokenSpan,
}

impl TokenRing {
    /// Whether tokens are shared and released as \[ATBM\] proves it free of deadlock.
    #[must_use]
    pub fn is_published(&self) -> bool {
        self.release_flits.is_none() && self.span == TokenSpan::Group
    }
}

impl Default for TokenRing {
    fn default() -> Self {
        Self { hop_cycles: 1, release: Release::default(), release_flits: None, span: TokenSpan::default() }
    }
}

/// A cost in cycles that grows with the length of the message in bytes, m: `fixed + per_byte * m`,
/// rounded to whole cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cost {
    /// Cycles of every message, for all lengths.
    pub fixed: f64,
    /// Cycles for each byte of the message.
    pub per_byte: f64,
}

/// Cost of a message for its nodes: the parameterised model (\[NUPAIROJ\] sections 2.2 and 6.1.2).
/// The hardware decides the cost per byte in the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Costs {
    /// `t_hold`: how long a send keeps the processor.
    pub hold: Cost,
    /// `t_send`: from the call of a send until the message is in the send buffer.
    pub send: Cost,
    /// `t_ns`: from the send buffer until the head is in the injection channel.
    pub network: f64,
    /// `t_recv`: how long a message keeps the processor of its receiver.
    pub receive: Cost,
    /// `t_int`: from one send to the next through another port, where `ports` is above 1.
    pub inter: Cost,
}
