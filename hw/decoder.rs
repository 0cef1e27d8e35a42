//! Header decoder of an input lane. It waits until the flits that a decision needs are in the FIFO.
//! It strips the part of the header that is for this switch, and after `routing_cycles` it names
//! the branches.
//!
//! ```text
//!   head ─▶┌─────────┐─▶ strip (flits)
//!  count ─▶│ worm    │─▶ branches (lane groups)
//!    rom ◀▶│ header  │
//! passed ─▶│ due     │─▶ residue, with the head through each lane
//!          └─────────┘
//!
//!  IDLE ─head in front─▶ HEADER ─flits are there─▶ ROUTE ─routing_cycles─▶ branches (decided)
//! ```
//!
//! The file of an encoding in [`crate::header`] says how many flits a decision needs, which of them
//! are stripped, and which branches follow. It also says which part of the header each branch
//! keeps.
//!
//! The two steps are in dataflow order. A worm that is decided ([`eval`]) can pass by the end of
//! the same cycle ([`release`]). The next head begins in the cycle after that
//! (docs/reference/timing.md, R5.1 to R5.12).

use alloc::vec::Vec;

use crate::header::{self, Decision, Rom, Symbol, crossing};
use crate::{Encoding, GroupMask};

/// Constants of a decoder.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Flits of a part of the header, by the number of the encoding.
    pub part_flits: [u16; Encoding::ALL.len()],
    /// Cycles of the routing decision.
    pub routing_cycles: u32,
    /// Whether the decision starts with the head. It does with the idealised timing `overlapped`,
    /// and with `beside`, where the head has the whole header.
    pub overlapped: bool,
}

/// A worm in service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Number of the worm, in order of creation: its age.
    pub worm: u32,
    /// Encoding.
    pub enc: Encoding,
    /// The header's bits, as [`header::Header`] keeps them.
    pub header: Vec<u64>,
    /// Whether the flits of the decision are in the FIFO.
    pub ready: bool,
    /// Whether the own address or mask is stripped.
    pub stripped: bool,
    /// The cycle in which the decision ends (low 32 bits).
    pub due: u32,
}

/// Registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reg {
    /// No worm is in service.
    #[default]
    Idle,
    /// The decoder decodes the header of the worm.
    Deciding(Service),
    /// The branches of the worm are known.
    Decided(Service),
}

/// Pins.
#[derive(Clone, Copy, Debug)]
pub struct In<'a> {
    /// The cycle, to compare with deadlines.
    pub now: u32,
    /// Number of flits in the FIFO.
    pub count: u16,
    /// The flit in front.
    pub head: Option<&'a Symbol>,
}

/// Outputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Out {
    /// Number of flits to pop.
    pub strip: u16,
    /// Lane groups of the branches, in the cycle of the decision.
    pub branches: Option<GroupMask>,
}

impl Reg {
    /// The worm in service.
    #[must_use]
    pub fn service(&self) -> Option<&Service> {
        match self {
            Self::Idle => None,
            Self::Deciding(service) | Self::Decided(service) => Some(service),
        }
    }

    /// Encoding of the worm in service.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.service().map_or(Encoding::Unicast, |service| service.enc)
    }

    /// Output: the header that crosses with the head through output `lane`.
    #[must_use]
    pub fn residue(&self, rom: &impl Rom, lane: u8) -> Option<Vec<u64>> {
        let service = self.service()?;
        Some(crossing(&service.header, service.enc.header().mask(rom, lane)).collect())
    }
}

