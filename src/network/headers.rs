//! Lengths of headers.

use wormscope_hw::{Encoding, NodeId};

use super::routing::Stages;
use super::{Network, Wiring};

/// Header flits of a worm with this many destinations, as injected. A multiport header in a bidirectional network has a mask for
/// every switch on the way up and down: counted here as for the longest way.
#[must_use]
pub fn header_flits(network: &Network, encoding: Encoding, destinations: u32) -> u32 {
    let address = network.address_bits().div_ceil(network.switch.flit_bits);
    match encoding {
        Encoding::Unicast => address,
        Encoding::BitString => network.nodes().div_ceil(network.switch.flit_bits),
        Encoding::Multidestination => address.saturating_mul(destinations),
        Encoding::Multiport => network.mask_flits() * network.longest_way(),
    }
}

/// Header flits of a worm from `source` to `destinations`, as injected; `wiring` is the network's.
#[must_use]
pub fn header_flits_to(
    network: &Network,
    wiring: &Wiring,
    encoding: Encoding,
    source: NodeId,
    destinations: &[NodeId],
) -> u32 {
    match (encoding, Stages::of(wiring)) {
        (Encoding::Multiport, Some(stages)) => network.mask_flits() * stages.count(source, destinations),
        _ => header_flits(network, encoding, destinations.len() as u32),
    }
}

/// Mean header flits of worms that go to this many destinations, any other nodes alike.
#[must_use]
pub fn mean_header_flits(network: &Network, encoding: Encoding, destinations: u32) -> f64 {
    if encoding != Encoding::Multiport {
        return f64::from(header_flits(network, encoding, destinations));
    }
    let (masks, of) = network.blueprint().mean_masks();
    f64::from(network.mask_flits()) * masks / of
}

/// Flits that the longest decision on the way of such a worm needs in the FIFO: all of a bit-string; one mask; one address, two
/// where a multidestination worm absorbs and forwards.
#[must_use]
pub fn decision_flits(network: &Network, encoding: Encoding, destinations: u32) -> u32 {
    match encoding {
        Encoding::Multidestination => header_flits(network, encoding, destinations.min(2)),
        Encoding::Multiport => network.mask_flits(),
        _ => header_flits(network, encoding, destinations),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(radices: &[u32], flit_bits: u32) -> Network {
        let text = format!("(topology: mesh(radices: {radices:?}), switch: (flit_bits: {flit_bits}))");
        ron::from_str(&text).unwrap()
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
