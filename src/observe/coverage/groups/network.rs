//! Encodings on each kind of network.

use crate::coverage::dimensions::ENCODING;
use crate::coverage::group::{BinGroup, Dimension};
use crate::network::Topology;

/// The group.
pub const GROUP: BinGroup = BinGroup {
    name: "network",
    blocks: &["hw/decoder", "hw/words"],
    event: "A source creates a worm.",
    dimensions: &[
        Dimension {
            name: "network",
            meaning: "Topology.",
            values: &["linear", "mesh", "torus", "uni_min", "two_sided", "bi_min", "netlist"],
        },
        ENCODING,
    ],
    excluded,
};

/// The value of `network` for a topology.
pub(in crate::observe::coverage) const fn kind(topology: &Topology) -> usize {
    match topology {
        Topology::Linear { .. } => 0,
        Topology::Mesh { .. } => 1,
        Topology::Torus { .. } => 2,
        Topology::UniMin { .. } => 3,
        Topology::TwoSided { .. } => 4,
        Topology::BiMin { .. } => 5,
        Topology::Netlist { .. } => 6,
    }
}

fn excluded(values: &[usize]) -> Option<&'static str> {
    match values {
        [0..=2, 3] => Some("a multiport header has a mask for each stage, and a grid has no stages"),
        [4, 3] => Some("a multiport header leads down on one side, and a two-sided network has two"),
        [6, 3] => Some("a multiport header has a mask for each stage, and a netlist has no stages"),
        [3..=5, 2] => Some("a path worm visits nodes on its way, and here nodes are at the ends"),
        [3..=6, 5] => Some("the nodes of this network have no coordinates"),
        [4 | 6, 4] => Some("the input of a switch does not tell which nodes are ahead"),
        _ => None,
    }
}
