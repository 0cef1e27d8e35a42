//! Topologies: the table of all kinds. A kind has one file, which has it as configured
//! ([`Blueprint`]) and as built ([`Family`](super::Family)).

use serde::{Deserialize, Serialize};

use super::Blueprint;

pub mod bi_min;
pub mod grid;
pub mod netlist;
pub mod two_sided;
pub mod uni_min;

use uni_min::UniMinKind;

/// Wiring of the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Topology {
    /// A line of routers.
    Linear {
        /// Number of nodes.
        nodes: u32,
    },
    /// An n-dimensional mesh.
    Mesh {
        /// Nodes along each dimension. Dimension 0 is routed first and counts fastest in node
        /// numbers.
        radices: Vec<u32>,
    },
    /// An n-dimensional torus (k-ary n-cube).
    Torus {
        /// Nodes along each dimension.
        radices: Vec<u32>,
        /// Whether worms change to a second class of virtual channels at the wrap-around link.
        /// Without it, rings can deadlock.
        #[serde(default = "yes")]
        datelines: bool,
    },
    /// A unidirectional multistage network of `switch_ports`^`stages` nodes.
    UniMin {
        /// How the stages are wired.
        #[serde(default)]
        kind: UniMinKind,
        /// Ports of every switch, each with an input and an output.
        switch_ports: u32,
        /// Stages of switches.
        stages: u32,
    },
    /// A bidirectional butterfly multistage network of `switch_ports`^`stages` nodes.
    BiMin {
        /// Ports on each of the two sides of every switch.
        switch_ports: u32,
        /// Stages of switches.
        stages: u32,
    },
    /// Any graph of switches and nodes, with tables.
    Netlist {
        /// File with the text. Its path is relative to the configuration.
        #[serde(default)]
        file: Option<String>,
        /// The text itself: one statement on a line. Give either this field or `file`.
        #[serde(default)]
        text: Option<netlist::Source>,
        /// How the routing tables are made.
        #[serde(default)]
        routing: netlist::Order,
        /// Whether destinations share parallel links. Otherwise all take the lowest link.
        #[serde(default)]
        spread: bool,
        /// Whether channels may wait for each other in a circle, so that worms can deadlock.
        #[serde(default)]
        cyclic: bool,
    },
    /// A bidirectional butterfly with nodes on both sides, `switch_ports`^`stages` on each.
    TwoSided {
        /// Ports on each of the two sides of every switch.
        switch_ports: u32,
        /// Stages of switches.
        stages: u32,
    },
}

impl Topology {
    /// The parameters as an object.
    #[must_use]
    pub fn blueprint(&self) -> Box<dyn Blueprint + '_> {
        match self {
            Self::Linear { nodes } => Box::new(grid::Parameters::linear(nodes)),
            Self::Mesh { radices } => Box::new(grid::Parameters::mesh(radices)),
            Self::Torus { radices, datelines } => Box::new(grid::Parameters::torus(radices, *datelines)),
            Self::UniMin { kind, switch_ports, stages } => {
                Box::new(uni_min::Parameters { kind, switch_ports: *switch_ports, stages: *stages })
            }
            &Self::BiMin { switch_ports, stages } => Box::new(bi_min::Parameters { switch_ports, stages }),
            Self::Netlist { file, text, routing, cyclic, spread } => Box::new(netlist::Parameters {
                file: file.as_deref(),
                text: text.as_ref(),
                routing: *routing,
                cyclic: *cyclic,
                spread: *spread,
            }),
            &Self::TwoSided { switch_ports, stages } => Box::new(two_sided::Parameters { switch_ports, stages }),
        }
    }
}

impl Topology {
    /// Reads the file that describes a topology, if it names one. `open` returns the text of a
    /// file. Returns whether the configuration gives a text beside the file.
    ///
    /// # Errors
    /// The error of `open`.
    pub fn read<E>(&mut self, open: impl FnOnce(&str) -> Result<String, E>) -> Result<bool, E> {
        match self {
            Self::Netlist { file: Some(file), text, .. } => {
                let read = netlist::Source::from(open(file)?);
                let given = text.replace(read.clone());
                Ok(given.is_some_and(|given| given != read))
            }
            Self::Linear { .. }
            | Self::Mesh { .. }
            | Self::Torus { .. }
            | Self::UniMin { .. }
            | Self::BiMin { .. }
            | Self::TwoSided { .. }
            | Self::Netlist { file: None, .. } => Ok(false),
        }
    }
}

/// Commented configurations to start from, by kind.
pub const EXAMPLES: [(&str, &str); 7] = [
    ("mesh", include_str!("example_mesh.ron")),
    ("torus", include_str!("example_torus.ron")),
    ("linear", include_str!("example_linear.ron")),
    ("uni_min", include_str!("example_uni_min.ron")),
    ("bi_min", include_str!("example_bi_min.ron")),
    ("two_sided", include_str!("example_two_sided.ron")),
    ("netlist", include_str!("example_netlist.ron")),
];

fn yes() -> bool {
    true
}
