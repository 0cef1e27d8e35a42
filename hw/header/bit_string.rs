//! Bit-string: one bit per node; port `p` is a branch when `header & reach[p] != 0`, and the copy
//! that leaves through it is masked with `reach[p]` (\[ATBM\] section 4.2; the masking is a
//! reconstruction, which delta networks do not need).
//!
//! Bit `i` stands in flit `i / flit_bits` at position `i % flit_bits`. The decision needs all of
//! the header.

use alloc::vec::Vec;

use super::encoding::{Decision, Header, In, Layout, Out, Rom, Way, Worm, branches, whole};
use crate::{NodeId, NodeSet};

/// A header of one part, the bit-string, whose 64-bit words it is kept in.
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
