//! Interface of an encoding: the layout of its headers, and the logic of its decoder.

use alloc::vec::Vec;

use crate::lane_group::Climb;
use crate::{GroupMask, LaneMask, NodeId, PortMask};

/// The way in which the worms of an encoding reach their destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One destination.
    Unicast,
    /// Copies separate at the switch at which their routes separate.
    Tree,
    /// One destination after the other, in the order of the header.
    Path,
}

/// Sizes of a network that give the layout of a header.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Bits of a flit.
    pub flit_bits: u32,
    /// Whether wires beside each flit carry the header, so that it takes no flits.
    pub is_beside: bool,
    /// Number of nodes.
    pub nodes: u32,
    /// Number of nodes along each dimension of a grid; empty in a multistage network.
    pub radices: Vec<u32>,
    /// Number of ports that lead on towards nodes at a switch of a multistage network; 0 on a grid.
    pub ports: u32,
}

impl Layout {
    /// Bits of the address of a node: the base-2 logarithm of the number of nodes, rounded up, and
    /// at least 1.
    #[must_use]
    pub const fn address_bits(&self) -> u32 {
        bits_below(self.nodes)
    }
}

/// Bits of a number below `count`, at least 1.
#[must_use]
pub const fn bits_below(count: u32) -> u32 {
    let bits = u32::BITS - count.saturating_sub(1).leading_zeros();
    if bits > 1 { bits } else { 1 }
}

/// The facts about a worm at its source that its header depends on.
#[derive(Clone, Copy)]
pub struct Worm<'a> {
    /// Sizes of the network.
    pub layout: &'a Layout,
    /// Destinations in header order.
    pub destinations: &'a [NodeId],
    /// One mask of ports for each stage still to come, the first stage first. Together they lead to
    /// the destinations.
    pub port_masks: &'a dyn Fn() -> Vec<u64>,
}

/// Constants of one switch: its routing function and its tables, as a ROM.
pub trait Rom {
    /// Output port towards a node. For any port of a [`Climb`], the first port of the climb.
    fn port(&self, destination: u32) -> u8;
    /// Lane group of an output port, for worms that came in through input `lane`.
    fn group(&self, lane: u8, port: u8) -> u8;
    /// Nodes that a port leads to, one bit each.
    fn reach(&self, port: u8) -> &[u64];
    /// Whether a worm that came in through input `lane` may be for a node. It may if the switch
    /// before this one reaches the node through the link. A worm from a node may be for all other
    /// nodes, and for this node if routers return copies to sources.
    fn ahead(&self, lane: u8, node: u32) -> bool;
    /// Sizes that give the layout of a header.
    fn layout(&self) -> &Layout;
    /// Mask of a bit-string that leaves through output `lane`. `None` on the only way up, where the
    /// bit-string stays as it is.
    fn mask(&self, lane: u8) -> Option<&[u64]>;
    /// Lanes of the physical link of output `lane`, itself included. Empty if the lane does not
    /// exist at this switch.
    fn link(&self, lane: u8) -> LaneMask;
    /// Number of ports of the switch.
    fn ports(&self) -> u8;
    /// Groups of ports of which routing may choose any.
    fn climbs(&self) -> &[Climb];
}

/// Lane groups of the branches of a tree. A climb counts by its first port, if that `is_branch`.
/// All other ports count if they are branches, except the ports below a climb that counts.
pub fn branches(rom: &dyn Rom, lane: u8, is_branch: impl Fn(u8) -> bool) -> GroupMask {
    let group = |port| GroupMask::only(rom.group(lane, port));
    let (mut groups, mut down) = (GroupMask::NONE, PortMask::first_of(rom.ports()));
    for climb in rom.climbs() {
        down = down.without(climb.ports);
        // The ports below do not reach all destinations.
        if is_branch(climb.first()) {
            groups |= group(climb.first());
            down = down.without(climb.below);
        }
    }
    down.iter().filter(|&port| is_branch(port)).fold(groups, |all, port| all | group(port))
}

