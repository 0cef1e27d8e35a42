//! Acquisition of output lanes: requests of the decided worms meet the arbiters of the free lanes.
//!
//! `incremental`: every free lane picks one of the inputs that ask for its group; a worm holds what
//! it got and waits for the rest. `atomic`: one allocator scans the inputs and grants all lanes of
//! a worm or none (docs/reference/timing.md, R7.20 to R7.22).

use std::ops::Range;

use super::{Bank, Done, Params};
use crate::stats::CycleAccount;
use nonmax::NonMaxU8;
use wormscope_hw::arbiter::{Age, In, round_robin};
use wormscope_hw::{LaneChoice, LaneMask, Replication, bits, lane_group};

impl Params {
    /// The places of some inputs of a switch in the order in which arbiters count them.
    #[inline(always)]
    pub fn ranked(&self, inputs: u64) -> u64 {
        bits(inputs).fold(0, |places, input| places | 1 << self.rank[input])
    }

    /// Range of the order of the arbiter of output `lane`, in the orders of a bank.
    #[inline(always)]
    pub fn ahead(&self, lane: usize) -> Range<usize> {
        let inputs = usize::from(self.in_lanes);
        lane * inputs..(lane + 1) * inputs
    }
}

impl Bank {
    /// The choice of the arbiter of output `lane` among `requests`, all by their places.
    #[inline(always)]
    pub fn choose(&self, p: &Params, lane: u8, requests: u64, age: Age) -> u8 {
        let out = &self.outs[usize::from(lane)];
        if let Some(imposed) = out.imposed {
            return round_robin::grant(requests, p.rank[usize::from(imposed.get())]);
        }
        let ahead = self.ahead.get(p.ahead(lane.into())).unwrap_or_default();
        p.arbiter.grant(In { requests, inputs: p.in_lanes }, age, out.pointer, ahead)
    }

    /// Updates the arbiter of output `lane` after its choice among `requests`.
    #[inline(always)]
    fn chose(&mut self, p: &Params, lane: u8, requests: u64, winner: u8) {
        let pins = In { requests, inputs: p.in_lanes };
        if !self.ahead.is_empty() {
            for (input, row) in (0..).zip(&mut self.ahead[p.ahead(lane.into())]) {
                *row = p.arbiter.ahead(pins, winner, input, *row);
            }
        }
        let out = &mut self.outs[usize::from(lane)];
        out.pointer = p.arbiter.pointer(pins, winner, out.pointer);
        out.imposed = None;
    }

    /// Grants lanes of the switches that `lanes` belong to, one after the other; returns the lanes
    /// granted.
    #[inline(always)]
    pub(super) fn acquire(
        &mut self,
        p: &Params,
        now: u32,
        lanes: u64,
        ages: &dyn Fn(u32) -> u32,
        account: &mut CycleAccount,
        done: &mut Done,
    ) -> u64 {
        let (mut granted, mut left) = (0, self.q.arbitrate & lanes);
        while left != 0 {
            let first = p.fields.first(left.trailing_zeros() as usize);
            let field = p.fields.field(first);
            left &= !field;
            self.q.arbitrate &= !field;
            let asking = self.q.asking & field;
            granted |= if p.atomic {
                done.contested |= asking.count_ones() > 1;
                self.acquire_atomic(p, now, first, ages, account)
            } else if asking.is_power_of_two() {
                self.acquire_alone(p, now, first, asking.trailing_zeros() as usize, account)
            } else {
                self.acquire_incremental(p, now, first, ages, account, done)
            };
        }
        granted
    }

    /// Lane groups for which an input asks in this cycle: all wanted groups, or only the first with
    /// sequential replication.
    #[inline(always)]
    pub(super) fn asked(p: &Params, wanted: u64) -> u64 {
        if matches!(p.replication, Replication::Sequential) { wanted & wanted.wrapping_neg() } else { wanted }
    }

    /// The `free` lane of group `g` that is granted next. If the lowest lane always comes next, the
    /// pointer of the group stays 0 and is not read.
    #[inline(always)]
    fn next_lane(&mut self, p: &Params, first: u8, g: usize, free: u64) -> u8 {
        if p.lane_choice == LaneChoice::Lowest {
            return lane_group::next_lane(LaneMask(free), LaneMask(self.q.credit), lane_group::Reg::default());
        }
        let q = &mut self.outs[usize::from(first) + p.group_lanes[g].trailing_zeros() as usize].group;
        let lane = lane_group::next_lane(LaneMask(free >> first), LaneMask(self.q.credit >> first), *q);
        *q = lane_group::grant(p.lane_choice, lane);
        first + lane
    }

