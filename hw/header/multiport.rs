//! Multiport: one b-bit port mask for every stage still to come, `ceil(b / flit_bits)` flits each.
//! The first mask names the branches at every switch of its stage, and is stripped there. This is
//! the encoding of Sivaram, Panda and Stunkel 1998, as \[ATBM\] section 1 describes it. The decoder
//! is a reconstruction.
//!
//! Bit `p` of a mask is in its flit `p / flit_bits` at position `p % flit_bits`, and makes port `p`
//! a branch. A mask of zeros leads up, into the group of up lanes of a bidirectional switch. It is
//! in no other place (docs/reference/timing.md, R2.19 to R2.25).

use alloc::vec::Vec;

use super::encoding::{Decision, Header, In, Layout, Out, Rom, Way, Worm};
use crate::{GroupMask, NodeId, PortMask};

/// A header of port masks, a part each.
#[derive(Clone, Copy, Debug)]
pub struct Multiport;

impl Header for Multiport {
    fn way(&self) -> Way {
        Way::Tree
    }

    fn part_bits(&self, layout: &Layout) -> u32 {
        layout.ports
    }

    fn unit(&self) -> &'static str {
        "ports"
    }

    fn parts(&self, _destinations: u32, switches: u32) -> u32 {
        switches
    }

    fn each_switch_strips(&self) -> bool {
        true
    }

    fn names_any_set(&self) -> bool {
        false
    }

    fn words(&self, worm: &Worm) -> Vec<u64> {
        let mut masks = (worm.port_masks)();
        masks.reverse();
        masks
    }

    /// In the cycle in which all flits of the mask are in the FIFO, the mask is stripped and the
    /// decision starts. Overlapped, the decision starts with the first flit. It ends when the mask
    /// is stripped, at the earliest. The bits stay beside the header until the decision.
    fn eval(&self, _rom: &dyn Rom, _words: &[u64], i: In) -> Out {
        let strip = !i.stripped && i.count >= i.part;
        let holds = !i.stripped && !strip;
        Out { strip, ready: i.overlapped || !holds, holds, drops: false }
    }

    fn branches(&self, rom: &dyn Rom, lane: u8, words: &[u64], _stripped: bool) -> Decision {
        let mask = PortMask(words.last().copied().unwrap_or(0));
        let groups = if let (true, Some(up)) = (mask.is_empty(), rom.climbs().first()) {
            GroupMask::only(up.first())
        } else {
            mask.iter().map(|port| rom.group(lane, port)).collect()
        };
        Decision { groups, drops: true }
    }

    fn residue(&self, _worm: &Worm, _node: NodeId, _part: u32, _bit: u32) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::encoding::tests::Fork;
    use super::*;
    use crate::lane_group::Climb;

    #[test]
    fn a_mask_is_stripped_once_in_the_cycle_in_which_it_is_wholly_there() {
        for (part, overlapped) in (1..=4).flat_map(|m| [(m, false), (m, true)]) {
            let (mut stripped, mut strips) = (false, 0);
            for count in 1..=6 {
                let rom = Fork { ports: 4, spread: 1, ..Fork::default() };
                let o = Multiport.eval(&rom, &[1], In { count, part, stripped, overlapped });
                assert_eq!(o.strip, count == part, "{count} of {part}");
                assert_eq!(o.holds, count < part);
                assert_eq!(o.ready, overlapped || count >= part);
                strips += u32::from(o.strip);
                stripped |= o.strip;
            }
            assert_eq!(strips, 1);
        }
    }

    #[test]
    fn a_mask_names_its_ports_and_no_port_means_up() {
        let of = |mask, climb, spread| {
            let rom = Fork { climb, ports: 8, spread, ..Fork::default() };
            let Decision { groups, drops } = Multiport.branches(&rom, 0, &[7, mask], true);
            assert!(drops);
            groups.0
        };
        let up = Some(Climb { ports: PortMask(0b1111_0000), below: PortMask(0b1111) });
        assert_eq!(of(0b1010, up, 1), 0b1010);
        assert_eq!(of(0b1010, None, 2), 0b100_0100);
        assert_eq!(of(0, up, 1), 0b1_0000);
        assert_eq!(of(0, None, 1), 0);
    }

    #[test]
    fn wide_switches_need_several_flits_for_a_mask() {
        let layout = |(ports, flit_bits)| Layout { flit_bits, is_beside: false, nodes: 4, radices: Vec::new(), ports };
        let flits = [(2, 8), (8, 8), (9, 8), (32, 16), (32, 64)].map(|sizes| Multiport.part_flits(&layout(sizes)));
        assert_eq!(flits, [1, 1, 2, 2, 1]);
    }
}