/// Pins of a decoder at the front of the FIFO, beside the bits of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct In {
    /// Number of flits in the FIFO.
    pub count: u16,
    /// Number of flits of a part of the header ([`Header::part_bits`]).
    pub part: u16,
    /// Whether a part is already stripped here, so that the front flit is the one after it.
    pub stripped: bool,
    /// Whether the decision starts with the head: with the idealised timing `overlapped`, and with
    /// `beside`.
    pub overlapped: bool,
}

/// Outputs of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// Whether to pop a part now, with all its flits.
    pub strip: bool,
    /// Whether the flits of the decision are there, so that the routing decision starts.
    pub ready: bool,
    /// Whether a part is still to be stripped, so that the decision cannot end.
    pub holds: bool,
    /// Whether the header loses its first part, the last word, in this cycle.
    pub drops: bool,
}

/// Result of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Lane groups of the branches.
    pub groups: GroupMask,
    /// Whether the header loses its first part, the last word, with the decision.
    pub drops: bool,
}

impl Decision {
    /// A decision for these branches, which does not change the header.
    #[must_use]
    #[inline(always)]
    pub const fn of(groups: GroupMask) -> Self {
        Self { groups, drops: false }
    }
}

/// Starts the decision when `needed` parts of the header are in the FIFO. Strips nothing.
#[must_use]
#[inline(always)]
pub const fn whole(i: In, needed: u16) -> Out {
    Out { strip: false, ready: i.overlapped || i.count >= needed.saturating_mul(i.part), holds: false, drops: false }
}

/// An encoding. A header is a row of parts of equal length, and each part begins with a flit. Parts
/// are addresses, masks, or one bit-string. The bits are kept as 64-bit words. Each part is a word
/// and the first part is the last word, unless [`Header::word`] says otherwise.
pub trait Header: Sync {
    /// The way in which its worms reach their destinations.
    fn way(&self) -> Way;

    /// Number of bits of a part.
    fn part_bits(&self, layout: &Layout) -> u32;

    /// Name of the things that a part has one bit each for.
    fn unit(&self) -> &'static str;

    /// Number of parts of a header to this many destinations through this many switches.
    fn parts(&self, _destinations: u32, _switches: u32) -> u32 {
        1
    }

    /// Number of parts that the longest decision on the way to this many destinations needs in the
    /// FIFO at once.
    fn decision_parts(&self, _destinations: u32) -> u32 {
        1
    }

    /// Whether every switch strips one part, so that no part is left at the nodes.
    fn each_switch_strips(&self) -> bool {
        false
    }

    /// Whether each set of nodes has a header. If not, only some sets do.
    fn names_any_set(&self) -> bool {
        true
    }

    /// Whether the header is the same on every link. Then a switch looks at the input to know which
    /// nodes belong to this branch.
    fn stays(&self) -> bool {
        false
    }

    /// Whether its fields are coordinates of a grid.
    fn is_of_coordinates(&self) -> bool {
        false
    }

    /// Nodes that the smallest header for these destinations leads to. This is for encodings that
    /// name no ports.
    fn reached(&self, _layout: &Layout, destinations: &[NodeId]) -> Vec<NodeId> {
        destinations.to_vec()
    }

    /// Whether decisions look up the nodes that a port leads to ([`Rom::reach`]).
    fn looks_up_reach(&self) -> bool {
        false
    }

    /// The words of a header as it leaves its node.
    fn words(&self, worm: &Worm) -> Vec<u64>;

    /// 64 bits of a part, from bit `64 n` on. Parts are counted from the last.
    fn word(&self, words: &[u64], part: usize, n: usize) -> u64 {
        if n == 0 { words.get(part).copied().unwrap_or(0) } else { 0 }
    }

    /// Combinational logic of the decoder while it waits for its flits. `words` is the rest of the
    /// header.
    fn eval(&self, rom: &dyn Rom, words: &[u64], i: In) -> Out;

    /// Branches of a worm that came in through input `lane`. `stripped` says whether a part was
    /// stripped here.
    fn branches(&self, rom: &dyn Rom, lane: u8, words: &[u64], stripped: bool) -> Decision;

