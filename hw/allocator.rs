//! Allocator: the arbiters of the free lanes serve the requests of the decided worms.
//!
//! ```text
//!        asked ─▶┌──────────┐
//!         ages ─▶│ arbiters │─▶ grants (input, group, lane)
//!         free ─▶│          │
//!  with credit ─▶└──────────┘
//! ```
//!
//! With `incremental`, every free lane picks one of the inputs that ask for its group. A worm keeps
//! the lanes that it has and waits for the rest. With `atomic`, inputs are visited in round-robin
//! order, and a worm gets all its lanes or none (docs/reference/timing.md, R7.7, R7.8, R7.20 to
//! R7.22).

use alloc::vec::Vec;
use core::mem::take;

use crate::{Acquisition, Arbiter, GroupMask, LaneChoice, LaneMask, arbiter, lane_group};

/// Constants of an allocator.
#[derive(Clone, Copy, Debug)]
pub struct Params<'a> {
    /// Output lanes of each lane group.
    pub group_lanes: &'a [LaneMask; 64],
    /// Acquisition of lanes.
    pub acquisition: Acquisition,
    /// Kind of arbiter.
    pub arbiter: Arbiter,
    /// Choice of the next lane of a group.
    pub lane_choice: LaneChoice,
}

/// Registers of an output lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// Arbiter of the output lane. The atomic allocator uses the arbiter of lane 0.
    pub arbiter: arbiter::Reg,
    /// Registers of its group, at the lowest lane of the group.
    pub group: lane_group::Reg,
}

impl Reg {
    /// At reset, with this number of inputs.
    #[must_use]
    pub fn reset(arbiter: Arbiter, inputs: u8) -> Self {
        Self { arbiter: arbiter::Reg::reset(arbiter, inputs), group: lane_group::Reg::default() }
    }
}

/// Request of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Lane groups that the input asks for.
    pub groups: GroupMask,
    /// Number of the worm; see [`arbiter::Age`].
    pub age: u32,
}

/// Requests and lanes.
#[derive(Clone, Copy, Debug)]
pub struct In<'a> {
    /// Request of each input, in the order in which arbiters count the inputs.
    pub asked: &'a [Request],
    /// Lanes without owner.
    pub free: LaneMask,
    /// Lanes with credit.
    pub with_credit: LaneMask,
}

impl In<'_> {
    fn arbiter(&self, requests: u64) -> arbiter::In {
        arbiter::In { requests, inputs: self.asked.len() as u8 }
    }

    fn age(&self, input: u8) -> u32 {
        self.asked[usize::from(input)].age
    }
}

/// Grant of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The input. From an allocator it is a place in the order of the arbiters, and from a
    /// reservation an input lane.
    pub input: u8,
    /// The lane group of the branch.
    pub group: u8,
    /// The lane.
    pub lane: u8,
}

/// The grants of a cycle, and the next registers of the lanes.
#[must_use]
pub fn eval(p: Params, i: In, q: Vec<Reg>) -> (Vec<Grant>, Vec<Reg>) {
    match p.acquisition {
        Acquisition::Incremental => incremental(p, i, q),
        Acquisition::Atomic => atomic(p, i, q),
    }
}

/// Grants the next of the `free` lanes of a group.
fn next_lane(p: Params, i: In, group: u8, free: &mut LaneMask, q: &mut [Reg]) -> u8 {
    let lanes = p.group_lanes[usize::from(group)];
    let of = &mut q[lanes.0.trailing_zeros() as usize].group;
    let lane = lane_group::next_lane(*free & lanes, i.with_credit, *of);
    *of = lane_group::grant(p.lane_choice, lane);
    *free = free.without(LaneMask::only(lane));
    lane
}

