//! Wiring: which switches exist, where their ports lead, where the nodes sit.

use std::sync::Arc;

use wormscope_hw::{NodeId, PortId, SwitchId};

use super::{BiMin, End, Grid, UniMin};

/// Consecutive ports whose lanes are numbered alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// How many.
    pub ports: u8,
    /// At some switch one of them is linked to a switch.
    pub to_switches: bool,
    /// At some switch one of them is linked to a node.
    pub to_nodes: bool,
}

/// A network as wired. One variant a family.
#[derive(Clone, Debug)]
pub enum Wiring {
    /// Linear arrays, meshes and tori.
    Grid(Grid),
    /// Unidirectional multistage networks.
    UniMin(Arc<UniMin>),
    /// Bidirectional multistage networks.
    BiMin(BiMin),
}

impl Wiring {
    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        match self {
            Self::Grid(g) => g.nodes(),
            Self::UniMin(m) => m.nodes(),
            Self::BiMin(m) => m.nodes(),
        }
    }

    /// Number of switches.
    #[must_use]
    pub fn switches(&self) -> u32 {
        match self {
            Self::Grid(g) => g.nodes(),
            Self::UniMin(m) => m.stages() * m.rows(),
            Self::BiMin(m) => m.stages() * m.rows(),
        }
    }

    /// Ports of every switch, connected or not.
    #[must_use]
    pub fn ports(&self) -> u8 {
        self.sections().map(|s| s.ports).iter().sum()
    }

    /// The ports of every switch in two sections, in ascending order.
    #[must_use]
    pub fn sections(&self) -> [Section; 2] {
        let section = |ports, to_switches, to_nodes| Section { ports, to_switches, to_nodes };
        match self {
            Self::Grid(g) => [section(g.ports() - 1, true, false), section(1, false, true)],
            Self::UniMin(m) => [section(m.ports(), true, true), section(0, true, false)],
            Self::BiMin(m) => [section(m.up().0, true, true), section(m.up().0, true, false)],
        }
    }

    /// Where output port `port` of `switch` leads; `None` where it is not connected.
    #[must_use]
    pub fn output(&self, switch: SwitchId, port: PortId) -> Option<End> {
        match self {
            Self::Grid(g) => g.link(switch, port),
            Self::UniMin(m) => Some(m.output(switch, port)),
            Self::BiMin(m) => m.link(switch, port),
        }
    }

    /// Where input port `port` of `switch` comes from; `None` where it is not connected.
    #[must_use]
    pub fn input(&self, switch: SwitchId, port: PortId) -> Option<End> {
        match self {
            Self::Grid(g) => g.link(switch, port),
            Self::UniMin(m) => Some(m.input(switch, port)),
            Self::BiMin(m) => m.link(switch, port),
        }
    }

    /// Switch and input port that a node feeds.
    #[must_use]
    pub fn injection(&self, node: NodeId) -> (SwitchId, PortId) {
        match self {
            Self::Grid(g) => (SwitchId(node.0), g.node_port()),
            Self::UniMin(m) => m.injection(node),
            Self::BiMin(m) => m.attachment(node),
        }
    }

    /// Switch and output port that lead to a node.
    #[must_use]
    pub fn consumption(&self, node: NodeId) -> (SwitchId, PortId) {
        match self {
            Self::UniMin(m) => m.consumption(node),
            Self::Grid(_) | Self::BiMin(_) => self.injection(node),
        }
    }

    /// Where routing is adaptive: the first of the ports, up to the last, that are one lane group, named by this port. Those are the
    /// ports of a bidirectional multistage network that lead away from the nodes.
    #[must_use]
    pub fn up(&self) -> Option<PortId> {
        match self {
            Self::BiMin(m) => Some(m.up()),
            Self::Grid(_) | Self::UniMin(_) => None,
        }
    }

    /// Name of a switch in waveforms and reports, `rt_<x>_<y>[_<z>]` or `sw_s<stage>_r<row>`.
    #[must_use]
    pub fn switch_name(&self, switch: SwitchId) -> String {
        let staged = |rows: u32| format!("sw_s{}_r{}", switch.0 / rows, switch.0 % rows);
        match self {
            Self::Grid(g) => g.router_name(switch),
            Self::UniMin(m) => staged(m.rows()),
            Self::BiMin(m) => staged(m.rows()),
        }
    }

    /// The switch that [`Wiring::switch_name`] calls so.
    #[must_use]
    pub fn switch_named(&self, name: &str) -> Option<SwitchId> {
        let staged = |rows: u32| {
            let (stage, row) = name.strip_prefix("sw_s")?.split_once("_r")?;
            stage.parse::<u32>().ok()?.checked_mul(rows)?.checked_add(row.parse().ok()?)
        };
        let number = match self {
            Self::Grid(g) => {
                let coordinates: Vec<u32> =
                    name.strip_prefix("rt_")?.split('_').map(str::parse).collect::<Result<_, _>>().ok()?;
                let places = coordinates.iter().zip(g.radices()).rev();
                places.fold(0_u32, |number, (x, radix)| number.wrapping_mul(*radix).wrapping_add(*x))
            }
            Self::UniMin(m) => staged(m.rows())?,
            Self::BiMin(m) => staged(m.rows())?,
        };
        // Other texts are read as the same numbers: `rt_01_2`.
        let switch = SwitchId(number);
        (number < self.switches() && self.switch_name(switch) == name).then_some(switch)
    }
}
