//! What follows from a network's parameters: its name in words, sizes, classes of channels.

use std::sync::Arc;

use super::uni_min::Kind;
use super::{BiMin, End, Grid, Lanes, Network, Routing, Topology, UniMin, UniMinKind, Wiring};

impl Network {
    /// The network in some words.
    #[must_use]
    pub fn describe(&self) -> String {
        let radices = self.radices().iter().map(ToString::to_string).collect::<Vec<_>>().join("x");
        let topology = match &self.topology {
            Topology::Linear { nodes } => format!("linear array of {nodes}"),
            Topology::Mesh { .. } => format!("{radices} mesh"),
            Topology::Torus { radices: k, datelines } => {
                let family = if k.len() == 1 { format!("ring of {radices}") } else { format!("{radices} torus") };
                format!("{family} {} datelines", if *datelines { "with" } else { "without" })
            }
            Topology::UniMin { kind, switch_ports: b, stages } => {
                let kind = match kind {
                    UniMinKind::Baseline => "baseline",
                    UniMinKind::Butterfly => "butterfly",
                    UniMinKind::Omega => "omega",
                    UniMinKind::Custom { .. } => "custom",
                };
                format!("unidirectional {kind} network of {stages} stages of {b}x{b} switches")
            }
            Topology::BiMin { switch_ports: b, stages } => {
                format!("bidirectional butterfly network of {stages} stages of {b}x{b} switches")
            }
        };
        let routing = match self.routing() {
            Routing::DimensionOrder => "dimension order",
            Routing::LabelOrder => "label order",
            Routing::DestinationTag => "destination tag",
            Routing::Turnaround => "turnaround",
        };
        format!("{topology}, {routing}")
    }

    /// Nodes along each dimension of a grid; none in multistage networks.
    #[must_use]
    pub fn radices(&self) -> &[u32] {
        match &self.topology {
            Topology::Linear { nodes } => std::slice::from_ref(nodes),
            Topology::Mesh { radices } | Topology::Torus { radices, .. } => radices,
            Topology::UniMin { .. } | Topology::BiMin { .. } => &[],
        }
    }

    /// Ports of a switch, on each side of a bidirectional one, and stages of a multistage network.
    #[must_use]
    pub fn stages(&self) -> Option<(u32, u32)> {
        match self.topology {
            Topology::UniMin { switch_ports, stages, .. } | Topology::BiMin { switch_ports, stages } => {
                Some((switch_ports, stages))
            }
            _ => None,
        }
    }

    /// How a header's destination becomes an output port: as configured, else the topology's own way.
    #[must_use]
    pub fn routing(&self) -> Routing {
        self.routing.unwrap_or(match self.topology {
            Topology::Linear { .. } | Topology::Mesh { .. } | Topology::Torus { .. } => Routing::DimensionOrder,
            Topology::UniMin { .. } => Routing::DestinationTag,
            Topology::BiMin { .. } => Routing::Turnaround,
        })
    }

    /// Number of nodes; `u32::MAX` when there are more than that (validation refuses such networks).
    #[must_use]
    pub fn nodes(&self) -> u32 {
        match self.stages() {
            Some((ports, stages)) => ports.saturating_pow(stages),
            None => self.radices().iter().fold(1, |nodes: u32, &radix| nodes.saturating_mul(radix)),
        }
    }

    /// Number of switches; saturates as [`Self::nodes`] does.
    #[must_use]
    pub fn switches(&self) -> u32 {
        match self.stages() {
            Some((ports, stages)) => ports.saturating_pow(stages.saturating_sub(1)).saturating_mul(stages),
            None => self.nodes(),
        }
    }

    /// Ports of every switch.
    #[must_use]
    pub fn ports(&self) -> u32 {
        match self.topology {
            Topology::UniMin { switch_ports, .. } => switch_ports,
            Topology::BiMin { switch_ports, .. } => 2 * switch_ports,
            _ => 2 * self.radices().len() as u32 + 1,
        }
    }

    /// The wiring of a validated network.
    #[must_use]
    pub fn wiring(&self) -> Wiring {
        let min = |kind, ports: u32, stages| UniMin::new(kind, ports as u8, stages);
        match &self.topology {
            Topology::Linear { .. } | Topology::Mesh { .. } | Topology::Torus { .. } => {
                Wiring::Grid(Grid::new(self.radices().to_vec(), matches!(self.topology, Topology::Torus { .. })))
            }
            Topology::UniMin { kind, switch_ports, stages } => Wiring::UniMin(Arc::new(match kind {
                UniMinKind::Butterfly => min(Kind::Butterfly, *switch_ports, *stages),
                UniMinKind::Omega => min(Kind::Omega, *switch_ports, *stages),
                UniMinKind::Baseline => min(Kind::Baseline, *switch_ports, *stages),
                // Validation has built it before.
                UniMinKind::Custom { permutations } => UniMin::custom(*switch_ports as u8, *stages, permutations)
                    .unwrap_or_else(|_| min(Kind::Baseline, *switch_ports, *stages)),
            })),
            Topology::BiMin { switch_ports, stages } => Wiring::BiMin(BiMin::new(*switch_ports as u8, *stages)),
        }
    }

