//! The parameters of a network: every field, its unit and its default.

use serde::{Deserialize, Serialize};
use wormscope_hw::{Acquisition, Arbiter, HeaderTiming, LaneChoice, Release, Replication};

use super::{Routing, Topology};

/// The hardware: topology, routing and the parameters of its blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Which switches exist and how they are wired.
    pub topology: Topology,
    /// How a header's destination becomes an output port; the topology's own way when absent.
    #[serde(default)]
    pub routing: Option<Routing>,
    /// Parameters of every switch.
    #[serde(default)]
    pub switch: Switch,
    /// Delays of the links between switches.
    #[serde(default)]
    pub link: Link,
    /// Node interface.
    #[serde(default)]
    pub node: Node,
    /// Token rings that keep tree multicasts of a multistage network from deadlocking (\[ATBM\]);
    /// none when absent.
    #[serde(default)]
    pub token_ring: Option<TokenRing>,
    /// Clock period in ns, to print times; the model counts cycles.
    #[serde(default = "default_clock_ns")]
    pub clock_ns: f64,
    /// Largest table of reachability bits that bit-string worms may build, in MiB.
    #[serde(default = "default_reach_limit_mib")]
    pub reach_limit_mib: u32,
}

impl Network {
    /// A topology with every other field at its default.
    #[must_use]
    pub fn new(topology: Topology) -> Self {
        Self {
            topology,
            routing: None,
            switch: Switch::default(),
            link: Link::default(),
            node: Node::default(),
            token_ring: None,
            clock_ns: default_clock_ns(),
            reach_limit_mib: default_reach_limit_mib(),
        }
    }

    /// Virtual channels of each injection and each consumption link.
    #[must_use]
    pub fn node_channels(&self) -> u32 {
        self.node.virtual_channels.unwrap_or(self.switch.virtual_channels)
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

fn default_clock_ns() -> f64 {
    1.0
}

fn default_reach_limit_mib() -> u32 {
    512
}

/// Parameters of every switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Switch {
    /// Width of a flit in bits, 8..=1024.
    pub flit_bits: u32,
    /// Flits in each input FIFO (per virtual channel), 1..=65535.
    pub fifo_depth: u32,
    /// Virtual channels of each physical link between switches, over all classes.
    pub virtual_channels: u32,
    /// Parallel physical links between neighbouring switches.
    pub dilation: u32,
    /// When decoding starts.
    pub header_timing: HeaderTiming,
    /// Replication mode.
    pub replication: Replication,
    /// Acquisition of lanes.
    pub acquisition: Acquisition,
    /// Arbitration of lanes.
    pub arbiter: Arbiter,
    /// Which of the free lanes of a group a worm gets: of the channels and parallel links to a
    /// neighbour, of the links up in a bidirectional multistage network, of the consumption
    /// channels.
    pub lane_choice: LaneChoice,
    /// Ports in the order in which arbiters count their input lanes, as
    /// [`port_names`](super::lanes::port_names) names them; as they are numbered when absent.
    pub port_order: Option<Vec<String>>,
    /// Cycles of the routing decision; 0 = in the cycle in which the needed flits are there.
    pub routing_cycles: u32,
    /// 0 = a granted head crosses in the cycle of the grant; 1 = in the next.
    pub allocation_cycles: u32,
    /// Register stages of the crossbar; 0 = combinational.
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
    /// Cycles from crossing to the next FIFO (without the crossbar's), 1..=64.
    pub link_cycles: u32,
    /// Cycles from a flit leaving a FIFO to its credit being usable by the sender, 1..=64.
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
    /// Processor cycles per send before the worm queues for the injection channel: the simple
    /// model, without `costs`.
    pub startup_cycles: u32,
    /// Sends a node works on at a time, each through an injection channel of its own (alpha),
    /// 1..=`injection_channels`.
    pub ports: u32,
    /// Software costs, in place of `startup_cycles`.
    pub costs: Option<Costs>,
    /// Send buffer in bytes of payload; unbounded when absent.
    pub send_buffer: Option<u32>,
    /// Receive buffer after each virtual channel of a consumption link in bytes of payload;
    /// unbounded when absent.
    pub receive_buffer: Option<u32>,
    /// Virtual channels of each injection and each consumption link; the switches'
    /// `virtual_channels` when absent.
    pub virtual_channels: Option<u32>,
    /// Injection channels: parallel links into the router's node port.
    pub injection_channels: u32,
    /// Delays of the injection links.
    pub injection_link: Link,
    /// Consumption channels: parallel links out of the router's node port.
    pub consumption_channels: u32,
    /// Credits of each virtual channel of a consumption link, in flits; the switches' `fifo_depth`
    /// when absent.
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
    /// Cycles from a switch to the next of its ring, 1..=1024.
    pub hop_cycles: u32,
    /// When a worm releases the token.
    pub release: Release,
}

impl Default for TokenRing {
    fn default() -> Self {
        Self { hop_cycles: 1, release: Release::default() }
    }
}

/// A cost in cycles that grows with the length of the message in bytes, m: `fixed + per_byte * m`,
/// rounded to whole cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cost {
    /// Cycles whatever the length.
    pub fixed: f64,
    /// Cycles for each byte.
    pub per_byte: f64,
}

/// What a message costs its nodes: the parameterised model (\[NUPAIROJ\] sections 2.2 and 6.1.2).
/// What it costs per byte in the network is the hardware's affair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Costs {
    /// `t_hold`: a send keeps the processor so long.
    pub hold: Cost,
    /// `t_send`: from the call of a send until the message is in the send buffer.
    pub send: Cost,
    /// `t_ns`: cycles from taking a message out of the send buffer to its head in the injection
    /// channel.
    pub network: f64,
    /// `t_recv`: processor time to receive a message.
    pub receive: Cost,
    /// `t_int`: from one send to the next of a burst through different ports (`ports` above 1).
    pub inter: Cost,
}
