//! Cost of a network that is not built: an estimate of area in gate equivalents and flip-flops, and
//! of the levels of logic between registers. Both come from closed formulas.
//!
//! Each block of the hardware has a file with one formula. docs/explain/cost.md has all formulas,
//! with the points they were fitted to. A switch at the edge of a mesh is counted with the ports
//! that it has.
//!
//! ```
//! use wormscope::{config, cost};
//!
//! let text = "(network: (topology: mesh(radices: [8, 8]), switch: (flit_bits: 32, fifo_depth: 4)))";
//! let loaded = config::from_text("mesh.ron", text, &[])?;
//! let cost = cost::of_loaded(&loaded)?;
//! assert_eq!((cost.logic_depth, cost.fifo_bits), (61, 288 * 4 * 32));
//! # Ok::<(), wormscope::input::ConfigError>(())
//! ```

mod arbiter;
mod consumption;
mod crossbar;
mod decoder;
mod depth;
mod encodings;
pub mod energy;
pub mod error;
mod fifo;
mod header_store;
mod lane;
pub mod link;
mod reach;
mod replication;
mod shape;
mod token;
mod unit;

use serde::Serialize;

pub use encodings::Encodings;
pub use shape::{Ports, SwitchShape};
pub use unit::Area;

use crate::experiment::Loaded;
use crate::input::ConfigError;
use crate::network::{Network, Wiring};

/// A block of the hardware and its formula.
struct Block {
    name: &'static str,
    /// Name of its total area, as a column of a table.
    scalar: &'static str,
    /// Whether the part is inside the switch.
    in_switch: bool,
    area: fn(&SwitchShape) -> Area,
    /// How far the area may be off, in per cent to either side.
    error: fn(&SwitchShape) -> f64,
}

/// All blocks, in dataflow order.
const BLOCKS: [Block; 11] = [
    Block {
        name: "input FIFOs",
        scalar: "area_ge.input_fifos",
        in_switch: true,
        area: fifo::area,
        error: error::of_fifos,
    },
    Block {
        name: "header stores",
        scalar: "area_ge.header_stores",
        in_switch: true,
        area: header_store::area,
        error: error::of_fifos,
    },
    Block {
        name: "header decoders",
        scalar: "area_ge.header_decoders",
        in_switch: true,
        area: decoder::area,
        error: error::of_decoders,
    },
    Block {
        name: "reach tables",
        scalar: "area_ge.reach_tables",
        in_switch: true,
        area: reach::area,
        error: error::of_reach,
    },
    Block {
        name: "token stations",
        scalar: "area_ge.token_stations",
        in_switch: true,
        area: token::area,
        error: error::of_stations,
    },
    Block {
        name: "replication units",
        scalar: "area_ge.replication_units",
        in_switch: true,
        area: replication::area,
        error: error::of_replication,
    },
    Block {
        name: "arbiters",
        scalar: "area_ge.arbiters",
        in_switch: true,
        area: arbiter::area,
        error: error::of_arbiters,
    },
    Block {
        name: "crossbars",
        scalar: "area_ge.crossbars",
        in_switch: true,
        area: crossbar::area,
        error: error::of_crossbars,
    },
    Block {
        name: "output lanes",
        scalar: "area_ge.output_lanes",
        in_switch: true,
        area: lane::area,
        error: error::of_lanes,
    },
    Block {
        name: "link registers",
        scalar: "area_ge.link_registers",
        in_switch: false,
        area: link::area,
        error: error::of_fifos,
    },
    Block {
        name: "consumption stores",
        scalar: "area_ge.consumption_stores",
        in_switch: false,
        area: consumption::area,
        error: error::of_fifos,
    },
];

/// Cost of a block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BlockCost {
    /// The block.
    pub block: &'static str,
    #[serde(skip)]
    scalar: &'static str,
    /// Cost in the largest switch; `None` for a block beside the switches.
    pub largest: Option<Area>,
    /// Cost in the network.
    pub network: Area,
    /// Error of its area in the network, in per cent to either side.
    pub error_percent: f64,
}

/// Estimated cost of a network.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HardwareCost {
    /// The blocks, in dataflow order.
    pub blocks: Vec<BlockCost>,
    /// Cost of the largest switch.
    pub switch: Area,
    /// Cost of all switches, the registers of links and the stores of nodes.
    pub network: Area,
    /// Error of the area of the network, in per cent to either side.
    pub area_error_percent: f64,
    /// Levels of logic on the longest path between two registers.
    pub logic_depth: u32,
    /// Error of the levels, in per cent to either side.
    pub depth_error_percent: f64,
    /// Number of data bits of all input FIFOs.
    pub fifo_bits: u64,
    /// Number of data bits of all consumption stores.
    pub consumption_bits: u64,
    /// Number of bits of all header stores.
    pub header_store_bits: u64,
    /// Number of cross points of all crossbars: input lanes times output lanes.
    pub cross_points: u64,
    /// Number of bits of all reach tables.
    pub reach_bits: u64,
    /// Number of stations of token rings.
    pub token_stations: u64,
    /// Number of wires of all links, the links of nodes included.
    pub link_wires: u64,
    /// Number of links across the middle of the network, in both directions.
    pub bisection_links: u64,
    /// Number of wires of the links of the bisection.
    pub bisection_wires: u64,
    /// Length of the longest link between two switches, in pitches of switches.
    pub longest_link: u32,
}

