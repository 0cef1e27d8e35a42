//! Allocator: requests of the decided worms meet the arbiters of the free lanes.
//!
//! `incremental`: every free lane picks one of those that ask for its group; a worm holds what it
//! got and waits for the rest. `atomic`: the inputs are scanned in round-robin order, and a worm
//! gets all its lanes or none (docs/TIMING.md, "Lane groups and arbiters").

use alloc::vec::Vec;

use crate::{Acquisition, Arbiter, arbiter, bits, lane_group};

/// What is fixed when the allocator is built.
#[derive(Clone, Copy, Debug)]
pub struct Params<'a> {
    /// Output lanes of each lane group.
    pub group_lanes: &'a [u64; 64],
    /// How lanes are acquired.
    pub acquisition: Acquisition,
    /// Who wins.
    pub arbiter: Arbiter,
}

/// Requests and lanes.
#[derive(Clone, Copy)]
pub struct In<'a> {
    /// Lane groups that each input asks for.
    pub asked: &'a [u64],
    /// Lanes without owner.
    pub free: u64,
    /// Lanes with credit.
    pub with_credit: u64,
    /// Number of the worm at an input.
    pub age: arbiter::Age<'a>,
}

impl In<'_> {
    fn arbiter(&self, requests: u64) -> arbiter::In {
        arbiter::In { requests, inputs: self.asked.len() as u8 }
    }
}

/// A lane granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// To this input.
    pub input: u8,
    /// For its branch in this lane group.
    pub group: u8,
    /// The lane.
    pub lane: u8,
}

/// The grants of a cycle, and the next registers of the arbiters, one a lane; the atomic
/// allocator's is that of lane 0.
#[must_use]
pub fn eval(p: Params, i: In, q: Vec<arbiter::Reg>) -> (Vec<Grant>, Vec<arbiter::Reg>) {
    match p.acquisition {
        Acquisition::Incremental => incremental(p, i, q),
        Acquisition::Atomic => atomic(p, i, q),
    }
}

fn incremental(p: Params, i: In, mut q: Vec<arbiter::Reg>) -> (Vec<Grant>, Vec<arbiter::Reg>) {
    let mut grants = Vec::new();
    let groups = i.asked.iter().fold(0, |all, asked| all | asked);
    let mut free = i.free;
    for group in bits(groups) {
        let mut requests = i.asked.iter().zip(0..).fold(0, |all, (asked, input)| all | (asked >> group & 1) << input);
        while requests != 0 && free & p.group_lanes[group] != 0 {
            let lane = lane_group::next_lane(free & p.group_lanes[group], i.with_credit);
            let arbiter = &mut q[usize::from(lane)];
            let input = arbiter.grant(p.arbiter, i.arbiter(requests), i.age);
            arbiter.update(p.arbiter, i.arbiter(requests), input);
            grants.push(Grant { input, group: group as u8, lane });
            free &= !(1 << lane);
            requests &= !(1 << input);
        }
    }
    (grants, q)
}

