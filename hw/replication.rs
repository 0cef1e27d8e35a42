//! Replication unit of an input lane: it decides which branches take which flit, and when the front
//! flit is popped.
//!
//! ```text
//!   branches ─▶┌──────────┐─▶ asks (lane groups)
//!    granted ─▶│ branches │
//!    present ─▶│ wanted   │─▶ offer (lanes)
//!       able ─▶│ lanes    │
//!       sent ─▶│ taken    │─▶ pop
//!       tail ─▶│          │─▶ passed
//!              └──────────┘
//! ```
//!
//! | mode | a branch takes | the front is popped |
//! |---|---|---|
//! | *asynchronous* | the front flit, when its own lane can | when all have it |
//! | *lockstep* | the front flit, when all of this switch can | with that |
//! | *buffered* | the flit at its own read pointer | when the slowest branch has it |
//! | *sequential* | the flit at its read pointer, one branch after the other | by the last |
//! | *synchronous* | the front flit, when its lane can; heads go on together | when all have it |
//!
//! \[ATBM\] sections 1 and 2 describe asynchronous, lockstep, buffered and synchronous worms. The
//! switches that \[ATBM\] cites as \[26\] have sequential worms.
//!
//! The steps are in dataflow order (docs/reference/timing.md, R9.1 to R9.10):
//!
//! 1. The decoder names the branches ([`decide`]).
//! 2. The unit asks for lanes ([`Reg::asks`]) and gets some ([`grant`]).
//! 3. It offers a flit to the lanes that can send ([`offer`]).
//! 4. The multiplexers say which lanes send ([`eval`]).

use crate::words::Replication;
use crate::{GroupMask, LaneMask};

/// Registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// Lane groups of all branches; empty without a worm.
    pub branches: GroupMask,
    /// Lane groups of the branches without a lane.
    pub wanted: GroupMask,
    /// Output lanes that the worm holds: the tail has not crossed them.
    pub lanes: LaneMask,
    /// Lanes whose branch has taken the front flit.
    pub taken: LaneMask,
}

impl Reg {
    /// The registers of a worm with these branches.
    const fn decided(branches: GroupMask) -> Self {
        Self { branches, wanted: branches, lanes: LaneMask::NONE, taken: LaneMask::NONE }
    }

    /// Whether no worm is in service.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.branches.is_empty()
    }

    /// Whether the worm has several branches.
    #[must_use]
    pub const fn replicates(&self) -> bool {
        self.branches.count() > 1
    }

    /// Output: lane groups that the unit asks for. These are all groups that are wanted. With
    /// sequential replication it is the first one, once the branch before has passed.
    #[must_use]
    pub const fn asks(&self, mode: Replication) -> GroupMask {
        match mode {
            Replication::Asynchronous | Replication::Lockstep | Replication::Buffered | Replication::Synchronous => {
                self.wanted
            }
            Replication::Sequential if self.lanes.is_empty() => self.wanted.lowest(),
            Replication::Sequential => GroupMask::NONE,
        }
    }
}

/// The registers after the decoder. A worm that is decided in this cycle sets its branches.
#[must_use]
pub const fn decide(branches: Option<GroupMask>, q: Reg) -> Reg {
    if let Some(branches) = branches { Reg::decided(branches) } else { q }
}

/// The registers after the allocator has granted `lane` to the branch of this lane group.
#[must_use]
pub const fn grant(group: u8, lane: u8, q: Reg) -> Reg {
    let wanted = q.wanted.without(GroupMask::only(group));
    Reg { wanted, lanes: LaneMask(q.lanes.0 | LaneMask::only(lane).0), ..q }
}

/// Pins before the multiplexers.
#[derive(Clone, Copy, Debug)]
pub struct Offering {
    /// A flit is in front.
    pub present: bool,
    /// Lanes that can send.
    pub able: LaneMask,
    /// Held lanes whose branch has a flit to read in the FIFO.
    pub next: LaneMask,
}

/// Output: lanes through which the unit may send a flit in this cycle.
#[must_use]
pub const fn offer(mode: Replication, i: Offering, q: &Reg) -> LaneMask {
    if !i.present {
        return LaneMask::NONE;
    }
    let able = LaneMask(q.lanes.0 & i.able.0);
    if !q.replicates() {
        return able;
    }
    match mode {
        Replication::Asynchronous | Replication::Lockstep | Replication::Synchronous => {
            offer_front(mode, q.lanes, q.taken, i.able, !q.wanted.is_empty())
        }
        Replication::Buffered | Replication::Sequential => LaneMask(able.0 & i.next.0),
    }
}