    /// Usually only one input of a switch asks. Then every kind of arbiter grants its free lanes.
    fn acquire_alone(&mut self, p: &Params, now: u32, first: u8, i: usize, account: &mut CycleAccount) -> u64 {
        let (mut granted, place) = (0, p.rank[i - usize::from(first)]);
        for g in bits(Self::asked(p, self.ins[i].wanted)) {
            let free = self.q.free & p.group_lanes[g] << first;
            if free != 0 {
                let lane = self.next_lane(p, first, g, free);
                self.chose(p, lane, 1 << place, place);
                self.grant(p, now, account, i, g, lane);
                granted |= 1 << lane;
            }
        }
        granted
    }

    fn acquire_incremental(
        &mut self,
        p: &Params,
        now: u32,
        first: u8,
        ages: &dyn Fn(u32) -> u32,
        account: &mut CycleAccount,
        done: &mut Done,
    ) -> u64 {
        let (mut groups, field) = (0, p.fields.field(first));
        for i in bits(self.q.asking & field) {
            groups |= Self::asked(p, self.ins[i].wanted);
        }
        let mut granted = 0;
        for g in bits(groups) {
            let mut free = self.q.free & p.group_lanes[g] << first;
            if free == 0 {
                continue;
            }
            let mut requests = 0;
            for i in bits(self.q.asking & field) {
                requests |= (Self::asked(p, self.ins[i].wanted) >> g & 1) << p.rank[i - usize::from(first)];
            }
            done.contested |= requests & requests.wrapping_sub(1) != 0;
            while free != 0 && requests != 0 {
                let lane = self.next_lane(p, first, g, free);
                let input = |place: u8| usize::from(first + p.order[usize::from(place)]);
                let winner = self.choose(p, lane, requests, &|place| ages(self.ins[input(place)].worm));
                self.chose(p, lane, requests, winner);
                self.grant(p, now, account, input(winner), g, lane);
                free &= !(1 << lane);
                requests &= !(1 << winner);
                granted |= 1 << lane;
            }
        }
        granted
    }

    /// Inputs in round-robin order. The pointer moves after the first winner.
    fn acquire_atomic(
        &mut self,
        p: &Params,
        now: u32,
        first: u8,
        ages: &dyn Fn(u32) -> u32,
        account: &mut CycleAccount,
    ) -> u64 {
        let (mut granted, mut first_winner) = (0, None);
        let requests = p.ranked((self.q.asking & p.fields.field(first)) >> first);
        let mut left = requests;
        while left != 0 {
            let input = |place: u8| usize::from(first + p.order[usize::from(place)]);
            let n = self.choose(p, first, left, &|place| ages(self.ins[input(place)].worm));
            left &= !(1 << n);
            let i = input(n);
            let wanted = Self::asked(p, self.ins[i].wanted);
            if bits(wanted).any(|g| self.q.free & p.group_lanes[g] << first == 0) {
                continue;
            }
            for g in bits(wanted) {
                let free = self.q.free & p.group_lanes[g] << first;
                let lane = self.next_lane(p, first, g, free);
                self.grant(p, now, account, i, g, lane);
                granted |= 1 << lane;
            }
            first_winner.get_or_insert(n);
        }
        if let Some(first_winner) = first_winner {
            self.chose(p, first, requests, first_winner);
        }
        granted
    }

    #[inline(always)]
    pub(super) fn grant(&mut self, p: &Params, now: u32, account: &mut CycleAccount, i: usize, group: usize, lane: u8) {
        let (q, out) = (&mut self.ins[i], &mut self.outs[lane as usize]);
        q.wanted &= !(1 << group);
        self.readers[i].lanes |= 1 << lane;
        if q.wanted == 0 || matches!(p.replication, Replication::Sequential) {
            self.q.asking &= !(1 << i);
        }
        self.q.free &= !(1 << lane);
        out.owner = NonMaxU8::new(i as u8);
        out.winner = out.owner;
        out.granted_at = now;
        out.ahead = 0;
        self.q.pending |= 1 << lane;
        if self.q.replicating >> i & 1 == 0 {
            // A cycle with stripped flits counts for the header. The wait begins after this cycle.
            if now.wrapping_add(1) != q.since {
                account.add(q.waits, now.wrapping_sub(q.since));
                account.header += u64::from(p.allocation_register);
            }
            q.waits = super::Waits::NONE;
        }
    }
}
