//! Shape of a switch for the formulas: numbers of lanes of each kind, and the parameters of its
//! network.

use std::collections::BTreeMap;

use wormscope_hw::lane_group::Climb;
use wormscope_hw::{Arbiter, Encoding, PortId, Replication, SwitchId};

use super::Encodings;
use super::unit::bits_of;
use crate::network::{End, Network, Wiring, wires_beside};

/// Side signals that a FIFO stores with a flit: `head`, `tail`, `hdr` and the three bits of `enc`.
const SIDE: u64 = 6;
/// Slots of a switch for trees of synchronous worms, if few worms branch at a time.
pub(crate) const TREE_SLOTS: u64 = 4;
/// Bits of the age of a worm, which the switches carry for arbiters that compare ages.
const AGE: u64 = 32;

/// The connected ports of a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ports {
    /// Number of inputs from switches.
    pub in_links: u32,
    /// Number of inputs from nodes.
    pub in_nodes: u32,
    /// Number of outputs to switches. Each is one or more separate lane groups.
    pub out_links: u32,
    /// Number of outputs to switches that are together in a lane group: the ports up.
    pub up_links: u32,
    /// Number of lane groups of these ports.
    pub up_groups: u32,
    /// Number of outputs to nodes.
    pub out_nodes: u32,
    /// For a switch with a station of a token ring, the number of switches still to come after it.
    pub station: Option<u32>,
}

impl Ports {
    /// The different sets of ports of the switches of a network, each with the number of its
    /// switches.
    #[must_use]
    pub fn of(network: &Network, wiring: &Wiring) -> BTreeMap<Self, u64> {
        let flow = wiring.flow().filter(|_| network.token_ring.is_some());
        let to_come = |switch: SwitchId| {
            let stages = flow.iter().flat_map(|flow| flow.stages.iter().rev());
            (0..).zip(stages).find(|(_, (_, switches))| switches.contains(&switch)).map(|(to_come, _)| to_come)
        };
        let mut all = BTreeMap::new();
        for (switch, count) in wiring.kinds() {
            let station = to_come(switch).filter(|&n| n > 0 || network.last_stage_blocks());
            *all.entry(Self { station, ..Self::at(wiring, switch) }).or_default() += u64::from(count);
        }
        all
    }

    /// The connected ports of a switch.
    fn at(wiring: &Wiring, switch: SwitchId) -> Self {
        let mut ports = Self::default();
        for port in (0..wiring.ports()).map(PortId) {
            match wiring.input(switch, port) {
                Some(End::Switch(..)) => ports.in_links += 1,
                Some(End::Node(_)) => ports.in_nodes += 1,
                None => {}
            }
            match wiring.output(switch, port) {
                Some(End::Switch(..)) if wiring.climb(port).is_some() => ports.up_links += 1,
                Some(End::Switch(..)) => ports.out_links += 1,
                Some(End::Node(_)) => ports.out_nodes += 1,
                None => {}
            }
        }
        let leads = |climb: &&Climb| wiring.output(switch, PortId(climb.first())).is_some();
        ports.up_groups = wiring.climbs().iter().filter(leads).count() as u32;
        ports
    }
}

/// A switch: its lanes and the parameters of its blocks.
#[derive(Clone, Copy, Debug)]
pub struct SwitchShape<'a> {
    /// The network's parameters.
    pub network: &'a Network,
    /// Encodings that the decoders of the switch know.
    pub encodings: Encodings,
    /// Connected ports of the switch.
    pub ports: Ports,
}

