//! Unicast tag: the destination address, `ceil(address bits / flit_bits)` flits, unchanged on the
//! next link.
//!
//! The routing function (pins of the switch) turns the address into one lane group.

use alloc::vec;
use alloc::vec::Vec;

use super::encoding::{Decision, Header, In, Layout, Out, Rom, Way, Worm, whole};
use crate::{GroupMask, NodeId};

/// [`Header::eval`] without a header to look at: the decision needs the address, all its flits.
#[must_use]
#[inline(always)]
pub const fn eval(i: In) -> Out {
    whole(i, 1)
}

/// A header of one address, the word.
#[derive(Clone, Copy, Debug)]
pub struct Unicast;

impl Header for Unicast {
    fn way(&self) -> Way {
        Way::Unicast
    }

    fn part_bits(&self, layout: &Layout) -> u32 {
        layout.address_bits()
    }

    fn unit(&self) -> &'static str {
        "address bits"
    }

    fn words(&self, worm: &Worm) -> Vec<u64> {
        vec![worm.destinations[0].0.into()]
    }

    fn eval(&self, _rom: &dyn Rom, _words: &[u64], i: In) -> Out {
        eval(i)
    }

    fn branches(&self, rom: &dyn Rom, lane: u8, words: &[u64], _stripped: bool) -> Decision {
        let group = |&node| GroupMask::only(rom.group(lane, rom.port(node as u32)));
        Decision::of(words.first().map_or(GroupMask::NONE, group))
    }

    fn residue(&self, worm: &Worm, _node: NodeId, _part: u32, bit: u32) -> bool {
        bit < u32::BITS && worm.destinations[0].0 >> bit & 1 != 0
    }
}