/// Lanes through which a worm with several branches may send its front flit. This is for the modes
/// that send only the front flit.
///
/// The worm holds `lanes`. Branches of the lanes `taken` have the front flit already. The lanes
/// `able` can send. `waiting` says that branches without a lane remain.
#[must_use]
#[inline(always)]
pub const fn offer_front(
    mode: Replication,
    lanes: LaneMask,
    taken: LaneMask,
    able: LaneMask,
    waiting: bool,
) -> LaneMask {
    match mode {
        Replication::Lockstep if waiting || !lanes.without(able).is_empty() => LaneMask::NONE,
        Replication::Lockstep => lanes,
        Replication::Asynchronous | Replication::Buffered | Replication::Sequential | Replication::Synchronous => {
            LaneMask(lanes.0 & !taken.0 & able.0)
        }
    }
}

/// Whether the front flit is popped: every branch has a lane, and every lane held has taken the
/// flit.
#[must_use]
#[inline(always)]
pub const fn pops(lanes: LaneMask, taken: LaneMask, waiting: bool) -> bool {
    !waiting && lanes.without(taken).is_empty()
}

/// Pins after the multiplexers.
#[derive(Clone, Copy, Debug)]
pub struct In {
    /// Lanes that send a flit.
    pub sent: LaneMask,
    /// Sending lanes that send the tail.
    pub tails: LaneMask,
    /// The front flit is the tail.
    pub tail: bool,
    /// Held lanes whose branch has taken more than the front flit. A flit of this cycle counts.
    pub beyond: LaneMask,
}

/// Outputs of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// The front flit leaves the FIFO.
    pub pop: bool,
    /// The whole worm has passed.
    pub passed: bool,
}

