//! Mask: an address and a mask of its don't-care bits. Each has `ceil(address bits / flit_bits)`
//! flits. Bit i of both is in their flit `i / flit_bits` at position `i % flit_bits`.
//!
//! The worm goes to all nodes that match. A node matches if its address equals the header's in
//! every bit that the mask leaves out. An address that is no node's matches nothing. Multicast
//! routers of today's networks on chip do the same (PULP `FlooNoC`, `hw/floo_route_xymask.sv`).
//!
//! The address is the number of the node ([`BY_NUMBER`]) or, on a grid, its coordinates side by
//! side ([`BY_COORDINATES`]). Each coordinate has as many bits as its radix needs, and dimension 0
//! is lowest. With coordinates a worm goes to a product of matching columns and rows, for all
//! radices. If all radices are powers of two, both addresses are equal.
//!
//! The header is the same on every link, so it also names nodes that other branches serve. A switch
//! therefore looks at the input. Only matching nodes [ahead](Rom::ahead) of the input belong to
//! this branch. The switch before sends to them through the link. The node that sends the worm is
//! not ahead of its own input. So the node gets no copy, even if it matches. With `copy_to_source`
//! all nodes are ahead of an input from a node, and a source that matches gets a copy.
//!
//! A port is a branch when one of these nodes is routed through it. The worm goes up as long as one
//! of them is not below (docs/reference/timing.md, R2.26 to R2.35).

use alloc::vec;
use alloc::vec::Vec;

use super::encoding::{Decision, Header, In, Layout, Out, Rom, Way, Worm, branches, whole};
use crate::{GroupMask, NodeId, PortMask};

/// A header of two parts, the address and the mask.
#[derive(Clone, Copy, Debug)]
pub struct Mask {
    by_coordinates: bool,
}

/// A mask of bits of the node's number.
pub const BY_NUMBER: Mask = Mask { by_coordinates: false };

/// A mask of bits of the node's coordinates.
pub const BY_COORDINATES: Mask = Mask { by_coordinates: true };

impl Mask {
    /// Number of values of each field of an address, the lowest field first.
    fn fields(self, layout: &Layout) -> &[u32] {
        if self.by_coordinates { &layout.radices } else { core::slice::from_ref(&layout.nodes) }
    }

    /// The address of a node.
    fn address(self, layout: &Layout, node: NodeId) -> u64 {
        let (mut left, mut shift, mut address) = (node.0, 0, 0);
        for &values in self.fields(layout) {
            address |= u64::from(left % values) << shift;
            left /= values;
            shift += bits(values);
        }
        address
    }

    /// The node with this address, if there is one.
    fn node(self, layout: &Layout, mut address: u64) -> Option<u32> {
        let (mut node, mut stride) = (0, 1);
        for &values in self.fields(layout) {
            let value = address as u32 & ((1 << bits(values)) - 1);
            if value >= values {
                return None;
            }
            node += value * stride;
            stride *= values;
            address >>= bits(values);
        }
        Some(node)
    }

    /// The smallest address and mask that all `nodes` match.
    fn around(self, layout: &Layout, nodes: &[NodeId]) -> (u64, u64) {
        let addresses = || nodes.iter().map(|&node| self.address(layout, node));
        let first = addresses().next().unwrap_or(0);
        let mask = addresses().fold(0, |mask, address| mask | (address ^ first));
        (first & !mask, mask)
    }

    /// The nodes that match, ascending.
    fn matching(self, layout: &Layout, address: u64, mask: u64) -> impl Iterator<Item = NodeId> {
        // The next number whose bits are all within the mask.
        let next = move |&bits: &u64| (bits != mask).then_some((bits | !mask).wrapping_add(1) & mask);
        core::iter::successors(Some(0), next).filter_map(move |bits| self.node(layout, address | bits)).map(NodeId)
    }
}

/// Number of bits of a field with this many values.
const fn bits(values: u32) -> u32 {
    u32::BITS - values.saturating_sub(1).leading_zeros()
}

impl Header for Mask {
    fn way(&self) -> Way {
        Way::Tree
    }

