//! Bit-string: one bit per node. Port `p` is a branch when `header & reach[p] != 0`. The copy that
//! leaves through it is masked with `reach[p]` (\[ATBM\] section 4.2). The masking is a
//! reconstruction, which delta networks do not need.
//!
//! Bit `i` is in flit `i / flit_bits` at position `i % flit_bits`. The decision needs the whole
//! header (docs/reference/timing.md, R2.13 to R2.17).

use alloc::vec::Vec;

use super::encoding::{Decision, Header, In, Layout, Out, Rom, Way, Worm, branches, whole};
use crate::{NodeId, NodeSet};

/// A header of one part, the bit-string, kept in 64-bit words.
#[derive(Clone, Copy, Debug)]
pub struct BitString;

impl Header for BitString {
    fn way(&self) -> Way {
        Way::Tree
    }

    fn part_bits(&self, layout: &Layout) -> u32 {
        layout.nodes
    }

    fn unit(&self) -> &'static str {
        "nodes"
    }

    fn looks_up_reach(&self) -> bool {
        true
    }

    fn words(&self, worm: &Worm) -> Vec<u64> {
        let mut nodes = NodeSet::repeat(false, worm.layout.nodes as usize);
        worm.destinations.iter().for_each(|node| nodes.set(node.index(), true));
        nodes.into_vec()
    }

    fn word(&self, words: &[u64], _part: usize, n: usize) -> u64 {
        words.get(n).copied().unwrap_or(0)
    }

    fn eval(&self, _rom: &dyn Rom, _words: &[u64], i: In) -> Out {
        whole(i, 1)
    }

    fn branches(&self, rom: &dyn Rom, lane: u8, words: &[u64], _stripped: bool) -> Decision {
        Decision::of(branches(rom, lane, |port| words.iter().zip(rom.reach(port)).any(|(h, r)| h & r != 0)))
    }

    fn mask<'r>(&self, rom: &'r dyn Rom, lane: u8) -> Option<&'r [u64]> {
        rom.mask(lane)
    }

    fn residue(&self, _worm: &Worm, node: NodeId, _part: u32, bit: u32) -> bool {
        bit == node.0
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::super::encoding::tests::Fork;
    use super::*;
    use crate::GroupMask;

    fn layout(nodes: u32) -> Layout {
        Layout { flit_bits: 8, is_beside: false, nodes, radices: Vec::new(), ports: 0 }
    }

    #[test]
    fn a_bit_a_node_stands_in_the_words_and_in_what_arrives() {
        let destinations = [NodeId(69), NodeId(0), NodeId(8)];
        let worm = Worm { layout: &layout(70), destinations: &destinations, port_masks: &Vec::new };
        let words = BitString.words(&worm);
        assert_eq!(words, [0x101, 1 << 5]);
        assert_eq!([0, 1, 2].map(|n| BitString.word(&words, 0, n)), [0x101, 1 << 5, 0]);
        assert_eq!([68, 69].map(|bit| BitString.residue(&worm, NodeId(69), 0, bit)), [false, true]);
        assert_eq!([70, 8, 9].map(|nodes| BitString.part_flits(&layout(nodes))), [9, 1, 2]);
    }

    #[test]
    fn a_port_is_a_branch_when_it_leads_to_a_destination_however_many_nodes_there_are() {
        let reach = vec![vec![0b0011, 0], vec![0b0100, 0], vec![0, 0b0001]];
        let rom = Fork { ports: 3, spread: 1, reach, ..Fork::default() };
        let of = |low, high| BitString.branches(&rom, 0, &[low, high], false);
        assert_eq!(of(0b0010, 0), Decision::of(GroupMask(0b001)));
        assert_eq!(of(0b1110, 0b0001), Decision::of(GroupMask(0b111)));
        assert_eq!(of(0b1000, 0b0010), Decision::of(GroupMask::NONE));
        assert_eq!(BitString.mask(&rom, 1), Some(&[0b0100, 0][..]), "what a copy is masked with");
    }

    #[test]
    fn all_of_it_is_needed() {
        let ready = |count, overlapped| {
            let seen = In { count, part: 3, stripped: false, overlapped };
            BitString.eval(&Fork::default(), &[1], seen).ready
        };
        assert_eq!([2, 3].map(|count| ready(count, false)), [false, true]);
        assert!(ready(1, true));
    }

    #[test]
    fn the_worked_bit_string_of_8_nodes_comes_out() {
        // [ATBM] section 4.2: {0, 2, 5, 7} of 8 nodes is 10100101, node 0 first, here at bit 0.
        let destinations = [0, 2, 5, 7].map(NodeId);
        let worm = Worm { layout: &layout(8), destinations: &destinations, port_masks: &Vec::new };
        let words = BitString.words(&worm);
        let bits: Vec<bool> = (0..8).map(|node| words[0] >> node & 1 == 1).collect();
        let printed: Vec<bool> = b"10100101".iter().map(|&bit| bit == b'1').collect();
        assert_eq!((words.len(), bits, words[0] >> 8), (1, printed, 0));
    }
}
