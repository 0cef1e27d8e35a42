//! The routing function of a network, one variant a family.

use std::sync::Arc;

use wormscope_hw::{NodeId, SwitchId};

use super::{DimensionOrder, Labels};
use crate::network::{BiMin, Grid, Routing, UniMin, Wiring};

/// A routing function. One variant a family.
#[derive(Clone, Debug)]
pub enum Routes {
    /// e-cube on linear arrays, meshes and tori.
    DimensionOrder(DimensionOrder),
    /// Along the labels of a Hamiltonian path; meshes.
    LabelOrder(Labels, u8),
    /// Every stage takes the port that a digit of the destination names; unidirectional multistage networks.
    DestinationTag(Arc<UniMin>),
    /// Up to where the destination is reached downwards, then down by its digits; bidirectional multistage networks.
    Turnaround(BiMin),
}

impl Routes {
    /// The routing function of a validated network as wired.
    #[must_use]
    pub fn new(routing: Routing, wiring: &Wiring) -> Self {
        match wiring {
            Wiring::Grid(grid) if routing == Routing::LabelOrder => Labels::new(grid)
                .map_or_else(|| Self::dimension_order(grid), |l| Self::LabelOrder(l, grid.node_port().0)),
            Wiring::Grid(grid) => Self::dimension_order(grid),
            Wiring::UniMin(min) => Self::DestinationTag(Arc::clone(min)),
            Wiring::BiMin(min) => Self::Turnaround(min.clone()),
        }
    }

    fn dimension_order(grid: &Grid) -> Self {
        Self::DimensionOrder(DimensionOrder::new(grid))
    }

    /// Output port of `switch` towards `destination`; [`Wiring::up`] for the group of ports that it begins.
    #[must_use]
    #[inline(always)]
    pub fn port(&self, switch: SwitchId, destination: NodeId) -> u8 {
        match self {
            Self::DimensionOrder(r) => r.port(switch.0, destination.0),
            Self::LabelOrder(labels, local) => {
                labels.next_port(NodeId(switch.0), destination).map_or(*local, |port| port.0)
            }
            Self::DestinationTag(min) => min.tag(switch, destination),
            Self::Turnaround(min) => min.port(switch, destination),
        }
    }
}
