//! The two ends of a link.

use wormscope_hw::{NodeId, PortId, SwitchId};

/// The end that an output leads to, or that an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Port of a switch.
    Switch(SwitchId, PortId),
    /// A node.
    Node(NodeId),
}

impl From<(SwitchId, PortId)> for End {
    fn from((switch, port): (SwitchId, PortId)) -> Self {
        Self::Switch(switch, port)
    }
}