/// The outputs and the next registers of a unit that sends at least one flit.
#[must_use]
pub fn eval(mode: Replication, i: In, q: Reg) -> (Out, Reg) {
    let mut d = Reg { lanes: q.lanes.without(i.tails), taken: q.taken | i.sent, ..q };
    let pop = pops(d.lanes, d.taken, !d.wanted.is_empty());
    let passed = pop && i.tail;
    if pop {
        // Branches that have the next flit as well.
        d.taken = d.lanes & i.beyond;
    } else if mode == Replication::Sequential && d.lanes.is_empty() {
        // A branch has passed. The next one asks in the next cycle, and begins with the front flit.
        d.taken = LaneMask::NONE;
    }
    (Out { pop, passed }, if passed { Reg::default() } else { d })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [Replication; 5] = Replication::ALL;

    /// A worm with these branches, some of which have their lanes: (group, lane).
    fn held(branches: u64, grants: &[(u8, u8)]) -> Reg {
        let q = decide(Some(GroupMask(branches)), Reg { taken: LaneMask(0b101), ..Reg::default() });
        grants.iter().fold(decide(None, q), |q, &(group, lane)| grant(group, lane, q))
    }

    /// Two branches through lanes 0 and 1, with the flits that each has taken and the FIFO has not
    /// popped.
    struct Unit {
        q: Reg,
        ahead: [u16; 2],
    }

    impl Unit {
        fn new() -> Self {
            let q = held(0b11, &[(0, 0), (1, 1)]);
            Self { q, ahead: [0; 2] }
        }

        /// Runs a cycle with `count` flits in the FIFO, the last of which is the tail, and these
        /// lanes able to send. Returns the lanes that send, and whether the front flit is popped.
        fn cycle(&mut self, mode: Replication, count: u16, able: u64) -> (u64, bool) {
            let those = |ahead: [u16; 2], holds: &dyn Fn(u16) -> bool| -> LaneMask {
                (0..2).filter(|&lane| holds(ahead[usize::from(lane)])).collect()
            };
            let next = those(self.ahead, &|ahead| ahead < count);
            let sent = offer(mode, Offering { present: count > 0, able: LaneMask(able), next }, &self.q);
            if sent.is_empty() {
                return (0, false);
            }
            sent.iter().for_each(|lane| self.ahead[usize::from(lane)] += 1);
            let tails = sent & those(self.ahead, &|ahead| ahead == count);
            let pins = In { sent, tails, tail: count == 1, beyond: those(self.ahead, &|ahead| ahead > 1) };
            let (out, d) = eval(mode, pins, self.q);
            self.q = d;
            self.ahead = self.ahead.map(|ahead| ahead.saturating_sub(out.pop.into()));
            assert_eq!(out.passed, out.pop && count == 1);
            (sent.0, out.pop)
        }
    }

    #[test]
    fn a_worm_asks_for_all_its_lanes_or_for_one_after_the_other() {
        assert!(held(0b110, &[]).replicates() && !held(0b100, &[]).replicates() && Reg::default().is_idle());
        let asks = |grants: &[(u8, u8)]| MODES.map(|mode| held(0b110, grants).asks(mode).0);
        assert_eq!(asks(&[]), [0b110, 0b110, 0b110, 0b010, 0b110]);
        assert_eq!(asks(&[(1, 0)]), [0b100, 0b100, 0b100, 0, 0b100], "sequential waits for the branch");
        assert_eq!(asks(&[(1, 0), (2, 4)]), [0; 5]);
    }

    #[test]
    fn a_worm_of_one_branch_sends_as_its_lane_can_and_pops() {
        for mode in MODES {
            let q = held(0b10, &[(1, 3)]);
            let offered =
                |present, able| offer(mode, Offering { present, able: LaneMask(able), next: LaneMask::only(3) }, &q).0;
            assert_eq!([offered(false, u64::MAX), offered(true, 0b0111), offered(true, 0b1111)], [0, 0, 0b1000]);
            let pins = |tail| In {
                sent: LaneMask::only(3),
                tails: if tail { LaneMask::only(3) } else { LaneMask::NONE },
                tail,
                beyond: LaneMask::NONE,
            };
            let (out, d) = eval(mode, pins(false), q);
            assert_eq!((out, d), (Out { pop: true, passed: false }, q));
            let (out, d) = eval(mode, pins(true), q);
            assert_eq!((out.passed, d), (true, Reg::default()));
        }
    }

    #[test]
    fn asynchronous_branches_take_the_front_flit_each_when_it_can() {
        let (mut unit, mode) = (Unit::new(), Replication::Asynchronous);
        assert_eq!(unit.cycle(mode, 3, 0b01), (0b01, false));
        assert_eq!(unit.cycle(mode, 3, 0b01), (0, false), "no flit twice");
        assert_eq!(unit.cycle(mode, 3, 0b11), (0b10, true));
        assert_eq!(unit.cycle(mode, 2, 0b11), (0b11, true), "and none ahead of its sibling");
    }

    #[test]
    fn lockstep_moves_all_or_none() {
        let (mut unit, mode) = (Unit::new(), Replication::Lockstep);
        assert_eq!(unit.cycle(mode, 2, 0b01), (0, false));
        assert_eq!(unit.cycle(mode, 2, 0b11), (0b11, true));
        let waits = held(0b11, &[(0, 0)]);
        let pins = Offering { present: true, able: LaneMask(0b11), next: LaneMask(0b11) };
        assert!(offer(mode, pins, &waits).is_empty(), "a branch has no lane");
    }

    #[test]
    fn buffered_branches_have_read_pointers_and_the_slowest_pops() {
        let (mut unit, mode) = (Unit::new(), Replication::Buffered);
        assert_eq!(unit.cycle(mode, 3, 0b01), (0b01, false));
        assert_eq!(unit.cycle(mode, 3, 0b01), (0b01, false));
        assert_eq!(unit.cycle(mode, 3, 0b10), (0b10, true));
        assert_eq!((unit.q.taken.0, unit.ahead), (0b01, [1, 0]), "one has the flit behind it");
        assert_eq!(unit.cycle(mode, 2, 0b11), (0b11, true));
        assert_eq!(unit.cycle(mode, 1, 0b11), (0b10, true));
        assert!(unit.q.is_idle());
    }

    #[test]
    fn sequential_branches_follow_each_other_and_the_last_pops() {
        let mode = Replication::Sequential;
        let mut unit = Unit { q: held(0b11, &[(0, 0)]), ahead: [0; 2] };
        assert_eq!(unit.cycle(mode, 2, 0b11), (0b01, false));
        assert_eq!(unit.q.asks(mode).0, 0);
        assert_eq!(unit.cycle(mode, 2, 0b11), (0b01, false));
        assert_eq!((unit.q.asks(mode).0, unit.q.taken.0), (0b10, 0), "the tail has passed");
        unit.q = grant(1, 1, unit.q);
        assert_eq!(unit.cycle(mode, 2, 0b11), (0b10, true));
        assert_eq!(unit.cycle(mode, 1, 0b11), (0b10, true));
        assert!(unit.q.is_idle());
    }

    #[test]
    fn what_waits_for_a_lane_is_not_popped() {
        let mode = Replication::Asynchronous;
        let mut unit = Unit { q: held(0b11, &[(0, 0)]), ahead: [0; 2] };
        assert_eq!(unit.cycle(mode, 3, 0b11), (0b01, false));
        assert_eq!(unit.cycle(mode, 3, 0b11), (0, false));
        unit.q = grant(1, 1, unit.q);
        assert_eq!(unit.cycle(mode, 3, 0b11), (0b10, true));
    }
}
