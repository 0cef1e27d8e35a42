//! Networks that the planes cover.

use wormscope_hw::{Acquisition, Arbiter, Encoding, HeaderTiming, LaneChoice, Replication};
use wormscope_network::{Network, Routing, Topology};

use super::decoder::STAGES;
use super::grid::DIMENSIONS;
use super::sweep::CHANNELS;

/// Longest delay of a link, crossbar included.
const LONGEST_DELAY: u32 = 32;

/// Ports of a router at most, in a network that is no grid.
const MOST_PORTS: u32 = 8;

/// Entries of a table of routes at most.
const LONGEST_TABLE: u64 = 1 << 22;

/// Deepest FIFO, and most credits of a lane to a node.
pub(super) const DEEPEST: u32 = 31;

/// Nodes along each dimension, of a mesh or torus of few enough dimensions.
pub(super) fn radices(network: &Network) -> Option<&[u32]> {
    let radices = match &network.topology {
        Topology::Linear { nodes } => std::slice::from_ref(nodes),
        Topology::Mesh { radices } | Topology::Torus { radices, .. } => radices,
        _ => return None,
    };
    (radices.len() <= DIMENSIONS).then_some(radices)
}

/// Whether planes cover worms of an encoding.
#[must_use]
pub fn covers_worms(encoding: Encoding) -> bool {
    encoding == Encoding::Unicast || encoding.header().looks_up_reach()
}

/// Whether planes cover the hardware of a network. `trees` says whether worms go to several nodes.
///
/// # Errors
/// The first thing that they do not cover, as the rest of a sentence that begins with "planes do
/// not cover".
pub fn covers(network: &Network, trees: bool) -> Result<(), &'static str> {
    let (switch, node, link) = (&network.switch, &network.node, &network.link);
    let links = [link, &node.injection_link, &node.consumption_link];
    let longest = links.iter().map(|link| link.link_cycles.max(link.credit_cycles)).fold(0, u32::max);
    let is_grid = radices(network).is_some();
    let is_ring = matches!(network.topology, Topology::Torus { .. });
    let channels = switch.virtual_channels as usize;
    let order: Vec<String> = wormscope_network::lanes::port_names(network);
    let refused = [
        (!is_grid && trees, "trees in this topology"),
        (trees && channels > 1 && network.ports() > 5, "trees in three dimensions with two virtual channels"),
        (!is_grid && channels > 1, "virtual channels in this topology"),
        (!is_grid && network.ports() > MOST_PORTS, "switches of this size"),
        (
            !is_grid && u64::from(network.switches()) * u64::from(network.nodes()) > LONGEST_TABLE,
            "a network of this size",
        ),
        (switch.header_timing == HeaderTiming::Beside, "headers beside the flits"),
        (network.token_ring.is_some(), "token rings"),
        (is_grid && network.routing() != Routing::DimensionOrder, "routing but dimension_order"),
        (is_ring && network.classes() == 1, "a torus without datelines"),
        (channels > CHANNELS, "more than two virtual channels"),
        (network.node_channels() != switch.virtual_channels, "node.virtual_channels"),
        (switch.dilation != 1, "dilation"),
        (node.injection_channels != 1 || node.consumption_channels != 1, "several channels of a node"),
        (switch.arbiter != Arbiter::RoundRobin, "arbiters but round_robin"),
        (switch.acquisition != Acquisition::Incremental, "atomic acquisition"),
        (switch.lane_choice != LaneChoice::Lowest, "lane_choice but lowest"),
        (switch.port_order.as_ref().is_some_and(|ports| *ports != order), "port_order"),
        (
            [switch.fifo_depth, network.injection_depth(), network.consumption_depth()]
                .iter()
                .any(|depth| *depth > DEEPEST),
            "deep FIFOs",
        ),
        (switch.routing_cycles as usize > STAGES, "long routing decisions"),
        (longest + switch.crossbar_cycles > LONGEST_DELAY, "long links"),
        (switch.replication == Replication::Synchronous, "synchronous worms"),
        (node.startup_cycles != 0 || node.has_software(), "software of nodes"),
    ];
    refused.into_iter().find(|(is_refused, _)| *is_refused).map_or(Ok(()), |(_, what)| Err(what))
}

/// Flits of the header that a decision needs.
pub(super) fn header(timing: HeaderTiming, flits: u32) -> u32 {
    match timing {
        HeaderTiming::Overlapped | HeaderTiming::Beside => 1,
        HeaderTiming::Store => flits,
    }
}
