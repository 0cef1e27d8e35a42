//! Lanes of a switch: numbers, ports, names.

use wormscope_hw::PortId;

use crate::config::Network;
use crate::topology::Wiring;

/// How the lanes of every switch are numbered: port-major, the node's port last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Ports of every switch.
    pub ports: u8,
    /// Lanes of a port towards another switch.
    pub link: u8,
    /// Injection channels of a node.
    pub inject: u8,
    /// Consumption channels of a node.
    pub consume: u8,
}

impl Lanes {
    /// The lanes of a network.
    #[must_use]
    pub fn new(network: &Network, wiring: &Wiring) -> Self {
        Self {
            ports: wiring.ports(),
            link: (network.switch.dilation * network.switch.virtual_channels) as u8,
            inject: network.node.injection_channels as u8,
            consume: network.node.consumption_channels as u8,
        }
    }

    /// The node's port.
    #[must_use]
    pub fn node_port(self) -> PortId {
        PortId(self.ports - 1)
    }

    /// Input lanes of a switch.
    #[must_use]
    pub fn inputs(self) -> u32 {
        u32::from(self.first(self.node_port())) + u32::from(self.inject)
    }

    /// Output lanes of a switch.
    #[must_use]
    pub fn outputs(self) -> u32 {
        u32::from(self.first(self.node_port())) + u32::from(self.consume)
    }

    /// First lane of a port, inputs and outputs alike.
    #[must_use]
    pub fn first(self, port: PortId) -> u8 {
        port.0 * self.link
    }

    /// Input lanes of a port.
    #[must_use]
    pub fn inputs_of(self, port: PortId) -> u8 {
        if port == self.node_port() { self.inject } else { self.link }
    }

    /// Output lanes of a port.
    #[must_use]
    pub fn outputs_of(self, port: PortId) -> u8 {
        if port == self.node_port() { self.consume } else { self.link }
    }

    /// Port and number within it of a lane, inputs and outputs alike.
    #[must_use]
    pub fn port(self, lane: u8) -> (PortId, u8) {
        let port = PortId((lane / self.link.max(1)).min(self.ports - 1));
        (port, lane - self.first(port))
    }

    /// `in<p>[.v<v>]`.
    #[must_use]
    pub fn input_name(self, lane: u8) -> String {
        let (port, v) = self.port(lane);
        if self.inputs_of(port) > 1 { format!("in{port}.v{v}") } else { format!("in{port}") }
    }

    /// `out<p>[.l<l>]`.
    #[must_use]
    pub fn output_name(self, lane: u8) -> String {
        let (port, l) = self.port(lane);
        if self.outputs_of(port) > 1 { format!("out{port}.l{l}") } else { format!("out{port}") }
    }

    /// Name of an injection channel, `inj[<c>]`.
    #[must_use]
    pub fn inject_name(self, channel: u8) -> String {
        if self.inject > 1 { format!("inj{channel}") } else { "inj".to_owned() }
    }

    /// Name of a consumption channel, `ej[<c>]`.
    #[must_use]
    pub fn eject_name(self, channel: u8) -> String {
        if self.consume > 1 { format!("ej{channel}") } else { "ej".to_owned() }
    }
}
