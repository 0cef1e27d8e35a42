//! Replication unit of an input lane: which branches take which flit, and when the flit in front is
//! popped.
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
//! | *buffered* | the flit at its own read pointer | when the slowest has passed |
//! | *sequential* | the same, one branch after the other | by the last branch |
//! | *synchronous* | the same, but heads go on together | when all have it |
//!
//! \[ATBM\] sections 1 and 2 tell of the first three and the last; of the fourth the switches that
//! it cites as \[26\]. Steps in dataflow order: the decoder names the branches ([`decide`]), the
//! unit asks for lanes ([`Reg::asks`]), is granted some ([`grant`]), offers the flit to those that
//! can send ([`offer`]), and the multiplexers say which do ([`eval`]) (docs/reference/timing.md,
//! R9.1 to R9.10).

use crate::words::Replication;
use crate::{GroupMask, LaneMask};

/// Registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// Lane groups of all branches; none without a worm.
    pub branches: GroupMask,
    /// Lane groups of the branches without a lane.
    pub wanted: GroupMask,
    /// Output lanes held, tails not yet crossed.
    pub lanes: LaneMask,
    /// Lanes whose branch has taken the front flit.
    pub taken: LaneMask,
}

impl Reg {
    /// A worm with these branches.
    const fn decided(branches: GroupMask) -> Self {
        Self { branches, wanted: branches, lanes: LaneMask::NONE, taken: LaneMask::NONE }
    }

    /// No worm is in service.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        self.branches.is_empty()
    }

    /// The worm has several branches.
    #[must_use]
    pub const fn replicates(&self) -> bool {
        self.branches.count() > 1
    }

    /// Output: lane groups that are asked for: all that are wanted; with sequential replication the
    /// first, once the branch before has passed.
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

/// The registers behind the decoder: of a worm that is decided, its branches.
#[must_use]
pub const fn decide(branches: Option<GroupMask>, q: Reg) -> Reg {
    if let Some(branches) = branches { Reg::decided(branches) } else { q }
}

/// The registers behind the allocator: the branch in this lane group has this lane.
#[must_use]
pub const fn grant(group: u8, lane: u8, q: Reg) -> Reg {
    let wanted = q.wanted.without(GroupMask::only(group));
    Reg { wanted, lanes: LaneMask(q.lanes.0 | LaneMask::only(lane).0), ..q }
}

/// Pins in front of the multiplexers.
#[derive(Clone, Copy, Debug)]
pub struct Offering {
    /// A flit is in front.
    pub present: bool,
    /// Lanes that can send.
    pub able: LaneMask,
    /// Of the lanes held, those whose branch has a flit of the FIFO before its read pointer.
    pub next: LaneMask,
}

/// Output: lanes through which a flit may be sent in this cycle.
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

/// Lanes through which a worm with several branches may send its front flit, in the modes that send
/// no other.
///
/// `lanes` are the lanes that it holds, `taken` those that have the front flit already, `able` the
/// lanes that can send; `waiting` says that branches without a lane remain.
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

/// Whether the front flit is popped: no branch without a lane remains and every lane held has it.
#[must_use]
#[inline(always)]
pub const fn pops(lanes: LaneMask, taken: LaneMask, waiting: bool) -> bool {
    !waiting && lanes.without(taken).is_empty()
}

/// Pins behind the multiplexers.
#[derive(Clone, Copy, Debug)]
pub struct In {
    /// Lanes through which a flit is sent.
    pub sent: LaneMask,
    /// Of these, those through which the tail is.
    pub tails: LaneMask,
    /// The front flit is the tail.
    pub tail: bool,
    /// Of the lanes held, those whose branch has taken, with this cycle's flit, more than the front
    /// one.
    pub beyond: LaneMask,
}

/// What it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// The front flit leaves the FIFO.
    pub pop: bool,
    /// The whole worm has passed.
    pub passed: bool,
}

/// What a unit does that sends something, and its next registers.
#[must_use]
pub fn eval(mode: Replication, i: In, q: Reg) -> (Out, Reg) {
    let mut d = Reg { lanes: q.lanes.without(i.tails), taken: q.taken | i.sent, ..q };
    let pop = pops(d.lanes, d.taken, !d.wanted.is_empty());
    let passed = pop && i.tail;
    if pop {
        // Those that have the flit behind it, too.
        d.taken = d.lanes & i.beyond;
    } else if mode == Replication::Sequential && d.lanes.is_empty() {
        // A branch has passed: the next one, which asks in the next cycle, begins in front.
        d.taken = LaneMask::NONE;
    }
    (Out { pop, passed }, if passed { Reg::default() } else { d })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [Replication; 5] = Replication::ALL;

    /// A worm with these branches, of which some are granted their lanes: group, lane.
    fn held(branches: u64, grants: &[(u8, u8)]) -> Reg {
        let q = decide(Some(GroupMask(branches)), Reg { taken: LaneMask(0b101), ..Reg::default() });
        grants.iter().fold(decide(None, q), |q, &(group, lane)| grant(group, lane, q))
    }

    /// Two branches, through lanes 0 and 1, with the flits that each has taken beyond those popped.
    struct Unit {
        q: Reg,
        ahead: [u16; 2],
    }

    impl Unit {
        fn new() -> Self {
            let q = held(0b11, &[(0, 0), (1, 1)]);
            Self { q, ahead: [0; 2] }
        }

        /// A cycle with `count` flits in the FIFO, the last of them the tail, and these lanes able
        /// to send: the lanes that do, and whether the front flit is popped.
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
