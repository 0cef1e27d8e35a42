//! The routing function of a network, as worms run through it.

use wormscope_hw::{NodeId, SwitchId};

use super::{DimensionOrder, Labels, Routing};
use crate::{BiMin, UniMin, Wiring};

/// A routing function: a variant for each family that networks of the papers are of, and one for
/// all others.
#[derive(Clone, Debug)]
pub enum Routes {
    /// e-cube on linear arrays, meshes and tori.
    DimensionOrder(DimensionOrder),
    /// Along the labels of a Hamiltonian path; meshes.
    LabelOrder(Labels, u8),
    /// Every stage takes the port that a digit of the destination names; unidirectional multistage
    /// networks.
    DestinationTag(UniMin),
    /// Up to where the destination is reached downwards, then down by its digits; bidirectional
    /// multistage networks.
    Turnaround(BiMin),
    /// As the network itself says.
    Own(Wiring),
}

impl Routes {
    /// The routing function of a validated network as wired, as
    /// [`Network::build`](crate::Network::build) makes it.
    ///
    /// # Panics
    /// For label order on a grid without labels, which validation refuses.
    #[must_use]
    pub fn new(routing: Routing, wiring: &Wiring) -> Self {
        if let Some(grid) = wiring.grid() {
            if routing != Routing::LabelOrder {
                return Self::DimensionOrder(DimensionOrder::new(grid));
            }
            let Some(labels) = Labels::new(grid) else { panic!("label order on {}", wiring.in_words()) };
            return Self::LabelOrder(labels, grid.node_port().0);
        }
        if let Some(min) = wiring.bi_min() {
            return Self::Turnaround(min.clone());
        }
        if let Some(min) = wiring.uni_min() {
            return Self::DestinationTag(min.clone());
        }
        Self::Own(wiring.clone())
    }

    /// Output port of `switch` towards `destination`; the first of a group of ports for any of them
    /// ([`Wiring::climbs`]).
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
            Self::Own(wiring) => wiring.port(switch, destination),
        }
    }
}