impl SwitchShape<'_> {
    /// Width of a flit in bits.
    #[must_use]
    pub fn flit_bits(&self) -> u64 {
        self.network.switch.flit_bits.into()
    }

    /// Bits of a flit in a FIFO: its data, its side signals and its age.
    #[must_use]
    pub fn cell_bits(&self) -> u64 {
        self.flit_bits() + self.side_bits()
    }

    /// Bits that a FIFO stores with the data of a flit.
    pub(crate) fn side_bits(&self) -> u64 {
        SIDE + self.age_bits() + self.tree_bits() + if self.is_beside() { self.header_bits() } else { 0 }
    }

    /// Whether wires beside each flit carry the header.
    pub(crate) fn is_beside(&self) -> bool {
        self.network.layout().is_beside
    }

    /// Bits of the longest header, of the encodings that switches do not strip.
    fn header_bits(&self) -> u64 {
        let layout = self.network.layout();
        let bits = |encoding: Encoding| u64::from(wires_beside(&layout, encoding));
        self.encodings.iter().map(bits).max().unwrap_or(0)
    }

    /// Bits of the age of a worm, if an arbiter compares ages.
    pub(crate) fn age_bits(&self) -> u64 {
        if self.network.switch.arbiter == Arbiter::OldestFirst { AGE } else { 0 }
    }

    /// Whether the heads of a worm go on together.
    pub(crate) fn is_synchronous(&self) -> bool {
        self.network.switch.replication == Replication::Synchronous
    }

    /// Side signals of a synchronous worm: the cycle, the depth of a head, and one of
    /// [`TREE_SLOTS`].
    pub(crate) fn tree_bits(&self) -> u64 {
        if self.is_synchronous() { AGE + self.depth_bits() + bits_of(TREE_SLOTS) } else { 0 }
    }

    /// Bits of the depth of a head in its tree.
    pub(crate) fn depth_bits(&self) -> u64 {
        bits_of(self.network.blueprint().stages().map_or(1, |(_, stages)| u64::from(stages)) + 1)
    }

    /// Whether each branch reads the cells of a FIFO by itself.
    pub(crate) fn reads_all_cells(&self) -> bool {
        matches!(self.network.switch.replication, Replication::Buffered | Replication::Sequential)
    }

    /// Flits of an input FIFO behind a link between switches.
    #[must_use]
    pub fn depth(&self) -> u64 {
        self.network.switch.fifo_depth.into()
    }

    /// Flits of the deepest input FIFO.
    #[must_use]
    pub(crate) fn deepest(&self) -> u64 {
        let at_nodes = if self.injections() > 0 { self.network.injection_depth() } else { 0 };
        self.depth().max(at_nodes.into())
    }

    /// Input FIFOs: the flits of each, and their number.
    #[must_use]
    pub(crate) fn fifos(&self) -> [(u64, u64); 2] {
        let injections = self.injections();
        [(self.depth(), self.inputs() - injections), (self.network.injection_depth().into(), injections)]
    }

    /// Number of virtual channels of a link.
    #[must_use]
    pub fn channels(&self) -> u64 {
        self.network.switch.virtual_channels.into()
    }

    /// Number of links to other switches.
    #[must_use]
    pub fn links(&self) -> u64 {
        u64::from(self.ports.out_links + self.ports.up_links) * u64::from(self.network.switch.dilation)
    }

    /// Number of virtual channels of a link to or from a node.
    #[must_use]
    pub fn node_channels(&self) -> u64 {
        self.network.node_channels().into()
    }

    /// Number of links to nodes.
    #[must_use]
    pub fn consumption_links(&self) -> u64 {
        u64::from(self.ports.out_nodes) * u64::from(self.network.node.consumption_channels)
    }

    /// Number of links from nodes.
    #[must_use]
    pub fn injection_links(&self) -> u64 {
        u64::from(self.ports.in_nodes) * u64::from(self.network.node.injection_channels)
    }

    /// Number of lanes to nodes.
    #[must_use]
    pub fn consumptions(&self) -> u64 {
        self.consumption_links() * self.node_channels()
    }

    /// Number of input lanes from nodes.
    #[must_use]
    pub fn injections(&self) -> u64 {
        self.injection_links() * self.node_channels()
    }

    /// Number of input lanes.
    #[must_use]
    pub fn inputs(&self) -> u64 {
        let link = u64::from(self.network.switch.dilation) * self.channels();
        u64::from(self.ports.in_links) * link + self.injections()
    }

    /// Number of output lanes.
    #[must_use]
    pub fn outputs(&self) -> u64 {
        self.links() * self.channels() + self.consumptions()
    }

    /// Number of output ports that lead to different nodes. Ports up lead to the same nodes and
    /// count as one.
    #[must_use]
    pub(crate) fn out_ports(&self) -> u64 {
        u64::from(self.ports.out_links + self.ports.out_nodes) + u64::from(self.ports.up_groups)
    }

    /// Lane groups, as (number of groups, lanes of each).
    #[must_use]
    pub fn groups(&self) -> [(u64, u64); 3] {
        let (classes, link) =
            (self.network.classes(), self.network.switch.dilation * self.network.switch.virtual_channels);
        [
            ((self.ports.out_links * classes).into(), (link / classes).into()),
            (self.ports.up_groups.into(), (self.ports.up_links / self.ports.up_groups.max(1) * link).into()),
            (self.ports.out_nodes.into(), self.network.consumption_lanes().into()),
        ]
    }

    /// Number of lane groups, which is the largest number of branches of a worm.
    #[must_use]
    pub fn branches(&self) -> u64 {
        self.groups().iter().map(|(count, _)| count).sum()
    }

    /// Number of places of lane groups, connected or not.
    pub(crate) fn places(&self) -> u64 {
        u64::from(self.network.ports()) * u64::from(self.network.classes())
    }

    /// Number of output lanes in groups of several lanes, if virtual channels share their link.
    pub(crate) fn sharing_lanes(&self) -> u64 {
        let channels = [self.channels(), self.channels(), self.node_channels()];
        let shares =
            |((count, lanes), channels): ((u64, u64), u64)| if lanes > 1 && channels > 1 { count * lanes } else { 0 };
        self.groups().into_iter().zip(channels).map(shares).sum()
    }

    /// Number of bits of a counter of an input FIFO's flits.
    #[must_use]
    pub(crate) fn count_bits(&self) -> u64 {
        bits_of(self.deepest() + 1)
    }

    /// Number of bits of a multiport worm's mask, if the network carries multiport worms.
    #[must_use]
    pub(crate) fn mask_bits(&self) -> u64 {
        self.part_bits(Encoding::Multiport)
    }

    /// Number of nodes with a bit in a bit-string, if the network carries bit-string worms.
    #[must_use]
    pub(crate) fn string_bits(&self) -> u64 {
        self.part_bits(Encoding::BitString)
    }

    /// Number of bits of a part of the header of worms with this encoding, if the network carries
    /// such worms.
    fn part_bits(&self, encoding: Encoding) -> u64 {
        let bits = || encoding.header().part_bits(&self.network.layout());
        if self.encodings.has(encoding) { bits().into() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::from_text;
    use crate::network::routing::grouping;

    #[test]
    fn switches_are_counted_by_their_ports_and_stations_as_a_walk_finds_them() {
        for network in [
            "topology: linear(nodes: 6)",
            "topology: mesh(radices: [1])",
            "topology: mesh(radices: [2, 1, 3])",
            "topology: mesh(radices: [4, 5, 3])",
            "topology: torus(radices: [2, 3], datelines: false)",
            "topology: uni_min(switch_ports: 3, stages: 3), token_ring: ()",
            "topology: uni_min(switch_ports: 2, stages: 1)",
            "topology: uni_min(kind: omega, switch_ports: 2, stages: 4), token_ring: (), node: (consumption_channels: 2)",
            "topology: bi_min(switch_ports: 2, stages: 1), token_ring: ()",
            "topology: bi_min(switch_ports: 2, stages: 3), token_ring: ()",
            "topology: bi_min(switch_ports: 2, stages: 3), token_ring: (), node: (consumption_channels: 2)",
        ] {
            let network = from_text("x.ron", &format!("(network: ({network}))"), &[]).unwrap().experiment.network;
            let wiring = network.build().unwrap().wiring().clone();
            let mut walked = BTreeMap::new();
            let groups = match network.token_ring {
                Some(_) => grouping::rings(&network, &wiring),
                None => Vec::new(),
            };
            for switch in (0..wiring.switches()).map(SwitchId) {
                let station = groups.iter().find(|g| g.switches.contains(&switch)).map(|g| g.to_come);
                *walked.entry(Ports { station, ..Ports::at(&wiring, switch) }).or_default() += 1;
            }
            assert_eq!(Ports::of(&network, &wiring), walked, "{:?}", network.topology);
        }
    }
}
