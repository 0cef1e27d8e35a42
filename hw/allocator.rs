//! Allocator: requests of the decided worms meet the arbiters of the free lanes.
//!
//! `incremental`: every free lane picks one of those that ask for its group; a worm holds what it got and waits for the rest.
//! `atomic`: the inputs are scanned in round-robin order, and a worm gets all its lanes or none (docs/TIMING.md, "Lane groups and
//! arbiters").

use alloc::vec::Vec;

use crate::{arbiter, bits, lane_group};

/// How a worm with several branches acquires its lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acquisition {
    /// Hold what you got, wait for the rest.
    #[default]
    Incremental,
    /// All lanes of this switch or none.
    Atomic,
}

/// Who gets a free lane that several inputs want.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arbiter {
    /// The pointer stands behind the last winner.
    #[default]
    RoundRobin,
    /// The lowest input lane.
    FixedPriority,
}

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
#[derive(Clone, Copy, Debug)]
pub struct In<'a> {
    /// Lane groups that each input asks for.
    pub asked: &'a [u64],
    /// Lanes without owner.
    pub free: u64,
    /// Lanes with credit.
    pub with_credit: u64,
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

/// The grants of a cycle, and the next pointers, one a lane; the atomic allocator's is that of lane 0.
#[must_use]
pub fn eval(p: Params, i: In, pointers: Vec<u8>) -> (Vec<Grant>, Vec<u8>) {
    match p.acquisition {
        Acquisition::Incremental => incremental(p, i, pointers),
        Acquisition::Atomic => atomic(p, i, pointers),
    }
}

fn incremental(p: Params, i: In, mut pointers: Vec<u8>) -> (Vec<Grant>, Vec<u8>) {
    let (inputs, mut grants) = (i.asked.len() as u8, Vec::new());
    let groups = i.asked.iter().fold(0, |all, asked| all | asked);
    let mut free = i.free;
    for group in bits(groups) {
        let mut requests = i.asked.iter().zip(0..).fold(0, |all, (asked, input)| all | (asked >> group & 1) << input);
        while requests != 0 && free & p.group_lanes[group] != 0 {
            let lane = lane_group::next_lane(free & p.group_lanes[group], i.with_credit);
            let pointer = &mut pointers[usize::from(lane)];
            let input = match p.arbiter {
                Arbiter::FixedPriority => arbiter::fixed_priority(requests),
                Arbiter::RoundRobin => {
                    let winner = arbiter::round_robin(requests, *pointer);
                    *pointer = arbiter::behind(winner, inputs);
                    winner
                }
            };
            grants.push(Grant { input, group: group as u8, lane });
            free &= !(1 << lane);
            requests &= !(1 << input);
        }
    }
    (grants, pointers)
}

fn atomic(p: Params, i: In, mut pointers: Vec<u8>) -> (Vec<Grant>, Vec<u8>) {
    let (inputs, mut grants, mut free) = (i.asked.len() as u8, Vec::<Grant>::new(), i.free);
    let mut left = i.asked.iter().zip(0..).fold(0_u64, |all, (asked, input)| all | u64::from(*asked != 0) << input);
    let (mut from, mut first_winner) = (pointers[0], None);
    while left != 0 {
        let input = match p.arbiter {
            Arbiter::FixedPriority => arbiter::fixed_priority(left),
            Arbiter::RoundRobin => arbiter::round_robin(left, from),
        };
        left &= !(1 << input);
        from = input;
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
    if let (Some(winner), Arbiter::RoundRobin) = (first_winner, p.arbiter) {
        pointers[0] = arbiter::behind(winner, inputs);
    }
    (grants, pointers)
}