/// The cost of a valid network with its wiring, for worms of these encodings.
#[must_use]
pub fn of(network: &Network, wiring: &Wiring, encodings: Encodings) -> HardwareCost {
    // The formula of each topology is in its file.
    let bisection_links = network.blueprint().bisection() * u64::from(network.switch.dilation);
    let longest_link = network.longest_link(wiring);
    let mut cost = HardwareCost { bisection_links, longest_link, ..HardwareCost::of_nothing() };
    for (ports, count) in Ports::of(network, wiring) {
        let s = SwitchShape { network, encodings, ports };
        let areas = BLOCKS.map(|block| (block.in_switch, (block.area)(&s), (block.error)(&s)));
        let switch: Area = areas.iter().filter(|(in_switch, ..)| *in_switch).map(|(_, area, _)| *area).sum();
        let largest = switch.ge > cost.switch.ge;
        for (block, (in_switch, area, error)) in cost.blocks.iter_mut().zip(areas) {
            let more = area * count;
            let parts = [(block.network.ge, block.error_percent), (more.ge, error)];
            block.error_percent = error::mean(parts.into_iter());
            block.network += more;
            if largest {
                block.largest = in_switch.then_some(area);
            }
        }
        if largest {
            cost.switch = switch;
        }
        let (levels, error) = (depth::levels(&s), error::of_levels(&s));
        if levels >= cost.logic_depth {
            let same = if levels == cost.logic_depth { cost.depth_error_percent } else { 0.0 };
            (cost.logic_depth, cost.depth_error_percent) = (levels, error.max(same));
        }
        let flits: u64 = s.fifos().iter().map(|(depth, fifos)| depth * fifos).sum();
        cost.fifo_bits += flits * s.flit_bits() * count;
        cost.consumption_bits += consumption::bits(&s) * count;
        cost.header_store_bits += header_store::bits(&s) * s.inputs() * count;
        cost.cross_points += crossbar::points(&s) * count;
        cost.reach_bits += reach::bits(&s) * count;
        cost.token_stations += u64::from(ports.station.is_some()) * count;
        cost.link_wires += link::all_wires(&s) * count;
        cost.bisection_wires = cost.bisection_links * link::between_switches(&s);
    }
    cost.network = cost.blocks.iter().map(|block| block.network).sum();
    cost.area_error_percent = error::mean(cost.blocks.iter().map(|block| (block.network.ge, block.error_percent)));
    cost
}

/// The cost of an experiment's network, for the worms that it sends.
///
/// # Errors
/// A trace cannot be opened, or the network was changed since it was read and breaks a rule.
pub fn of_loaded(loaded: &Loaded) -> Result<HardwareCost, ConfigError> {
    let built = loaded.build()?;
    Ok(of(built.network(), built.wiring(), Encodings::sent(loaded)?))
}

/// Units of estimated values. All other values are counted.
pub(crate) const ESTIMATED: [&str; 3] = ["GE", "flip-flops", "levels"];

impl HardwareCost {
    /// The cost of no network. Every block is there and costs nothing.
    #[must_use]
    pub(crate) fn of_nothing() -> Self {
        let block = |of: &Block| BlockCost {
            block: of.name,
            scalar: of.scalar,
            largest: of.in_switch.then(Area::default),
            network: Area::default(),
            error_percent: 0.0,
        };
        Self { blocks: BLOCKS.iter().map(block).collect(), ..Self::default() }
    }

    /// The cost as columns of a table: name, unit and value.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = (&'static str, &'static str, f64)> + '_ {
        let sizes = [
            ("area_ge", "GE", self.network.ge),
            ("flip_flops", "flip-flops", self.network.flip_flops as f64),
            ("switch_area_ge", "GE", self.switch.ge),
            ("switch_flip_flops", "flip-flops", self.switch.flip_flops as f64),
            ("logic_depth", "levels", self.logic_depth.into()),
            ("area_error_percent", "% to either side", self.area_error_percent),
            ("depth_error_percent", "% to either side", self.depth_error_percent),
            ("fifo_bits", "bits", self.fifo_bits as f64),
            ("consumption_bits", "bits", self.consumption_bits as f64),
            ("header_store_bits", "bits", self.header_store_bits as f64),
            ("cross_points", "points", self.cross_points as f64),
            ("reach_bits", "bits", self.reach_bits as f64),
            ("token_stations", "stations", self.token_stations as f64),
            ("link_wires", "wires", self.link_wires as f64),
            ("bisection_links", "links", self.bisection_links as f64),
            ("bisection_wires", "wires", self.bisection_wires as f64),
            ("longest_link", "pitches", self.longest_link.into()),
        ];
        sizes.into_iter().chain(self.blocks.iter().map(|block| (block.scalar, "GE", block.network.ge)))
    }
}

#[cfg(test)]
mod tests;
