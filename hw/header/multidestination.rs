//! Multidestination: addresses in visiting order. A router that *is* the first address strips it,
//! absorbs a copy and forwards the rest towards the next address. Any other router routes towards
//! the first address (\[KP\] section 2.2; \[TPP\] step 4).
//!
//! The `hdr` side signal of the flit after an address tells whether another address follows
//! (docs/reference/timing.md, R5.5 to R5.8).

use alloc::vec::Vec;

use super::encoding::{Decision, Header, In, Layout, Out, Rom, Way, Worm};
use crate::{GroupMask, NodeId};

/// A header of addresses, a part each.
#[derive(Clone, Copy, Debug)]
pub struct Multidestination;

/// Port of the router's own node.
fn own(rom: &dyn Rom) -> u8 {
    rom.ports() - 1
}

impl Header for Multidestination {
    fn way(&self) -> Way {
        Way::Path
    }

    fn part_bits(&self, layout: &Layout) -> u32 {
        layout.address_bits()
    }

    fn unit(&self) -> &'static str {
        "address bits"
    }

    fn parts(&self, destinations: u32, _switches: u32) -> u32 {
        destinations
    }

    /// A router that absorbs and forwards needs two addresses.
    fn decision_parts(&self, destinations: u32) -> u32 {
        destinations.min(2)
    }

    fn words(&self, worm: &Worm) -> Vec<u64> {
        worm.destinations.iter().rev().map(|node| node.0.into()).collect()
    }

    /// The own address is stripped in the cycle in which all its flits are in the FIFO. The
    /// decision then waits for the next address. If no address follows, the decision waits for one
    /// flit, whose `hdr = 0` says so. Overlapped, the decision starts with the first flit. It ends
    /// when the own address is stripped, at the earliest.
    fn eval(&self, rom: &dyn Rom, words: &[u64], i: In) -> Out {
        let is_here = words.last().is_some_and(|&node| rom.port(node as u32) == own(rom));
        let own = is_here && !i.stripped;
        let strip = own && i.count >= i.part;
        let count = if strip { i.count - i.part } else { i.count };
        let follows = if own { words.len() > 1 } else { !words.is_empty() };
        let needed = if follows { i.part } else { 1 };
        let holds = own && !strip;
        Out { strip, ready: i.overlapped || !holds && count >= needed, holds, drops: strip }
    }

    fn branches(&self, rom: &dyn Rom, lane: u8, words: &[u64], stripped: bool) -> Decision {
        let group = |port| GroupMask::only(rom.group(lane, port));
        let forward = words.last().map_or(GroupMask::NONE, |&node| group(rom.port(node as u32)));
        Decision::of(if stripped { forward | group(own(rom)) } else { forward })
    }

    fn residue(&self, worm: &Worm, _node: NodeId, part: u32, bit: u32) -> bool {
        let address = worm.destinations.get(part as usize).map_or(0, |d| d.0);
        bit < u32::BITS && address >> bit & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoder::tests::LINE;

    #[test]
    fn the_next_address_is_needed_besides_the_own() {
        assert_eq!([1, 2, 3].map(|destinations| Multidestination.decision_parts(destinations)), [1, 2, 2]);
    }

    /// Outputs of the decoder of node 1's router for these addresses of two flits each, the first
    /// one last: strip, ready, holds.
    fn of(words: &[u64], count: u16, overlapped: bool) -> (bool, bool, bool) {
        let seen = In { count, part: 2, stripped: false, overlapped };
        let Out { strip, ready, holds, drops } = Multidestination.eval(&LINE, words, seen);
        assert_eq!(drops, strip, "the address goes with its flits");
        (strip, ready, holds)
    }

    #[test]
    fn behind_the_own_address_the_decision_waits_for_what_follows() {
        assert_eq!(of(&[2, 1], 1, false), (false, false, true));
        assert_eq!([2, 3, 4].map(|count| of(&[2, 1], count, false).1), [false, false, true], "the next address");
        assert_eq!([2, 3].map(|count| of(&[1], count, false).1), [false, true], "the flit that says there is none");
        assert_eq!(of(&[2, 1], 4, false), (true, true, false));
        assert_eq!([1, 2].map(|count| of(&[1, 2], count, false).1), [false, true], "another's");
    }

    #[test]
    fn overlapped_it_starts_with_the_first_flit_and_holds_until_the_own_address_is_stripped() {
        assert_eq!(of(&[2, 1], 1, true), (false, true, true));
        assert_eq!(of(&[2, 1], 2, true), (true, true, false));
        assert_eq!(of(&[1, 2], 1, true), (false, true, false), "another's is not stripped");
        let behind = In { count: 1, part: 2, stripped: true, overlapped: true };
        let out = Multidestination.eval(&LINE, &[1], behind);
        assert_eq!((out.strip, out.ready, out.holds), (false, true, false), "one strip a switch");
    }

    #[test]
    fn the_own_node_and_the_way_to_the_next_are_branches() {
        let of = |words: &[u64], stripped| Multidestination.branches(&LINE, 0, words, stripped).groups.0;
        assert_eq!([of(&[0, 2], false), of(&[0, 2], true), of(&[], true)], [0b001, 0b101, 0b100]);
    }
}