    fn part_bits(&self, layout: &Layout) -> u32 {
        self.fields(layout).iter().map(|&values| bits(values)).sum::<u32>().max(1)
    }

    fn unit(&self) -> &'static str {
        if self.by_coordinates { "coordinate bits" } else { "address bits" }
    }

    fn parts(&self, _destinations: u32, _switches: u32) -> u32 {
        2
    }

    fn decision_parts(&self, _destinations: u32) -> u32 {
        2
    }

    fn names_any_set(&self) -> bool {
        false
    }

    fn stays(&self) -> bool {
        true
    }

    fn is_of_coordinates(&self) -> bool {
        self.by_coordinates
    }

    fn reached(&self, layout: &Layout, destinations: &[NodeId]) -> Vec<NodeId> {
        let (address, mask) = self.around(layout, destinations);
        self.matching(layout, address, mask).collect()
    }

    fn looks_up_reach(&self) -> bool {
        true
    }

    fn words(&self, worm: &Worm) -> Vec<u64> {
        let (address, mask) = self.around(worm.layout, worm.destinations);
        vec![mask, address]
    }

    fn eval(&self, _rom: &dyn Rom, _words: &[u64], i: In) -> Out {
        whole(i, 2)
    }

    fn branches(&self, rom: &dyn Rom, lane: u8, words: &[u64], _stripped: bool) -> Decision {
        let &[mask, address] = words else { return Decision::of(GroupMask::NONE) };
        let ahead = self.matching(rom.layout(), address, mask).filter(|node| rom.ahead(lane, node.0));
        let ports: PortMask = ahead.map(|node| rom.port(node.0)).collect();
        Decision::of(branches(rom, lane, |port| ports.has(port)))
    }

    fn residue(&self, worm: &Worm, _node: NodeId, part: u32, bit: u32) -> bool {
        let set = |node: &NodeId| bit < u64::BITS && self.address(worm.layout, *node) >> bit & 1 != 0;
        let all = worm.destinations.iter().all(set);
        let some = worm.destinations.iter().any(set);
        if part == 0 { all } else { some && !all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LaneMask;
    use crate::lane_group::Climb;

    /// Router (1, 0) of a mesh of 3x2 nodes, with this layout. It routes X before Y. Its ports are
    /// +x, -x, +y, -y and its own node, a lane each.
    struct Router(Layout);

    fn mesh(radices: &[u32]) -> Layout {
        Layout { flit_bits: 8, is_beside: false, nodes: radices.iter().product(), radices: radices.to_vec(), ports: 0 }
    }

    impl Rom for Router {
        fn port(&self, destination: u32) -> u8 {
            match (destination % 3, destination / 3) {
                (2, _) => 0,
                (0, _) => 1,
                (_, 1) => 2,
                _ => 4,
            }
        }

        fn group(&self, _: u8, port: u8) -> u8 {
            port
        }

        fn reach(&self, _: u8) -> &[u64] {
            &[]
        }

        fn ahead(&self, lane: u8, node: u32) -> bool {
            [node % 3 < 2, (1..3).contains(&(node % 3)), node == 1, false, node != 1][usize::from(lane)]
        }

        fn layout(&self) -> &Layout {
            &self.0
        }

        fn mask(&self, _: u8) -> Option<&[u64]> {
            None
        }

        fn link(&self, lane: u8) -> LaneMask {
            LaneMask::only(lane)
        }

        fn ports(&self) -> u8 {
            5
        }

        fn climbs(&self) -> &[Climb] {
            &[]
        }
    }

    fn nodes(set: u32) -> Vec<NodeId> {
        crate::bits(set.into()).map(|node| NodeId(node as u32)).collect()
    }

    #[test]
    fn coordinates_stand_side_by_side_in_an_address() {
        assert_eq!([0, 2, 3, 5].map(|n| BY_COORDINATES.address(&mesh(&[3, 2]), NodeId(n))), [0, 0b010, 0b100, 0b110]);
        assert_eq!([0, 2, 3, 5].map(|n| BY_NUMBER.address(&mesh(&[3, 2]), NodeId(n))), [0, 2, 3, 5]);
        assert_eq!((BY_COORDINATES.part_bits(&mesh(&[3, 2])), BY_NUMBER.part_bits(&mesh(&[3, 2]))), (3, 3));
        let line = mesh(&[1, 1]);
        assert_eq!((BY_COORDINATES.part_bits(&line), BY_NUMBER.part_bits(&line)), (1, 1));
    }

    #[test]
    fn an_address_that_is_no_nodes_matches_nothing() {
        let matching =
            |mask: Mask, address, of| mask.matching(&mesh(&[3, 2]), address, of).map(|node| node.0).collect::<Vec<_>>();
        assert_eq!(matching(BY_COORDINATES, 0b001, 0b010), [1], "there is no column 3");
        assert_eq!(matching(BY_COORDINATES, 0b000, 0b110), [0, 2, 3, 5]);
        assert_eq!(matching(BY_NUMBER, 0b001, 0b110), [1, 3, 5], "there is no node 7");
        assert_eq!(matching(BY_NUMBER, 0b110, 0b001), []);
    }

    #[test]
    fn the_smallest_mask_around_a_set_has_the_fewest_nodes_beside_it() {
        for (mask, set) in
            [BY_NUMBER, BY_COORDINATES].into_iter().flat_map(|mask| (1..1 << 6).map(move |set| (mask, set)))
        {
            let as_set = |nodes: &mut dyn Iterator<Item = NodeId>| nodes.fold(0, |set: u32, node| set | 1 << node.0);
            let found = as_set(&mut mask.reached(&mesh(&[3, 2]), &nodes(set)).into_iter());
            assert_eq!(found & set, set);
            for (address, dont_care) in (0..8).flat_map(|address| (0..8).map(move |dont_care| (address, dont_care))) {
                let other = as_set(&mut mask.matching(&mesh(&[3, 2]), address & !dont_care, dont_care));
                assert!(other & set != set || other & found == found, "{mask:?}: {set:06b}");
            }
        }
    }

    #[test]
    fn a_branch_leads_to_what_matches_ahead_of_the_input() {
        // All nodes of columns 0 and 2, then all nodes.
        let of = |lane, address, mask| {
            BY_COORDINATES.branches(&Router(mesh(&[3, 2])), lane, &[mask, address], false).groups.0
        };
        assert_eq!(of(4, 0, 0b110), 0b00011);
        assert_eq!((of(0, 0, 0b110), of(1, 0, 0b110)), (0b00010, 0b00001), "others serve those behind");
        assert_eq!(
            (of(4, 0, 0b111), of(1, 0, 0b111), of(2, 0, 0b111)),
            (0b00111, 0b10101, 0b10000),
            "no copy to the source"
        );
    }

    #[test]
    fn address_and_mask_are_needed() {
        let ready = |count, overlapped| {
            let seen = In { count, part: 2, stripped: false, overlapped };
            let out = BY_NUMBER.eval(&Router(mesh(&[3, 2])), &[0, 1], seen);
            assert!(!out.strip && !out.holds);
            out.ready
        };
        assert_eq!([1, 2, 3, 4].map(|count| ready(count, false)), [false, false, false, true]);
        assert!(ready(1, true));
    }

    #[test]
    fn what_arrives_is_what_was_sent() {
        for (mask, set) in
            [BY_NUMBER, BY_COORDINATES].into_iter().flat_map(|mask| (1..1 << 6).map(move |set| (mask, set)))
        {
            let destinations = nodes(set);
            let worm = Worm { layout: &mesh(&[3, 2]), destinations: &destinations, port_masks: &Vec::new };
            let words = mask.words(&worm);
            for (part, bit) in (0..2).flat_map(|part| (0..4).map(move |bit| (part, bit))) {
                let sent = mask.word(&words, 1 - part as usize, 0) >> bit & 1 != 0;
                assert_eq!(mask.residue(&worm, destinations[0], part, bit), sent, "{mask:?}: {set:06b}");
            }
        }
    }
}
