//! Reservation of lanes for synchronous worms. Inputs claim the free lanes of their groups. A head
//! keeps its claim while its tree may still tell it to go.
//!
//! ```text
//!   asked ─▶┌───────┐─▶ grants (input, group, lane)
//!    free ─▶│ lanes │─▶ ready (inputs)
//!  credit ─▶│ left  │
//!           └───────┘
//! ```
//!
//! In every cycle, the worms that ask claim free lanes in their order ([`feedback::order`]). The
//! next step depends on the worm:
//!
//! | worm | gets its lanes |
//! |---|---|
//! | one head, one branch | with the claim |
//! | one head, several branches: the root | when it has claimed all, and all have credit |
//! | a head of a tree | when the tree says `go` |
//!
//! A head of a tree is *ready* in each cycle in which it has claimed all its lanes and all have
//! credit.
//!
//! A claim lasts one cycle, so no input holds a lane that it cannot use. Only the lanes of a ready
//! head are *locked*, because a `go` may be on its way. No other input gets them for one round trip
//! after the last cycle in which the head was ready.
//!
//! An earlier worm may claim a locked lane and so take it over. While it does, the head is not
//! ready and its lock runs out. If `go` comes first, it counts (docs/reference/timing.md, R8.4 to
//! R8.15).

use alloc::vec::Vec;

use crate::allocator::Grant;
use crate::feedback::{self, Head};
use crate::{GroupMask, LaneMask, lane_group};

/// Registers of an input lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reg {
    /// Lanes that are locked.
    pub lanes: LaneMask,
    /// Cycles for which the lanes stay locked, this cycle included.
    pub left: u32,
}

/// Request of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asking {
    /// Lane groups of all branches of its worm. Empty if no worm is decided, or if the worm has its
    /// lanes.
    pub groups: GroupMask,
    /// Side signals of the worm.
    pub head: Head,
    /// Place of the worm in the order; see [`feedback::order`].
    pub order: u64,
}

/// Requests and lanes.
#[derive(Clone, Copy, Debug)]
pub struct In<'a> {
    /// Request of each input.
    pub asked: &'a [Asking],
    /// Lanes without owner.
    pub free: LaneMask,
    /// Lanes with credit.
    pub with_credit: LaneMask,
}

/// Outputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Out {
    /// Grants. An input gets all lanes that it asks for, or none.
    pub grants: Vec<Grant>,
    /// Inputs whose head is ready.
    pub ready: Vec<u8>,
}

/// Grants and ready heads of a cycle, and the next registers, one an input.
#[must_use]
pub fn eval(group_lanes: &[LaneMask; 64], mut i: In, mut q: Vec<Reg>) -> (Out, Vec<Reg>) {
    let mut out = Out::default();
    for (input, (asked, lock)) in (0..).zip(i.asked.iter().zip(&mut q)).filter(|(_, (asked, _))| asked.head.go) {
        for group in asked.groups.iter() {
            let lanes = lock.lanes & group_lanes[usize::from(group)];
            out.grants.extend(lanes.iter().map(|lane| Grant { input, group, lane }));
        }
        i.free = i.free.without(lock.lanes);
        *lock = Reg::default();
    }
    let claims = claim(group_lanes, i, &q);
    for ((input, asked), lock) in (0..).zip(i.asked).zip(&mut q).filter(|((_, asked), _)| !asked.head.go) {
        let own = || claims.iter().filter(|of| of.input == input);
        let lanes: LaneMask = own().map(|of| of.lane).collect();
        let all = lanes.count() == asked.groups.count() && lanes.without(i.with_credit).is_empty();
        let ready = all && !lanes.is_empty() && asked.head.depth > 0;
        if asked.head.depth == 0 && (asked.groups.count() == 1 || all) {
            out.grants.extend(own());
        }
        if ready {
            out.ready.push(input);
        }
        *lock = next(ready.then_some(lanes), feedback::round_trip(asked.head.depth), *lock);
    }
    (out, q)
}

/// The next registers of an input. `ready` has the lanes of a head that is ready.
const fn next(ready: Option<LaneMask>, round_trip: u32, q: Reg) -> Reg {
    match ready {
        Some(lanes) => Reg { lanes, left: round_trip },
        None if q.left > 1 => Reg { left: q.left - 1, ..q },
        None => Reg { lanes: LaneMask::NONE, left: 0 },
    }
}

