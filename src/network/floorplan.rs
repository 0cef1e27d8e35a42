//! Floorplan: the length of each link, in pitches. A pitch is the distance between the centres of
//! two neighbouring switches.
//!
//! - A grid is an array of tiles. Dimensions 0, 2, ... go along x and dimensions 1, 3, ... along y.
//!   A link of dimension 2 leads over a whole row of dimension 0.
//! - A torus is folded: each second tile of a row is on its way back. So a link leads to the next
//!   but one tile, and none leads around the edge.
//! - The stages of a multistage network are columns with rows of switches. A link goes one column
//!   on, and up or down to its row.
//! - The place of a switch of a netlist is not known. Its links are one pitch long.

use wormscope_hw::{PortId, SwitchId};

use super::{End, Network, Wiring};

impl Network {
    /// Length of the link behind an output port of a switch, in pitches. `None` if the port leads
    /// to no switch.
    #[must_use]
    pub fn pitches(&self, wiring: &Wiring, switch: SwitchId, port: PortId) -> Option<u32> {
        let End::Switch(to, _) = wiring.output(switch, port)? else { return None };
        if let Some(grid) = wiring.grid() {
            let (radices, dimension) = (grid.radices(), usize::from(port.0 / 2));
            let stride: u32 = (dimension % 2..dimension).step_by(2).map(|lower| radices[lower]).product();
            return Some(if grid.wraps() && radices[dimension] > 2 { 2 * stride } else { stride });
        }
        let Some((_, stages)) = self.stages() else { return Some(1) };
        let rows = wiring.switches() / stages;
        Some(1 + (switch.0 % rows).abs_diff(to.0 % rows))
    }

    /// Length of the longest link between two switches, in pitches; 0 without such a link.
    #[must_use]
    pub fn longest_link(&self, wiring: &Wiring) -> u32 {
        let ports = (0..wiring.ports()).map(PortId);
        // Equal switches of a grid have links of equal length.
        let switches: Vec<SwitchId> = match wiring.grid() {
            Some(_) => wiring.kinds().into_iter().map(|(switch, _)| switch).collect(),
            None => (0..wiring.switches()).map(SwitchId).collect(),
        };
        let of = |switch: SwitchId| ports.clone().filter_map(move |port| self.pitches(wiring, switch, port));
        switches.into_iter().flat_map(of).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Network, Topology, UniMinKind};

    fn longest(topology: Topology) -> u32 {
        let network = Network::new(topology);
        network.longest_link(&network.wiring())
    }

    #[test]
    fn links_are_as_long_as_on_a_drawing() {
        assert_eq!(longest(Topology::Linear { nodes: 1 }), 0);
        assert_eq!(longest(Topology::Mesh { radices: vec![8, 8] }), 1);
        // A layer of 4x3 tiles is beside the next: a link of dimension 2 leads over 4 tiles.
        assert_eq!(longest(Topology::Mesh { radices: vec![4, 3, 2] }), 4);
        assert_eq!(longest(Topology::Mesh { radices: vec![4, 3, 2, 2] }), 4);
        assert_eq!(longest(Topology::Torus { radices: vec![8, 8], datelines: true }), 2);
        // A ring of two has its second link beside the first.
        assert_eq!(longest(Topology::Torus { radices: vec![2, 2], datelines: true }), 1);
        // Four rows: a butterfly of 2x2 switches crosses two of them in its first stage.
        let kind = UniMinKind::Butterfly;
        assert_eq!(longest(Topology::UniMin { kind, switch_ports: 2, stages: 3 }), 3);
        assert_eq!(longest(Topology::BiMin { switch_ports: 2, stages: 3 }), 3);
    }
}
