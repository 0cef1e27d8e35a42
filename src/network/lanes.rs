//! Lanes of a switch: numbers, ports, names.

use wormscope_hw::{LaneMask, PortId, SwitchId};

use super::{End, Network, Wiring};

/// Numbers of the lanes of one side, inputs or outputs, port by port. All ports of a section have
/// equally many lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    ports: [u8; 2],
    lanes: [u8; 2],
}

impl Side {
    /// Number of lanes of the side.
    #[must_use]
    pub const fn count(self) -> u8 {
        self.ports[0] * self.lanes[0] + self.ports[1] * self.lanes[1]
    }

    /// First lane of a port.
    #[must_use]
    #[inline(always)]
    pub const fn first(self, port: u8) -> u8 {
        if port <= self.ports[0] {
            port * self.lanes[0]
        } else {
            self.ports[0] * self.lanes[0] + (port - self.ports[0]) * self.lanes[1]
        }
    }

    /// Largest number of lanes that a port has at any switch.
    #[must_use]
    pub const fn of(self, port: u8) -> u8 {
        self.lanes[(port >= self.ports[0]) as usize]
    }

    /// Port of a lane.
    #[must_use]
    #[inline(always)]
    pub const fn port(self, lane: u8) -> u8 {
        let end = self.ports[0] * self.lanes[0];
        if lane < end { lane / self.lanes[0] } else { self.ports[0] + (lane - end) / self.lanes[1] }
    }

    /// Number of a lane within its port.
    #[must_use]
    pub const fn within(self, lane: u8) -> u8 {
        lane - self.first(self.port(lane))
    }

    /// `<prefix><port>`, followed by `.<letter><number>` if a port has several lanes at some
    /// switch.
    fn name(self, lane: u8, prefix: &str, letter: char) -> String {
        let port = self.port(lane);
        if self.of(port) > 1 {
            format!("{prefix}{port}.{letter}{}", self.within(lane))
        } else {
            format!("{prefix}{port}")
        }
    }
}

/// Numbers of the lanes of every switch.
///
/// In a multistage network a port may lead to nodes at some switches and to switches at others. It
/// then has enough lanes for either at every switch. Lanes that do not exist at a switch are never
/// free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Number of ports of every switch.
    pub ports: u8,
    /// Input lanes.
    pub inputs: Side,
    /// Output lanes.
    pub outputs: Side,
    /// Number of lanes of a port towards another switch.
    pub link: u8,
    /// Number of lanes into a switch from a node, link-major, like the lanes of a link.
    pub inject: u8,
    /// Number of lanes out of a switch to a node, link-major.
    pub consume: u8,
}

/// Names of the ports of a switch, in the order of their numbers. In grids of up to three
/// dimensions these are the directions of the neighbours, and `node`. In other networks they are
/// the names in waveforms.
#[must_use]
pub fn port_names(network: &Network) -> Vec<String> {
    const DIRECTIONS: [&str; 6] = ["east", "west", "north", "south", "up", "down"];
    let links = 2 * network.radices().len();
    match DIRECTIONS.get(..links) {
        Some(directions) if links > 0 => directions.iter().chain([&"node"]).map(|&name| name.to_owned()).collect(),
        _ => (0..network.ports()).map(|port| format!("in{port}")).collect(),
    }
}

impl Network {
    /// Flits that the FIFO of each input lane holds, switch-major.
    pub fn input_depths(&self, wiring: &Wiring) -> impl Iterator<Item = u32> {
        let inputs = self.lanes(wiring).inputs;
        let ports = move |switch| (0..inputs.count()).map(move |lane| (switch, PortId(inputs.port(lane))));
        let all = (0..wiring.switches()).map(SwitchId).flat_map(ports);
        all.map(|(switch, port)| self.depth_from(wiring.input(switch, port)))
    }

    /// The input lanes of a switch in the order in which its arbiters count them.
    #[must_use]
    pub fn input_order(&self, lanes: Lanes) -> Vec<u8> {
        let names = port_names(self);
        let ports = self.switch.port_order.as_ref().unwrap_or(&names);
        let place = |port: u8| ports.iter().position(|name| *name == names[usize::from(port)]);
        let mut order: Vec<u8> = (0..lanes.inputs.count()).collect();
        order.sort_by_key(|&lane| place(lanes.inputs.port(lane)));
        order
    }
}

impl Network {
    /// The output lanes of each lane group of a switch. A group has the lanes of a port or of a
    /// climb, in one class of channels.
    #[must_use]
    pub fn lane_groups(&self, wiring: &Wiring, lanes: Lanes) -> [LaneMask; 64] {
        let (channels, classes) = (self.switch.virtual_channels as u8, self.classes() as u8);
        let mut groups = [LaneMask::NONE; 64];
        for lane in 0..lanes.outputs.count() {
            let port = lanes.outputs.port(lane);
            // If a node has its own port, its channels have one class.
            let of_node = classes > 1 && port + 1 == lanes.ports;
            let class = if of_node { 0 } else { lanes.outputs.within(lane) % channels / (channels / classes) };
            groups[usize::from(wiring.group(PortId(port)).0 * classes + class)] |= LaneMask::only(lane);
        }
        groups
    }
}

impl Lanes {
    /// The lanes of a network whose links have `link` lanes and whose nodes have `inject` and
    /// `consume` lanes.
    #[must_use]
    pub fn new(wiring: &Wiring, link: u8, inject: u8, consume: u8) -> Self {
        let side = |node: u8| {
            let lanes = |section: super::Section| match (section.to_switches, section.to_nodes) {
                (true, true) => link.max(node),
                (false, true) => node,
                (_, false) => link,
            };
            let sections = wiring.sections();
            Side { ports: sections.map(|s| s.ports), lanes: sections.map(lanes) }
        };
        Self { ports: wiring.ports(), inputs: side(inject), outputs: side(consume), link, inject, consume }
    }

    /// Number of lanes of a port that comes from, or leads to, `end`. A node has `node` lanes.
    const fn at(self, end: Option<End>, node: u8) -> u8 {
        match end {
            None => 0,
            Some(End::Switch(..)) => self.link,
            Some(End::Node(_)) => node,
        }
    }

    /// Whether an input lane exists at a switch.
    #[must_use]
    pub fn has_input(self, wiring: &Wiring, switch: SwitchId, lane: u8) -> bool {
        let port = PortId(self.inputs.port(lane));
        self.inputs.within(lane) < self.at(wiring.input(switch, port), self.inject)
    }

    /// Whether an output lane exists at a switch.
    #[must_use]
    pub fn has_output(self, wiring: &Wiring, switch: SwitchId, lane: u8) -> bool {
        let port = PortId(self.outputs.port(lane));
        self.outputs.within(lane) < self.at(wiring.output(switch, port), self.consume)
    }

    /// `in<p>[.v<v>]`.
    #[must_use]
    pub fn input_name(self, lane: u8) -> String {
        self.inputs.name(lane, "in", 'v')
    }

    /// `out<p>[.l<l>]`.
    #[must_use]
    pub fn output_name(self, lane: u8) -> String {
        self.outputs.name(lane, "out", 'l')
    }

    /// Name of a lane from a node, `inj[<l>]`.
    #[must_use]
    pub fn inject_name(self, channel: u8) -> String {
        if self.inject > 1 { format!("inj{channel}") } else { "inj".to_owned() }
    }

    /// Name of a lane to a node, `ej[<l>]`.
    #[must_use]
    pub fn eject_name(self, channel: u8) -> String {
        if self.consume > 1 { format!("ej{channel}") } else { "ej".to_owned() }
    }
}