fn atomic(p: Params, i: In, mut q: Vec<arbiter::Reg>) -> (Vec<Grant>, Vec<arbiter::Reg>) {
    let (mut grants, mut free) = (Vec::<Grant>::new(), i.free);
    let asking = i.asked.iter().zip(0..).fold(0_u64, |all, (asked, input)| all | u64::from(*asked != 0) << input);
    let (mut left, mut first_winner) = (asking, None);
    while left != 0 {
        let input = q[0].grant(p.arbiter, i.arbiter(left), i.age);
        left &= !(1 << input);
        let asked = i.asked[usize::from(input)];
        if bits(asked).any(|group| free & p.group_lanes[group] == 0) {
            continue;
        }
        for group in bits(asked) {
            let lane = lane_group::next_lane(free & p.group_lanes[group], i.with_credit);
            free &= !(1 << lane);
            grants.push(Grant { input, group: group as u8, lane });
        }
        first_winner = first_winner.or(Some(input));
    }
    if let Some(winner) = first_winner {
        q[0].update(p.arbiter, i.arbiter(asking), winner);
    }
    (grants, q)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn age(input: u8) -> u32 {
        input.into()
    }

    /// Groups of two lanes each: group g has lanes 2g and 2g + 1.
    fn pairs() -> [u64; 64] {
        core::array::from_fn(|group| if group < 32 { 3 << (2 * group) } else { 0 })
    }

    fn grants(acquisition: Acquisition, arbiter: Arbiter, i: In, pointers: &[u8]) -> (Vec<(u8, u8)>, Vec<u8>) {
        let group_lanes = pairs();
        let q = pointers.iter().map(|&pointer| arbiter::Reg { pointer, ..arbiter::Reg::default() }).collect();
        let (grants, q) = eval(Params { group_lanes: &group_lanes, acquisition, arbiter }, i, q);
        (grants.into_iter().map(|of| (of.input, of.lane)).collect(), q.into_iter().map(|of| of.pointer).collect())
    }

    #[test]
    fn every_free_lane_picks_one_of_those_that_ask_for_its_group() {
        let i = In { asked: &[0b01, 0b11, 0b01], free: 0b0111, with_credit: 0b1111, age: &age };
        let (found, pointers) = grants(Acquisition::Incremental, Arbiter::RoundRobin, i, &[1, 0, 2, 0]);
        // Lane 0 from input 1 on, lane 1 from input 0 on without it; input 1 alone asks for group
        // 1.
        assert_eq!(found, [(1, 0), (0, 1), (1, 2)]);
        assert_eq!(pointers, [2, 1, 2, 0]);
    }

    #[test]
    fn a_lane_with_credit_goes_first_and_fixed_priority_keeps_its_pointer() {
        let i = In { asked: &[0, 1, 1], free: 0b11, with_credit: 0b10, age: &age };
        let (found, pointers) = grants(Acquisition::Incremental, Arbiter::FixedPriority, i, &[2, 2]);
        assert_eq!((found, pointers), (alloc::vec![(1, 1), (2, 0)], alloc::vec![2, 2]));
    }

    #[test]
    fn atomic_grants_all_lanes_or_none_and_turns_behind_the_first_winner() {
        let asked = [0b11, 0b01, 0b10];
        let i = In { asked: &asked, free: 0b0011, with_credit: u64::MAX, age: &age };
        // Input 0 lacks a lane of group 1; input 1 gets its own.
        let (found, pointers) = grants(Acquisition::Atomic, Arbiter::RoundRobin, i, &[0, 0, 0, 0]);
        assert_eq!((found, pointers[0]), (alloc::vec![(1, 0)], 2));
        let i = In { asked: &asked, free: 0b1111, with_credit: u64::MAX, age: &age };
        let (found, pointers) = grants(Acquisition::Atomic, Arbiter::RoundRobin, i, &[0, 0, 0, 0]);
        assert_eq!((found, pointers[0]), (alloc::vec![(0, 0), (0, 2), (1, 1), (2, 3)], 1));
        let (found, pointers) = grants(Acquisition::Atomic, Arbiter::FixedPriority, i, &[2, 0, 0, 0]);
        assert_eq!((found[0], pointers[0]), ((0, 0), 2));
    }

    #[test]
    fn nothing_is_granted_without_requests_or_lanes() {
        for acquisition in [Acquisition::Incremental, Acquisition::Atomic] {
            for i in [
                In { asked: &[0, 0], free: 3, with_credit: 3, age: &age },
                In { asked: &[1, 1], free: 0, with_credit: 3, age: &age },
            ] {
                let found = grants(acquisition, Arbiter::RoundRobin, i, &[1, 1]);
                assert_eq!(found, (Vec::new(), alloc::vec![1, 1]));
            }
        }
    }
}
