//! What follows from a network's parameters: sizes, classes of channels, lengths of headers.

use wormscope_hw::Flit;
use wormscope_hw::switch::{InLane, OutLane, Reg};

use crate::topology::{Grid, Wiring};

use super::schema::{Encoding, Experiment, Network, Topology, Workload};

impl Network {
    /// Nodes along each dimension.
    #[must_use]
    pub fn radices(&self) -> &[u32] {
        match &self.topology {
            Topology::Linear { nodes } => std::slice::from_ref(nodes),
            Topology::Mesh { radices } | Topology::Torus { radices, .. } => radices,
        }
    }

    /// Number of nodes; `u32::MAX` when there are more than that (validation refuses such networks).
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.radices().iter().fold(1, |nodes: u32, &radix| nodes.saturating_mul(radix))
    }

    /// The wiring of a validated network.
    #[must_use]
    pub fn wiring(&self) -> Wiring {
        Wiring::Grid(Grid::new(self.radices().to_vec(), matches!(self.topology, Topology::Torus { .. })))
    }

    /// Bits of a node's address: at least 1, else the base-2 logarithm of the number of nodes, rounded up.
    #[must_use]
    pub fn address_bits(&self) -> u32 {
        let last = self.nodes().saturating_sub(1);
        (u32::BITS - last.leading_zeros()).max(1)
    }

    /// Classes of virtual channels between which routing chooses: 2 on a torus with datelines, else 1.
    #[must_use]
    pub fn classes(&self) -> u32 {
        match self.topology {
            Topology::Torus { datelines: true, .. } => 2,
            _ => 1,
        }
    }

    /// Input lanes of every switch: the channels of its links and the injection channels.
    #[must_use]
    pub fn input_lanes(&self) -> u32 {
        self.link_lanes().saturating_add(self.node.injection_channels)
    }

    /// Output lanes of every switch: the channels of its links and the consumption channels.
    #[must_use]
    pub fn output_lanes(&self) -> u32 {
        self.link_lanes().saturating_add(self.node.consumption_channels)
    }

    fn link_lanes(&self) -> u32 {
        let ports = 2 * self.radices().len() as u32;
        ports.saturating_mul(self.switch.dilation).saturating_mul(self.switch.virtual_channels)
    }

    /// Bytes of the tables of reachability bits that bit-string worms need: a bit per switch, port and node, in 64-bit words.
    #[must_use]
    pub fn reach_bytes(&self) -> u64 {
        let (nodes, ports) = (u64::from(self.nodes()), 2 * self.radices().len() as u64 + 1);
        nodes.saturating_mul(ports).saturating_mul(nodes.div_ceil(64) * 8)
    }
}

impl Experiment {
    /// Bytes that the model's registers, FIFOs and tables take, about.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        let network = &self.network;
        let (s, n) = (&network.switch, &network.node);
        // Of inputs and outputs as many as there are of either, whichever are more.
        let lanes = u64::from(network.input_lanes().max(network.output_lanes()));
        // Of every FIFO cell the flit and a word for its header; of every wire two masks, of every node one, a cycle of delay.
        let cells = lanes * u64::from(s.fifo_depth) * (size_of::<Flit>() + size_of::<u32>()) as u64;
        let registers = lanes * (size_of::<InLane>() + size_of::<OutLane>()) as u64;
        let delays =
            [network.link, n.injection_link, n.consumption_link].map(|link| link.link_cycles + link.credit_cycles);
        let longest = s.crossbar_cycles + delays.into_iter().fold(1, u32::max);
        let wires = 3 * size_of::<u64>() as u64 * u64::from(longest.next_power_of_two());
        let switch = cells + registers + wires + size_of::<Reg>() as u64;
        let bit_strings = self.workload.iter().any(|entry| match entry {
            Workload::Messages(messages) => messages.iter().any(|m| m.encoding == Some(Encoding::BitString)),
            Workload::Traffic(traffic) => traffic.encoding == Encoding::BitString,
            Workload::Trace(_) => false,
        });
        let tables = if bit_strings { network.reach_bytes() } else { 0 };
        switch.saturating_mul(network.nodes().into()).saturating_add(tables)
    }
}

/// Header flits of a worm with this many destinations, as injected.
#[must_use]
pub fn header_flits(network: &Network, encoding: Encoding, destinations: u32) -> u32 {
    let address = network.address_bits().div_ceil(network.switch.flit_bits);
    match encoding {
        Encoding::Unicast => address,
        Encoding::BitString => network.nodes().div_ceil(network.switch.flit_bits),
        Encoding::Multidestination => address.saturating_mul(destinations),
    }
}

/// Flits that the longest decision on the way of such a worm needs in the FIFO: all of a bit-string; one address, two where
/// a multidestination worm absorbs and forwards.
#[must_use]
pub fn decision_flits(network: &Network, encoding: Encoding, destinations: u32) -> u32 {
    match encoding {
        Encoding::Multidestination => header_flits(network, encoding, destinations.min(2)),
        _ => header_flits(network, encoding, destinations),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(radices: &[u32], flit_bits: u32) -> Network {
        let text = format!("(network: (topology: mesh(radices: {radices:?}), switch: (flit_bits: {flit_bits})))");
        super::super::source::parse(&text).unwrap().network
    }

    #[test]
    fn addresses_have_as_many_bits_as_the_last_node_needs() {
        for (radices, bits) in [(&[1][..], 1), (&[2], 1), (&[3], 2), (&[16, 16], 8), (&[257], 9), (&[4096, 4096], 24)] {
            assert_eq!(network(radices, 64).address_bits(), bits, "{radices:?}");
        }
    }

    #[test]
    fn headers_count_addresses_or_bits_in_whole_flits() {
        let (wide, narrow) = (network(&[16, 16], 64), network(&[32, 16], 8));
        assert_eq!(header_flits(&wide, Encoding::Unicast, 1), 1);
        assert_eq!(header_flits(&wide, Encoding::BitString, 3), 4);
        assert_eq!(header_flits(&wide, Encoding::Multidestination, 3), 3);
        assert_eq!(header_flits(&narrow, Encoding::Unicast, 1), 2);
        assert_eq!(header_flits(&narrow, Encoding::BitString, 1), 64);
        assert_eq!(header_flits(&narrow, Encoding::Multidestination, 3), 6);
        assert_eq!(decision_flits(&narrow, Encoding::Multidestination, 3), 4);
        assert_eq!(decision_flits(&narrow, Encoding::Multidestination, 1), 2);
        assert_eq!(decision_flits(&narrow, Encoding::BitString, 3), 64);
    }

    #[test]
    fn absurd_sizes_saturate() {
        let n = network(&[u32::MAX; 12], 8);
        assert_eq!((n.nodes(), n.address_bits(), n.reach_bytes() > 0), (u32::MAX, 32, true));
    }
}