/// The outputs of the decoder of input `lane`, and its next registers.
#[must_use]
#[allow(clippy::many_single_char_names)] // Parameters, pins, registers, outputs.
pub fn eval(p: &Params, rom: &impl Rom, lane: u8, i: In, q: Reg) -> (Out, Reg) {
    let mut s = match (q, i.head) {
        (Reg::Deciding(service), _) => service,
        (Reg::Idle, Some(head)) => Service {
            worm: head.flit.worm(),
            enc: head.flit.encoding(),
            header: head.header.clone().unwrap_or_default(),
            ready: false,
            stripped: false,
            due: 0,
        },
        (q, _) => return (Out::default(), q),
    };
    let mut out = Out::default();
    let mut holds = false;
    if !s.ready || p.overlapped && !s.stripped {
        let part = p.part_flits[s.enc as usize];
        let seen = header::In { count: i.count, part, stripped: s.stripped, overlapped: p.overlapped };
        let decided = s.enc.header().eval(rom, &s.header, seen);
        if decided.drops {
            s.header.pop();
        }
        if decided.strip {
            out.strip = part;
            s.stripped = true;
        }
        holds = decided.holds;
        if !decided.ready {
            return (out, Reg::Deciding(s));
        }
        if !s.ready {
            s.ready = true;
            s.due = i.now.wrapping_add(p.routing_cycles);
        }
    }
    if holds || i.now.wrapping_sub(s.due).cast_signed() < 0 {
        return (out, Reg::Deciding(s));
    }
    let Decision { groups, drops } = s.enc.header().branches(rom, lane, &s.header, s.stripped);
    if drops {
        s.header.pop();
    }
    (Out { branches: Some(groups), ..out }, Reg::Decided(s))
}

/// The next registers, after the replication unit. A worm that has `passed` leaves the decoder
/// idle.
#[must_use]
pub fn release(passed: bool, q: Reg) -> Reg {
    if passed { Reg::Idle } else { q }
}

#[cfg(test)]
pub(crate) mod tests {
    use alloc::vec;

    use super::*;
    use crate::LaneMask;
    use crate::flit::Flit;
    use crate::header::Layout;
    use crate::lane_group::Climb;

    /// Router 1 of a line of three: port 0 leads to node 2, port 1 to node 0, port 2 to its own
    /// node. Each port has one lane.
    pub struct Line {
        /// For each lane, the lanes of its link.
        pub links: [LaneMask; 3],
    }

    /// The line with links of one lane.
    pub const LINE: Line = Line { links: [LaneMask::only(0), LaneMask::only(1), LaneMask::only(2)] };

    impl Rom for Line {
        fn port(&self, destination: u32) -> u8 {
            [1, 2, 0][destination as usize]
        }

        fn group(&self, _: u8, port: u8) -> u8 {
            port
        }

        fn reach(&self, port: u8) -> &[u64] {
            [&[0b100], &[0b001], &[0b010]][usize::from(port)]
        }

        /// A worm from a neighbour is for the nodes on this side of it.
        fn ahead(&self, lane: u8, node: u32) -> bool {
            [node < 2, node > 0, true][usize::from(lane)]
        }

        fn layout(&self) -> &Layout {
            static LINE: Layout = Layout { flit_bits: 1, is_beside: false, nodes: 3, radices: Vec::new(), ports: 0 };
            &LINE
        }

        fn mask(&self, lane: u8) -> Option<&[u64]> {
            Some(self.reach(lane))
        }

        fn link(&self, lane: u8) -> LaneMask {
            self.links[usize::from(lane)]
        }

        fn ports(&self) -> u8 {
            3
        }

        fn climbs(&self) -> &[Climb] {
            &[]
        }
    }

    /// Addresses of two flits, a bit-string of three, port masks of one.
    pub const PARAMS: Params = {
        let mut part_flits = [2; Encoding::ALL.len()];
        part_flits[Encoding::BitString as usize] = 3;
        part_flits[Encoding::Multiport as usize] = 1;
        Params { part_flits, routing_cycles: 0, overlapped: false }
    };

    pub fn head(enc: Encoding, header: &[u64]) -> Symbol {
        Symbol { flit: Flit::new(7, 0, enc).with_marks(true, false, true), header: Some(header.to_vec()) }
    }

    /// Outputs of a decoder from cycle 10 on, with this many flits in the FIFO in each cycle: flits
    /// stripped, branches.
    fn run(p: &Params, head: &Symbol, counts: &[u16]) -> (Vec<(u16, Option<u64>)>, Reg) {
        let (mut q, mut seen) = (Reg::Idle, Vec::new());
        for (now, &count) in (10..).zip(counts) {
            let (out, next) = eval(p, &LINE, 0, In { now, count, head: Some(head) }, q);
            seen.push((out.strip, out.branches.map(|groups| groups.0)));
            q = next;
        }
        (seen, q)
    }

