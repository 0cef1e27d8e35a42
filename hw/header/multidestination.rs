//! Multidestination: addresses in visiting order. A router that *is* the first strips it, absorbs a
//! copy and forwards the rest towards the next; any other routes towards the first (\[KP\] section
//! 2.2; \[TPP\] step 4).
//!
//! The `hdr` side signal of the flit behind an address tells whether another address follows.

use alloc::vec::Vec;

use super::encoding::{Decision, Header, In, Layout, Out, Rom, Way, Worm};
use crate::{GroupMask, NodeId};

/// A header of addresses, a part each.
#[derive(Clone, Copy, Debug)]
pub struct Multidestination;

/// Port of a router's own node.
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

    /// Two addresses where it absorbs and forwards.
    fn decision_parts(&self, destinations: u32) -> u32 {
        destinations.min(2)
    }

    fn words(&self, worm: &Worm) -> Vec<u64> {
        worm.destinations.iter().rev().map(|node| node.0.into()).collect()
    }

    /// The own address is stripped in the cycle in which it is wholly there. Behind it the decision
    /// waits for the next address, or, when none follows, for the one flit whose `hdr = 0` says so.
    /// Overlapped, the decision starts with the first flit and ends when the own address is
    /// stripped at the earliest.
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

    #[test]
    fn the_next_address_is_needed_besides_the_own() {
        assert_eq!([1, 2, 3].map(|destinations| Multidestination.decision_parts(destinations)), [1, 2, 2]);
    }
}