    /// How the lanes of a validated network's switches are numbered.
    #[must_use]
    pub fn lanes(&self, wiring: &Wiring) -> Lanes {
        let link = self.switch.dilation * self.switch.virtual_channels;
        let node = &self.node;
        Lanes::new(wiring, link as u8, node.injection_channels as u8, node.consumption_channels as u8)
    }

    /// Links that a port has beside each other where it leads to `end`, each of which carries a flit in a cycle.
    #[must_use]
    pub const fn parallel_links(&self, end: End) -> u32 {
        match end {
            End::Node(_) => self.node.consumption_channels,
            End::Switch(..) => self.switch.dilation,
        }
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

    /// Input lanes of every switch: the channels of its links and the injection channels; in multistage networks, where a port
    /// leads to a node in one stage and to a switch in another, as many as the larger of the two needs.
    #[must_use]
    pub fn input_lanes(&self) -> u32 {
        self.side_lanes(self.node.injection_channels)
    }

    /// Output lanes of every switch, likewise: the channels of its links and the consumption channels.
    #[must_use]
    pub fn output_lanes(&self) -> u32 {
        self.side_lanes(self.node.consumption_channels)
    }

    fn side_lanes(&self, node: u32) -> u32 {
        let link = self.switch.dilation.saturating_mul(self.switch.virtual_channels);
        match self.topology {
            Topology::UniMin { switch_ports: b, .. } => b.saturating_mul(link.max(node)),
            Topology::BiMin { switch_ports: b, .. } => b.saturating_mul(link.max(node).saturating_add(link)),
            _ => (2 * self.radices().len() as u32).saturating_mul(link).saturating_add(node),
        }
    }

    /// Input FIFOs that exist: those of connected ports.
    #[must_use]
    pub fn fifos(&self) -> u64 {
        let nodes = u64::from(self.nodes());
        let channels = u64::from(self.switch.dilation * self.switch.virtual_channels);
        let injection = nodes * u64::from(self.node.injection_channels);
        if let Some((_, stages)) = self.stages() {
            let ways = if matches!(self.topology, Topology::BiMin { .. }) { 2 } else { 1 };
            return ways * u64::from(stages - 1) * nodes * channels + injection;
        }
        let wraps = matches!(self.topology, Topology::Torus { .. });
        let links = |&k: &u32| match (u64::from(k), wraps) {
            (1, _) => 0,
            (_, true) => 2 * nodes,
            (k, false) => 2 * (k - 1) * (nodes / k),
        };
        let links: u64 = self.radices().iter().map(links).sum();
        links * channels + injection
    }

    /// Bits of all input FIFOs.
    #[must_use]
    pub fn fifo_bits(&self) -> u64 {
        self.fifos() * u64::from(self.switch.fifo_depth) * u64::from(self.switch.flit_bits)
    }

    /// Whether worms that replicate can wait for each other in the last stage of a multistage network: they cannot where a node has a
    /// consumption channel for every input of that stage that can bring it a worm with several branches.
    #[must_use]
    pub fn last_stage_blocks(&self) -> bool {
        let link = self.switch.dilation * self.switch.virtual_channels;
        let inject = self.node.injection_channels;
        let inputs = match self.topology {
            Topology::UniMin { switch_ports: b, stages: 1, .. } => b * inject,
            Topology::UniMin { switch_ports: b, .. } => b * link,
            Topology::BiMin { switch_ports: b, stages } => {
                // From above; and from its own nodes where two others are left to send to.
                b * (u32::from(stages > 1) * link + u32::from(b > 2) * inject)
            }
            Topology::Linear { .. } | Topology::Mesh { .. } | Topology::Torus { .. } => return true,
        };
        self.node.consumption_channels < inputs
    }

    /// Flits of one port mask of a multiport header: a bit for each of the ports that lead to nodes.
    #[must_use]
    pub fn mask_flits(&self) -> u32 {
        self.stages().map_or(1, |(ports, _)| wormscope_hw::header::multiport::needed(ports, self.switch.flit_bits))
    }

    /// Most switches of a multistage network that a worm passes on its way to a node.
    #[must_use]
    pub fn longest_way(&self) -> u32 {
        match self.topology {
            Topology::BiMin { stages, .. } => 2 * stages - 1,
            Topology::UniMin { stages, .. } => stages,
            _ => 0,
        }
    }

    /// Bytes of the tables of reachability bits that bit-string worms need: a bit per switch, port and node, in 64-bit words.
    #[must_use]
    pub fn reach_bytes(&self) -> u64 {
        let tables = u64::from(self.switches()).saturating_mul(self.ports().into());
        tables.saturating_mul(u64::from(self.nodes()).div_ceil(64) * 8)
    }
}
