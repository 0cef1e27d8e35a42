//! Routing functions: from (switch, destination) to an output port, and from (input lane, port) to a lane group.

pub mod dimension_order;

use wormscope_hw::{NodeId, SwitchId};

pub use dimension_order::DimensionOrder;

/// A routing function. One variant a family.
#[derive(Clone, Debug)]
pub enum Routes {
    /// e-cube on linear arrays, meshes and tori.
    DimensionOrder(DimensionOrder),
}

impl Routes {
    /// Output port of `switch` towards `destination`.
    #[must_use]
    #[inline(always)]
    pub fn port(&self, switch: SwitchId, destination: NodeId) -> u8 {
        match self {
            Self::DimensionOrder(r) => r.port(switch.0, destination.0),
        }
    }
}
