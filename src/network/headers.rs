//! Headers on a network: their lengths, and the sets of nodes that they can name.

use wormscope_hw::header::Layout;
use wormscope_hw::{Encoding, NodeId};

use super::routing::Stages;
use super::{Network, Wiring};
use wormscope_quote as quote;

/// Header flits of a worm with this many destinations, at injection. If every switch strips a part,
/// a bidirectional network needs one part for every switch on the way up and down. The count is for
/// the longest way.
#[must_use]
pub fn header_flits(network: &Network, encoding: Encoding, destinations: u32) -> u32 {
    let parts = encoding.header().parts(destinations, network.longest_way());
    part_flits(network, encoding).saturating_mul(parts)
}

/// Flits of a part of a header: an address, a mask, or the whole bit-string.
#[must_use]
pub fn part_flits(network: &Network, encoding: Encoding) -> u32 {
    encoding.header().part_flits(&network.layout())
}

/// Number of wires beside the data of a flit that carry the parts of a whole header, 0 if flits
/// carry it.
#[must_use]
pub fn wires_beside(layout: &Layout, encoding: Encoding) -> u32 {
    let header = encoding.header();
    if layout.is_beside { header.part_bits(layout) * header.parts(1, 0) } else { 0 }
}

/// Header flits of a worm from `source` to `destinations`, at injection. `wiring` is the wiring of
/// the network.
#[must_use]
pub fn header_flits_to(
    network: &Network,
    wiring: &Wiring,
    encoding: Encoding,
    source: NodeId,
    destinations: &[NodeId],
) -> u32 {
    header_flits_of(&network.layout(), wiring, encoding, source, destinations)
}

/// The same as [`header_flits_to`], for known sizes of the network.
#[must_use]
pub fn header_flits_of(
    layout: &Layout,
    wiring: &Wiring,
    encoding: Encoding,
    source: NodeId,
    destinations: &[NodeId],
) -> u32 {
    let header = encoding.header();
    let switches = stages(wiring, encoding).map_or(0, |stages| stages.count(source, destinations));
    header.part_flits(layout).saturating_mul(header.parts(destinations.len() as u32, switches))
}

/// Mean number of header flits of worms to this many destinations, all other nodes being equally
/// likely.
#[must_use]
pub fn mean_header_flits(network: &Network, encoding: Encoding, destinations: u32) -> f64 {
    if !encoding.header().each_switch_strips() {
        return f64::from(header_flits(network, encoding, destinations));
    }
    let (masks, of) = network.blueprint().mean_masks();
    f64::from(part_flits(network, encoding)) * masks / of
}

/// Flits that the longest decision on the way of such a worm needs in the FIFO. This is the whole
/// bit-string, one mask, or one address. A multidestination worm that absorbs and forwards needs
/// two addresses.
#[must_use]
pub fn decision_flits(network: &Network, encoding: Encoding, destinations: u32) -> u32 {
    part_flits(network, encoding).saturating_mul(encoding.header().decision_parts(destinations))
}

/// Reason why a network of this kind has no worms of an encoding, for all sizes.
#[must_use]
pub fn refusal(network: &Network, encoding: Encoding) -> Option<String> {
    let of_the_network = network.blueprint().refuses(encoding, network.routing());
    let masks = || refuses_masks(network, encoding).map(str::to_owned);
    of_the_network.or_else(masks).or_else(|| refuses_parts(network, encoding))
}

/// Reason why the network does not carry worms whose header stays whole, if the encoding has such a
/// header.
fn refuses_masks(network: &Network, encoding: Encoding) -> Option<&'static str> {
    let header = encoding.header();
    if header.is_of_coordinates() && network.radices().is_empty() {
        return Some("coordinate masks are of the coordinates of a grid, but the nodes of this network have none");
    }
    (header.stays() && !network.blueprint().inputs_tell(network.routing())).then_some(
        "a mask header does not change on its way, so that the input of a switch must determine which nodes are \
         ahead; it can on lines, meshes and rings of up to 3 nodes in dimension order, in uni_min and in bi_min",
    )
}

/// Reason why switches cannot strip parts of the header, if the encoding has such parts.
fn refuses_parts(network: &Network, encoding: Encoding) -> Option<String> {
    (network.layout().is_beside && encoding.header().strips()).then(|| {
        format!("switches strip flits of a {encoding} header, and with header_timing: beside a header takes no flits")
    })
}

/// Reason why no header leads from `source` to exactly these nodes: the header leads to other nodes
/// as well. A mask may cover the source if the source gets no copy.
#[must_use]
pub fn stray(
    network: &Network,
    wiring: &Wiring,
    encoding: Encoding,
    source: NodeId,
    destinations: &[NodeId],
) -> Option<String> {
    if encoding.header().names_any_set() {
        return None;
    }
    if let Some(stages) = stages(wiring, encoding) {
        let stray = stages.stray(source, destinations)?;
        let whom = if stray == source { ", the source," } else { "" };
        return Some(format!(
            "a {encoding} header has the same mask for all switches of a stage and leads to node {stray}{whom} too; \
             allowed: destinations that are all combinations of their digits"
        ));
    }
    let mut listed = destinations.to_vec();
    listed.sort_unstable();
    let reached = reached(network, wiring, encoding, source, destinations);
    let free = may_cover_source(network).then_some(source);
    let is_stray = |node: &NodeId| listed.binary_search(node).is_err() && Some(*node) != free;
    let strays: Vec<NodeId> = reached.into_iter().filter(is_stray).collect();
    if strays.is_empty() {
        return None;
    }
    let nodes = quote::form(strays.len(), "node", "nodes");
    let may_be_all = network.switch.copy_to_source || !strays.contains(&source);
    let allowed = if may_be_all { "; allowed: all nodes that it leads to" } else { "" };
    Some(format!(
        "the smallest {encoding} that covers these destinations leads to {nodes} {} too{allowed}",
        quote::list(strays.iter().map(|node| format!("{node}{}", if *node == source { " (the source)" } else { "" })))
    ))
}

/// Whether a header may name its source without a copy to it.
#[must_use]
pub fn may_cover_source(network: &Network) -> bool {
    !network.switch.copy_to_source && network.blueprint().leaves_source(network.routing())
}

/// The nodes that the smallest header from `source` around all `destinations` names.
#[must_use]
pub fn reached(
    network: &Network,
    wiring: &Wiring,
    encoding: Encoding,
    source: NodeId,
    destinations: &[NodeId],
) -> Vec<NodeId> {
    match stages(wiring, encoding) {
        Some(stages) => stages.reached(source, &stages.masks(source, destinations)).collect(),
        None => encoding.header().reached(&network.layout(), destinations),
    }
}

/// The stages that a header has parts for, if there are such.
fn stages(wiring: &Wiring, encoding: Encoding) -> Option<Stages<'_>> {
    if encoding.header().each_switch_strips() { Stages::of(wiring) } else { None }
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