    #[test]
    fn nothing_is_decided_before_the_flits_are_there() {
        let (seen, q) = run(&PARAMS, &head(Encoding::Unicast, &[2]), &[1, 1, 2]);
        assert_eq!(seen, [(0, None), (0, None), (0, Some(1))]);
        assert!(matches!(q, Reg::Decided(ref of) if of.worm == 7 && of.due == 12), "{q:?}");
        let (seen, _) = run(&PARAMS, &head(Encoding::BitString, &[0b101]), &[2, 3]);
        assert_eq!(seen, [(0, None), (0, Some(0b011))]);
        let overlapped = Params { overlapped: true, ..PARAMS };
        let (seen, _) = run(&overlapped, &head(Encoding::BitString, &[0b101]), &[1]);
        assert_eq!(seen, [(0, Some(0b011))]);
        let (seen, _) = run(&overlapped, &head(Encoding::Multidestination, &[2, 1]), &[1, 2]);
        assert_eq!(seen, [(0, None), (2, Some(0b101))], "the own address is stripped first");
    }

    #[test]
    fn the_decision_takes_routing_cycles() {
        let p = Params { routing_cycles: 2, ..PARAMS };
        let (seen, q) = run(&p, &head(Encoding::Unicast, &[0]), &[2, 2, 2]);
        assert_eq!(seen, [(0, None), (0, None), (0, Some(2))]);
        assert_eq!(q.service().map(|of| of.due), Some(12));
    }

    #[test]
    fn the_own_address_is_stripped_and_the_own_node_becomes_a_branch() {
        // Node 1 is the own node and node 2 follows: the first address is the last word.
        let (seen, q) = run(&PARAMS, &head(Encoding::Multidestination, &[2, 1]), &[1, 2, 1, 2]);
        assert_eq!(seen, [(0, None), (2, None), (0, None), (0, Some(0b101))]);
        assert_eq!(q.service().map(|of| (of.stripped, of.header.clone())), Some((true, vec![2])));
        let (seen, _) = run(&PARAMS, &head(Encoding::Multidestination, &[1]), &[2, 1]);
        assert_eq!(seen, [(2, None), (0, Some(0b100))]);
        let (seen, _) = run(&PARAMS, &head(Encoding::Multidestination, &[1, 2]), &[2]);
        assert_eq!(seen, [(0, Some(0b001))], "another's address stays");
    }

    #[test]
    fn a_mask_is_stripped_and_names_the_branches() {
        let (seen, q) = run(&PARAMS, &head(Encoding::Multiport, &[0b1, 0b110]), &[1]);
        assert_eq!(seen, [(1, Some(0b110))]);
        assert_eq!(q.service().map(|of| of.header.clone()), Some(vec![0b1]));
    }

    #[test]
    fn a_bit_string_is_masked_as_it_crosses() {
        let (_, q) = run(&PARAMS, &head(Encoding::BitString, &[0b101]), &[3]);
        assert_eq!((q.residue(&LINE, 0), q.residue(&LINE, 1)), (Some(vec![0b100]), Some(vec![0b001])));
        let (_, q) = run(&PARAMS, &head(Encoding::Unicast, &[2]), &[2]);
        assert_eq!(q.residue(&LINE, 0), Some(vec![2]));
        assert_eq!(Reg::Idle.residue(&LINE, 0), None);
    }

    #[test]
    fn an_empty_fifo_starts_nothing_and_a_decided_worm_is_left_alone() {
        let (out, q) = eval(&PARAMS, &LINE, 0, In { now: 3, count: 0, head: None }, Reg::Idle);
        assert_eq!((out, q), (Out::default(), Reg::Idle));
        let head = head(Encoding::Unicast, &[2]);
        let (_, decided) = run(&PARAMS, &head, &[2]);
        let (out, q) = eval(&PARAMS, &LINE, 0, In { now: 50, count: 4, head: Some(&head) }, decided.clone());
        assert_eq!((out, q), (Out::default(), decided));
    }

    #[test]
    fn a_worm_that_has_passed_leaves_the_decoder_to_the_next() {
        let (_, decided) = run(&PARAMS, &head(Encoding::Unicast, &[2]), &[2]);
        assert_eq!(release(false, decided.clone()), decided);
        assert_eq!(release(true, decided), Reg::Idle);
    }
}