fn incremental(p: Params, i: In, mut q: Vec<Reg>) -> (Vec<Grant>, Vec<Reg>) {
    let mut grants = Vec::new();
    let groups = i.asked.iter().fold(GroupMask::NONE, |all, asked| all | asked.groups);
    let mut free = i.free;
    for group in groups.iter() {
        let lanes = p.group_lanes[usize::from(group)];
        let mut requests = mask(i.asked.iter().map(|asked| asked.groups.has(group)));
        while requests != 0 && !(free & lanes).is_empty() {
            let lane = next_lane(p, i, group, &mut free, &mut q);
            let arbiter = &mut q[usize::from(lane)].arbiter;
            let (input, next) = arbiter::eval(p.arbiter, i.arbiter(requests), &|input| i.age(input), take(arbiter));
            *arbiter = next;
            grants.push(Grant { input, group, lane });
            requests &= !(1 << input);
        }
    }
    (grants, q)
}

fn atomic(p: Params, i: In, mut q: Vec<Reg>) -> (Vec<Grant>, Vec<Reg>) {
    let (mut grants, mut free) = (Vec::<Grant>::new(), i.free);
    let asking = mask(i.asked.iter().map(|asked| !asked.groups.is_empty()));
    let lanes_of = |group: u8| p.group_lanes[usize::from(group)];
    let (mut left, mut first_winner) = (asking, None);
    while left != 0 {
        let arbiter = &q[0].arbiter;
        let input = p.arbiter.grant(i.arbiter(left), &|input| i.age(input), arbiter.pointer, &arbiter.ahead);
        left &= !(1 << input);
        let asked = i.asked[usize::from(input)].groups;
        if asked.iter().any(|group| (free & lanes_of(group)).is_empty()) {
            continue;
        }
        for group in asked.iter() {
            let lane = next_lane(p, i, group, &mut free, &mut q);
            grants.push(Grant { input, group, lane });
        }
        first_winner = first_winner.or(Some(input));
    }
    if let Some(winner) = first_winner {
        let arbiter = &mut q[0].arbiter;
        *arbiter = arbiter::next(p.arbiter, i.arbiter(asking), winner, take(arbiter));
    }
    (grants, q)
}