/// The claims of a cycle, as pairs of an input and a free lane. For each group, inputs claim in
/// their order. An input claims the lane that it has locked, or else the next open lane. If no lane
/// is open, the input takes over a locked lane. Then no input has this lane in this cycle.
fn claim(group_lanes: &[LaneMask; 64], i: In, locks: &[Reg]) -> Vec<Grant> {
    let (mut claims, mut asking) = (Vec::new(), Vec::new());
    asking.extend((0_u8..).zip(i.asked.iter().zip(locks)).filter(|(_, (asked, _))| !asked.head.go));
    asking.sort_unstable_by_key(|(_, (asked, _))| asked.order);
    let groups = asking.iter().fold(GroupMask::NONE, |all, (_, (asked, _))| all | asked.groups);
    let locked = locks.iter().fold(LaneMask::NONE, |all, lock| all | lock.lanes);
    for group in groups.iter() {
        let lanes = group_lanes[usize::from(group)];
        let (mut open, mut shut) = ((i.free & lanes).without(locked), locked & lanes);
        for &(input, (_, lock)) in asking.iter().filter(|(_, (asked, _))| asked.groups.has(group)) {
            let own = lock.lanes & lanes;
            let lane = if own.is_empty() && !open.is_empty() {
                LaneMask::only(lane_group::next_lane(open, i.with_credit, lane_group::Reg::default()))
            } else if own.is_empty() {
                shut = shut.without(shut.lowest());
                LaneMask::NONE
            } else {
                own & shut
            };
            (open, shut) = (open.without(lane), shut.without(lane));
            claims.extend(lane.iter().map(|lane| Grant { input, group, lane }));
        }
    }
    claims
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    /// Group g has lane g. Group 3 has lanes 3 and 4.
    const LANES: [LaneMask; 64] = {
        let mut lanes = [LaneMask::NONE; 64];
        (lanes[0], lanes[1], lanes[2], lanes[3]) =
            (LaneMask::only(0), LaneMask::only(1), LaneMask::only(2), LaneMask(0b11000));
        lanes
    };

    /// Requests for these groups, of worms at these depths. The worm of the first input is the
    /// earliest.
    fn requests<const N: usize>(of: [(u64, u32); N]) -> [Asking; N] {
        let mut order = 0;
        of.map(|(groups, depth)| {
            order += 1;
            Asking { groups: GroupMask(groups), head: Head { depth, go: false, since: 0 }, order }
        })
    }

    fn run(asked: &[Asking], free: u64, with_credit: u64, q: Vec<Reg>) -> (Vec<(u8, u8)>, Vec<u8>, Vec<Reg>) {
        let pins = In { asked, free: LaneMask(free), with_credit: LaneMask(with_credit) };
        let (out, q) = eval(&LANES, pins, q);
        (out.grants.iter().map(|of| (of.input, of.lane)).collect(), out.ready, q)
    }

    const FREE: Reg = Reg { lanes: LaneMask::NONE, left: 0 };

    #[test]
    fn a_worm_of_one_branch_gets_a_lane_and_a_root_all_of_them_with_credit_or_none() {
        let asked = requests([(0b01, 0), (0b110, 0)]);
        let idle = || vec![FREE; 2];
        assert_eq!(run(&asked, 0b111, 0b110, idle()), (vec![(0, 0), (1, 1), (1, 2)], vec![], idle()));
        assert_eq!(run(&asked, 0b011, 0b111, idle()).0, [(0, 0)], "a lane is missing");
        assert_eq!(run(&asked, 0b111, 0b011, idle()).0, [(0, 0)], "a credit is missing");
    }

    #[test]
    fn what_a_root_claims_and_cannot_use_no_later_worm_gets() {
        let asked = requests([(0b011, 0), (0b010, 0)]);
        assert_eq!(run(&asked, 0b010, 0b010, vec![FREE; 2]).0, []);
    }

    #[test]
    fn a_head_of_a_tree_is_ready_locks_and_goes() {
        let mut asked = requests([(0b11, 1)]);
        let (grants, ready, q) = run(&asked, 0b11, 0b11, vec![FREE]);
        assert_eq!((grants, ready, &q[..]), (vec![], vec![0], &[Reg { lanes: LaneMask(0b11), left: 2 }][..]));
        asked[0].head.go = true;
        assert_eq!(run(&asked, 0b11, 0b11, q), (vec![(0, 0), (0, 1)], vec![], vec![FREE]));
    }

    #[test]
    fn an_earlier_worm_takes_a_lock_over_and_gets_the_lane_behind_the_round_trip() {
        // The head of the second input has locked lanes 0 and 1. The worm of the first input wants
        // lane 1.
        let locked = |left| vec![FREE, Reg { lanes: LaneMask(0b11), left }];
        let mut asked = requests([(0b10, 0), (0b11, 2)]);
        let mut q = locked(4);
        for left in [3, 2, 1] {
            let (grants, ready, next) = run(&asked, 0b11, 0b11, q);
            assert_eq!((grants, ready, &next), (vec![], vec![], &locked(left)));
            q = next;
        }
        // A `go` in the last cycle is in time. Then the other worm has nothing to claim.
        asked[1].head.go = true;
        assert_eq!(run(&asked, 0b11, 0b11, q.clone()).0, [(1, 0), (1, 1)]);
        asked[1].head.go = false;
        let (grants, _, q) = run(&asked, 0b11, 0b11, q);
        assert_eq!((grants, &q), (vec![], &vec![FREE; 2]));
        let (grants, ready, q) = run(&asked, 0b11, 0b11, q);
        assert_eq!((grants, ready, q), (vec![(0, 1)], vec![], vec![FREE; 2]));
    }

    #[test]
    fn a_later_worm_takes_nothing_over_and_a_head_without_rival_is_ready_again() {
        let asked = requests([(0b11, 1), (0b10, 0)]);
        let q = vec![Reg { lanes: LaneMask(0b11), left: 1 }, FREE];
        let (grants, ready, q) = run(&asked, 0b11, 0b11, q);
        assert_eq!((grants, ready, q[0].left), (vec![], vec![0], 2));
        assert_eq!(run(&asked, 0b11, 0b01, q).2[0].left, 1, "without a credit");
    }

    #[test]
    fn a_group_has_room_for_as_many_as_it_has_lanes() {
        let locks = || vec![FREE, FREE, Reg { lanes: LaneMask(0b01000), left: 2 }];
        let asked = requests([(0b1000, 0), (0, 0), (0b1000, 1)]);
        let (grants, ready, _) = run(&asked, 0b11000, 0b11000, locks());
        assert_eq!((grants, ready), (vec![(0, 4)], vec![2]), "the lane that is not locked");
        let asked = requests([(0b1000, 0), (0b1000, 0), (0b1000, 1)]);
        let (grants, ready, _) = run(&asked, 0b11000, 0b11000, locks());
        assert_eq!((grants, ready), (vec![(0, 4)], vec![]), "the second takes the lock over");
    }
}