    /// Mask of the words that cross output `lane`, if there is one.
    fn mask<'r>(&self, _rom: &'r dyn Rom, _lane: u8) -> Option<&'r [u64]> {
        None
    }

    /// Whether a bit of a part is set when the part arrives at a node. Parts are counted from the
    /// first one at the source.
    fn residue(&self, worm: &Worm, node: NodeId, part: u32, bit: u32) -> bool;

    /// Number of flits of a part.
    fn part_flits(&self, layout: &Layout) -> u32 {
        if layout.is_beside { 0 } else { self.part_bits(layout).div_ceil(layout.flit_bits) }
    }

    /// Whether parts are stripped on the way.
    fn strips(&self) -> bool {
        self.each_switch_strips() || self.way() == Way::Path
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Encoding;

    /// A switch with `spread` lane groups between two ports, and with these nodes at its ports.
    #[derive(Default)]
    pub struct Fork {
        pub climb: Option<Climb>,
        pub ports: u8,
        pub spread: u8,
        pub reach: Vec<Vec<u64>>,
    }

    impl Rom for Fork {
        fn port(&self, _: u32) -> u8 {
            0
        }

        fn group(&self, _: u8, port: u8) -> u8 {
            self.spread * port
        }

        fn reach(&self, port: u8) -> &[u64] {
            &self.reach[usize::from(port)]
        }

        fn ahead(&self, _: u8, _: u32) -> bool {
            true
        }

        fn layout(&self) -> &Layout {
            static FORK: Layout = Layout { flit_bits: 8, is_beside: false, nodes: 4, radices: Vec::new(), ports: 8 };
            &FORK
        }

        fn mask(&self, lane: u8) -> Option<&[u64]> {
            self.reach.get(usize::from(lane)).map(Vec::as_slice)
        }

        fn link(&self, lane: u8) -> LaneMask {
            LaneMask::only(lane)
        }

        fn ports(&self) -> u8 {
            self.ports
        }

        fn climbs(&self) -> &[Climb] {
            self.climb.as_slice()
        }
    }

    /// Branches of a worm with destinations at some of four ports.
    fn branches_of(climb: Option<Climb>, spread: u8, ports: u64) -> u64 {
        let rom = Fork { climb, ports: 4, spread, ..Fork::default() };
        branches(&rom, 0, |port| PortMask(ports).has(port)).0
    }

    #[test]
    fn every_port_that_leads_to_a_destination_is_a_branch() {
        assert_eq!([0, 0b1001, 0b1111].map(|ports| branches_of(None, 1, ports)), [0, 0b1001, 0b1111]);
        assert_eq!(branches_of(None, 3, 0b1010), 1 << 3 | 1 << 9, "named by its lane group");
    }

    #[test]
    fn a_worm_climbs_once_with_all_that_it_has_below() {
        let up = |below| Some(Climb { ports: PortMask(0b1100), below: PortMask(below) });
        // The first port of the climb names the climb. The other port is no separate branch.
        let of = |below, ports| branches_of(up(below), 1, ports);
        assert_eq!([0b0011, 0b0100, 0b1000].map(|ports| of(0b0011, ports)), [0b0011, 0b0100, 0]);
        assert_eq!(of(0b0011, 0b0111), 0b0100, "all from above");
        assert_eq!(of(0b0001, 0b0111), 0b0110, "what does not lie below goes its own way");
        assert_eq!(branches_of(up(0b0011), 2, 0b0100), 0b1_0000);
    }

    #[test]
    fn a_number_has_as_many_bits_as_the_largest_needs() {
        assert_eq!([0, 1, 2, 3, 4, 5, 1024, 1025].map(bits_below), [1, 1, 1, 2, 2, 3, 10, 11]);
    }

    #[test]
    fn a_decision_waits_for_its_parts_unless_it_is_overlapped() {
        for (part, needed) in [(1, 1), (3, 1), (2, 2)] {
            let ready = |count, overlapped| whole(In { count, part, stripped: false, overlapped }, needed);
            for count in 0..8 {
                assert_eq!(ready(count, false).ready, count >= part * needed);
                let Out { strip, ready, holds, drops } = ready(count, true);
                assert_eq!((strip, ready, holds, drops), (false, true, false, false));
            }
        }
    }

    #[test]
    fn parts_are_stripped_at_every_switch_or_on_a_path() {
        let strips = Encoding::ALL.into_iter().filter(|of| of.header().strips());
        assert!(strips.eq([Encoding::Multidestination, Encoding::Multiport]));
    }
}