/// The inputs for which the condition holds, one bit for each.
fn mask(inputs: impl Iterator<Item = bool>) -> u64 {
    inputs.zip(0..).fold(0, |mask, (holds, input)| mask | u64::from(holds) << input)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests for these groups, each of a worm with the number of its input.
    fn requests<const N: usize>(groups: [u64; N]) -> [Request; N] {
        core::array::from_fn(|input| Request { groups: GroupMask(groups[input]), age: input as u32 })
    }

    /// Groups of two lanes each: group g has lanes 2g and 2g + 1.
    fn pairs() -> [LaneMask; 64] {
        core::array::from_fn(|group| if group < 32 { LaneMask(3 << (2 * group)) } else { LaneMask::NONE })
    }

    fn grants(acquisition: Acquisition, arbiter: Arbiter, i: In, pointers: &[u8]) -> (Vec<(u8, u8)>, Vec<u8>) {
        let group_lanes = pairs();
        let reg =
            |&pointer: &u8| Reg { arbiter: arbiter::Reg { pointer, ..arbiter::Reg::default() }, ..Reg::default() };
        let p = Params { group_lanes: &group_lanes, acquisition, arbiter, lane_choice: LaneChoice::Lowest };
        let (grants, q) = eval(p, i, pointers.iter().map(reg).collect());
        let pointers = q.into_iter().map(|of| of.arbiter.pointer).collect();
        (grants.into_iter().map(|of| (of.input, of.lane)).collect(), pointers)
    }

    #[test]
    fn every_free_lane_picks_one_of_those_that_ask_for_its_group() {
        let asked = requests([0b01, 0b11, 0b01]);
        let i = In { asked: &asked, free: LaneMask(0b0111), with_credit: LaneMask(0b1111) };
        let (found, pointers) = grants(Acquisition::Incremental, Arbiter::RoundRobin, i, &[1, 0, 2, 0]);
        // Lane 0 searches from input 1 on. Lane 1 searches from input 0 on, without input 1. Only
        // input 1 asks for group 1.
        assert_eq!(found, [(1, 0), (0, 1), (1, 2)]);
        assert_eq!(pointers, [2, 1, 2, 0]);
    }

    #[test]
    fn a_lane_with_credit_goes_first_and_fixed_priority_keeps_its_pointer() {
        let asked = requests([0, 1, 1]);
        let i = In { asked: &asked, free: LaneMask(0b11), with_credit: LaneMask(0b10) };
        let (found, pointers) = grants(Acquisition::Incremental, Arbiter::FixedPriority, i, &[2, 2]);
        assert_eq!((found, pointers), (alloc::vec![(1, 1), (2, 0)], alloc::vec![2, 2]));
    }

    #[test]
    fn atomic_grants_all_lanes_or_none_and_turns_behind_the_first_winner() {
        let asked = requests([0b11, 0b01, 0b10]);
        let i = In { asked: &asked, free: LaneMask(0b0011), with_credit: LaneMask(u64::MAX) };
        // Input 0 lacks a lane of group 1. Input 1 gets its lane.
        let (found, pointers) = grants(Acquisition::Atomic, Arbiter::RoundRobin, i, &[0, 0, 0, 0]);
        assert_eq!((found, pointers[0]), (alloc::vec![(1, 0)], 2));
        let i = In { asked: &asked, free: LaneMask(0b1111), with_credit: LaneMask(u64::MAX) };
        let (found, pointers) = grants(Acquisition::Atomic, Arbiter::RoundRobin, i, &[0, 0, 0, 0]);
        assert_eq!((found, pointers[0]), (alloc::vec![(0, 0), (0, 2), (1, 1), (2, 3)], 1));
        let (found, pointers) = grants(Acquisition::Atomic, Arbiter::FixedPriority, i, &[2, 0, 0, 0]);
        assert_eq!((found[0], pointers[0]), ((0, 0), 2));
    }

    #[test]
    fn lanes_take_turns_under_either_acquisition() {
        let (asked, group_lanes) = (requests([0b01, 0, 0b01]), pairs());
        let i = In { asked: &asked[..1], free: LaneMask(0b11), with_credit: LaneMask(0b11) };
        for acquisition in Acquisition::ALL {
            let arbiter = Arbiter::RoundRobin;
            let p = Params { group_lanes: &group_lanes, acquisition, arbiter, lane_choice: LaneChoice::RoundRobin };
            let lanes = |i, q| {
                let (grants, q) = eval(p, i, q);
                (grants.iter().map(|of| of.lane).collect::<Vec<u8>>(), q)
            };
            let (first, q) = lanes(i, alloc::vec![Reg::default(); 4]);
            let (second, q) = lanes(i, q);
            assert_eq!((first, second), (alloc::vec![0], alloc::vec![1]));
            // Two grants in one cycle move the pointer past both. Without a grant it stays.
            let (both, q) = lanes(In { asked: &asked, ..i }, q);
            let (none, q) = lanes(In { free: LaneMask::NONE, ..i }, q);
            assert_eq!((both, none), (alloc::vec![0, 1], Vec::new()));
            assert_eq!([0, 1].map(|lane: usize| q[lane].group.pointer), [2, 0]);
        }
    }

    #[test]
    fn the_oldest_worm_goes_first_wherever_it_asks() {
        let asked = [5, 9, 2].map(|age| Request { groups: GroupMask(1), age });
        let i = In { asked: &asked, free: LaneMask(0b11), with_credit: LaneMask(0b11) };
        for acquisition in Acquisition::ALL {
            let (found, _) = grants(acquisition, Arbiter::OldestFirst, i, &[0, 0]);
            assert_eq!(found, [(2, 0), (0, 1)]);
        }
    }

    #[test]
    fn nothing_is_granted_without_requests_or_lanes() {
        for acquisition in [Acquisition::Incremental, Acquisition::Atomic] {
            for (asked, free) in [([0, 0], 3), ([1, 1], 0)] {
                let asked = requests(asked);
                let i = In { asked: &asked, free: LaneMask(free), with_credit: LaneMask(3) };
                let found = grants(acquisition, Arbiter::RoundRobin, i, &[1, 1]);
                assert_eq!(found, (Vec::new(), alloc::vec![1, 1]));
            }
        }
    }
}
