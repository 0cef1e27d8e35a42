//! Channels of a network: the lanes of a port in one class of virtual channels, with the FIFOs at
//! their end.

use wormscope_hw::{NodeId, PortId, SwitchId};

use crate::network::channel::Channel;
use crate::network::{End, Network, Wiring};
use crate::site::Site;

/// Number of a channel: the outputs of all switches by port and class, and then the injection
/// channel of each node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaneChannel(pub u32);

/// Place of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Output port of a switch, and class of virtual channels.
    Output(SwitchId, PortId, u8),
    /// Injection channel of a node.
    Injection(NodeId),
}

/// All channels of a network.
pub struct Channels<'a> {
    pub(super) site: &'a Site,
    ports: u32,
    classes: u32,
    outputs: u32,
}

impl<'a> Channels<'a> {
    /// The channels of a network. `None` if they are too many for the search.
    pub(super) fn of(site: &'a Site) -> Option<Self> {
        let (network, wiring) = (site.built().network(), site.wiring());
        let (ports, classes) = (u32::from(wiring.ports()), network.classes());
        let outputs = wiring.switches().checked_mul(ports)?.checked_mul(classes)?;
        outputs.checked_add(wiring.nodes()).filter(|&count| count < u32::MAX / 2)?;
        Some(Self { site, ports, classes, outputs })
    }

    /// Number of all channels.
    pub(super) fn count(&self) -> usize {
        (self.outputs + self.wiring().nodes()) as usize
    }

    pub(super) fn network(&self) -> &Network {
        self.site.built().network()
    }

    pub(super) fn wiring(&self) -> &Wiring {
        self.site.wiring()
    }

    pub(super) fn output(&self, switch: SwitchId, port: PortId, class: u8) -> LaneChannel {
        LaneChannel((switch.0 * self.ports + u32::from(port.0)) * self.classes + u32::from(class))
    }

    pub(super) fn injection(&self, node: NodeId) -> LaneChannel {
        LaneChannel(self.outputs + node.0)
    }

    /// Place of a channel.
    pub(super) fn at(&self, LaneChannel(number): LaneChannel) -> At {
        if number >= self.outputs {
            return At::Injection(NodeId(number - self.outputs));
        }
        let (port, class) = (number / self.classes, number % self.classes);
        At::Output(SwitchId(port / self.ports), PortId((port % self.ports) as u8), class as u8)
    }

    /// Number of the switch that a channel leads to.
    pub(super) fn switch(&self, channel: LaneChannel) -> Option<u32> {
        match self.at(channel) {
            At::Injection(node) => Some(self.wiring().injection(node).0.0),
            At::Output(switch, port, _) => match self.wiring().output(switch, port)? {
                End::Switch(far, _) => Some(far.0),
                End::Node(_) => None,
            },
        }
    }

    /// Number of lanes of a channel, each with its own FIFO.
    pub(super) fn lanes(&self, channel: LaneChannel) -> u32 {
        let network = self.network();
        match self.at(channel) {
            At::Injection(_) => network.injection_lanes(),
            At::Output(switch, port, _) => match self.wiring().output(switch, port) {
                Some(End::Node(_)) => network.consumption_lanes(),
                Some(End::Switch(..)) => network.switch.dilation * network.switch.virtual_channels / self.classes,
                None => 0,
            },
        }
    }

    /// The channels of which routing may take any where it names this channel.
    pub(super) fn group(&self, channel: LaneChannel) -> Vec<LaneChannel> {
        let At::Output(switch, port, class) = self.at(channel) else { return vec![channel] };
        let Some(climb) = self.wiring().climb(port) else { return vec![channel] };
        let ports = climb.ports.iter().map(PortId).filter(|&port| self.wiring().output(switch, port).is_some());
        ports.map(|port| self.output(switch, port, class)).collect()
    }

    /// The lanes of a channel, of all ports among which routing chooses if `of_group`.
    pub(super) fn lanes_of(&self, channel: LaneChannel, of_group: bool) -> Vec<Channel> {
        let (network, wiring) = (self.network(), self.wiring());
        let lanes = network.lanes(wiring);
        match self.at(channel) {
            At::Injection(node) => (0..lanes.inject).map(|lane| Channel::Injection(node, lane)).collect(),
            At::Output(switch, port, class) => {
                let group = u32::from(wiring.group(port).0) * self.classes + u32::from(class);
                let all = network.lane_groups(wiring, lanes)[group as usize];
                let is_here = |&lane: &u8| of_group || lanes.outputs.port(lane) == port.0;
                let exists = |lane: &u8| lanes.has_output(wiring, switch, *lane);
                all.iter().filter(is_here).filter(exists).map(|lane| Channel::Output(switch, lane)).collect()
            }
        }
    }

    /// Number of lanes of a group.
    pub(super) fn lanes_of_group(&self, channel: LaneChannel) -> u32 {
        self.group(channel).into_iter().map(|channel| self.lanes(channel)).sum()
    }

    /// Whether a channel leads to a node.
    pub(super) fn is_consumption(&self, channel: LaneChannel) -> bool {
        match self.at(channel) {
            At::Output(switch, port, _) => matches!(self.wiring().output(switch, port), Some(End::Node(_))),
            At::Injection(_) => false,
        }
    }

    /// Name of a channel: the waveform name of its port, with the class if there are several.
    pub(super) fn name(&self, channel: LaneChannel) -> String {
        match self.at(channel) {
            At::Injection(node) => format!("node{node}.inj"),
            At::Output(switch, port, class) => {
                let name = format!("{}.out{port}", self.wiring().switch_name(switch));
                match self.wiring().output(switch, port) {
                    Some(End::Node(node)) => format!("{name} (to node {node})"),
                    _ if self.classes > 1 => format!("{name} (class {class})"),
                    _ => name,
                }
            }
        }
    }
}
