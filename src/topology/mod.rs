//! Wiring: which switches exist, where their ports lead, where the nodes sit.

pub mod mesh;

use wormscope_hw::{NodeId, PortId, SwitchId};

pub use mesh::Grid;

/// What an output port (or the far side of an input port) is linked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Port of a switch.
    Switch(SwitchId, PortId),
    /// A node.
    Node(NodeId),
}

/// A network as wired. One variant a family; later families (multistage networks) join here.
#[derive(Clone, Debug)]
pub enum Wiring {
    /// Linear arrays, meshes and tori.
    Grid(Grid),
}

impl Wiring {
    /// Number of nodes.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        match self {
            Self::Grid(g) => g.nodes(),
        }
    }

    /// Number of switches.
    #[must_use]
    pub fn switches(&self) -> u32 {
        match self {
            Self::Grid(g) => g.nodes(),
        }
    }

    /// Ports of every switch, connected or not.
    #[must_use]
    pub fn ports(&self) -> u8 {
        match self {
            Self::Grid(g) => g.ports(),
        }
    }

    /// Where output port `port` of `switch` leads; `None` at the border of a mesh. Links are symmetric: the far port's
    /// output leads back here.
    #[must_use]
    pub fn link(&self, switch: SwitchId, port: PortId) -> Option<End> {
        match self {
            Self::Grid(g) => g.link(switch, port),
        }
    }

    /// Switch and port a node is attached to.
    #[must_use]
    pub fn attachment(&self, node: NodeId) -> (SwitchId, PortId) {
        match self {
            Self::Grid(g) => (SwitchId(node.0), g.node_port()),
        }
    }

    /// Name of a switch in waveforms and reports, `rt_<x>_<y>[_<z>]`.
    #[must_use]
    pub fn switch_name(&self, switch: SwitchId) -> String {
        match self {
            Self::Grid(g) => g.router_name(switch),
        }
    }
}
