//! Unicast: the destination address, `ceil(address bits / flit_bits)` flits, which stay unchanged
//! on the next link.
//!
//! The routing function of the switch turns the address into one lane group
//! (docs/reference/timing.md, R3.16 to R3.23).

use alloc::vec;
use alloc::vec::Vec;

use super::encoding::{Decision, Header, In, Layout, Out, Rom, Way, Worm, whole};
use crate::{GroupMask, NodeId};

/// [`Header::eval`] without a header: the decision needs all flits of the address.
#[must_use]
#[inline(always)]
pub const fn eval(i: In) -> Out {
    whole(i, 1)
}

/// A header of one address, which is the word.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::tests::LINE;

    #[test]
    fn the_address_is_needed_and_stays() {
        for count in 0..5 {
            let seen = In { count, part: 3, stripped: false, overlapped: false };
            let out = Unicast.eval(&LINE, &[2], seen);
            assert_eq!(out, Out { strip: false, ready: count >= 3, holds: false, drops: false });
            assert!(Unicast.eval(&LINE, &[2], In { overlapped: true, ..seen }).ready);
        }
    }

    #[test]
    fn the_routing_function_names_the_one_branch() {
        let of = |node| Unicast.branches(&LINE, 0, &[node], false);
        assert_eq!([0, 1, 2].map(of), [0b010, 0b100, 0b001].map(|groups| Decision::of(GroupMask(groups))));
    }

    #[test]
    fn the_address_arrives_as_it_was_sent() {
        let layout = Layout { flit_bits: 4, is_beside: false, nodes: 300, radices: Vec::new(), ports: 0 };
        let worm = Worm { layout: &layout, destinations: &[NodeId(0b1_0000_0101)], port_masks: &Vec::new };
        assert_eq!((Unicast.words(&worm), Unicast.part_bits(&layout), Unicast.part_flits(&layout)), (vec![261], 9, 3));
        let arrives = (0..40).filter(|&bit| Unicast.residue(&worm, NodeId(261), 0, bit));
        assert!(arrives.eq([0, 2, 8]));
    }
}
