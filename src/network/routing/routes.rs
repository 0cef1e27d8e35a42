//! The routing function of a network, as worms run through it.

use wormscope_hw::{NodeId, SwitchId};

use super::{DimensionOrder, Labels, Routing};
use crate::{BiMin, UniMin, Wiring};

/// A routing function. The families of the papers have a variant each, and all others share one.
#[derive(Clone, Debug)]
pub enum Routes {
    /// e-cube on linear arrays, meshes and tori, also with the last dimension first.
    DimensionOrder(DimensionOrder),
    /// Along the labels of a Hamiltonian path, on meshes.
    LabelOrder(Labels, u8),
    /// In every stage, the port that a digit of the destination names; in unidirectional multistage
    /// networks.
    DestinationTag(UniMin),
    /// Up until the destination can be reached downwards, then down by its digits; in bidirectional
    /// multistage networks.
    Turnaround(BiMin),
    /// The function of the network itself.
    Own(Wiring),
}

impl Routes {
    /// The routing function of a valid network as wired. [`Network::build`](crate::Network::build)
    /// calls it.
    ///
    /// # Panics
    /// Panics for label order on a grid without labels, which validation refuses.
    #[must_use]
    pub fn new(routing: Routing, wiring: &Wiring) -> Self {
        if let Some(grid) = wiring.grid() {
            match routing {
                Routing::LabelOrder => {}
                Routing::ReverseDimensionOrder => {
                    return Self::DimensionOrder(DimensionOrder::new(grid).reversed());
                }
                _ => return Self::DimensionOrder(DimensionOrder::new(grid)),
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

    /// Output port of `switch` towards `destination`; for any port of a group, its first port
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
