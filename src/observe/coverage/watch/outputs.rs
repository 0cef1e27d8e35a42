//! Output lanes: grants, flits that cross, and turns on a link.
//!
//! With banks, most flits that cross are counted from words. Without banks, each lane has a sample.

use super::super::catalogue::GroupId;
use super::super::groups::{behind, contest, crossing, lane_group, strip, turn, winner};
use super::super::lanes::{NEVER, NO_LANE, NO_WORM, PlacedLane};
use super::{Coverage, NOWHERE, TO_NODE};
use crate::engine::{BankSample, CommitLog, FlitId, Grant, LaneBanks, OutSample};
use wormscope_hw::{Encoding, LaneMask, SwitchId, bits};

impl Coverage {
    /// Takes the owner of an output lane, which has changed.
    #[inline(never)]
    fn changes_hands(&mut self, s: &OutSample, owner: u8) {
        self.outputs[s.switch.index() * self.of.outs + usize::from(s.lane)].owner = owner;
        if owner != NO_LANE {
            self.granted.push(Grant { switch: s.switch, lane: s.lane, owner, credits: s.credits });
        }
    }

    /// Takes the first flit of a worm that crosses an output lane.
    #[inline(never)]
    fn begins(&mut self, cycle: u64, s: &OutSample, flit: FlitId, owner: u8) {
        let Self { counts, of, inputs, outputs, lengths, .. } = self;
        let o = &mut outputs[s.switch.index() * of.outs + usize::from(s.lane)];
        if o.silent != NEVER {
            let place = if o.from == owner { 1 } else { 2 };
            counts.hit(GroupId::Behind, [place, behind::between(cycle - o.silent)]);
        }
        let length = lengths.get(flit.worm.index()).copied().unwrap_or(u32::MAX);
        (o.worm, o.from, o.tail) = (flit.worm.0, owner, length.wrapping_sub(1));
        counts.hit(GroupId::Pipeline, of.pipeline);
        if let Some(i) = inputs.get(s.switch.index() * of.ins + usize::from(owner))
            && let Some(stripping) = strip::encoding(Encoding::from_bits(i.encoding))
        {
            let stripped = flit.index.saturating_sub(i.first) as usize;
            counts.hit(GroupId::Strip, [stripping, stripped, usize::from(i.branches.count() > 1)]);
        }
    }

    /// Takes a flit that crosses an output lane. `fifo` is the fill of the FIFO of its owner.
    #[inline(always)]
    fn crosses(&mut self, cycle: u64, s: &OutSample, flit: FlitId, fifo: usize) {
        let at = s.switch.index() * self.of.outs + usize::from(s.lane);
        let o = &mut self.outputs[at];
        let credits = crossing::credits(s.credits, o.credits);
        // Most flits follow another flit of their worm.
        if flit.worm.0 == o.worm && flit.index != o.tail {
            self.counts.hit(GroupId::Crossing, [2, fifo, credits]);
        } else {
            self.first_or_last(cycle, s, flit, [fifo, credits]);
        }
    }

    /// Takes a flit that crosses as the first or the last of its worm.
    #[inline(never)]
    fn first_or_last(&mut self, cycle: u64, s: &OutSample, flit: FlitId, [fifo, credits]: [usize; 2]) {
        let at = s.switch.index() * self.of.outs + usize::from(s.lane);
        let begins = self.outputs[at].worm != flit.worm.0;
        if begins {
            self.begins(cycle, s, flit, s.owner.unwrap_or(NO_LANE));
        }
        let o = &mut self.outputs[at];
        let ends = flit.index == o.tail;
        let kind = match (begins, ends) {
            (true, true) => 0,
            (true, false) => 1,
            (false, false) => 2,
            (false, true) => 3,
        };
        self.counts.hit(GroupId::Crossing, [kind, fifo, credits]);
        if ends {
            // The lane is free in the next cycle, and the same input may get it again.
            (o.owner, o.worm, o.silent) = (NO_LANE, NO_WORM, cycle + 1);
        }
    }

    /// Takes a flit that crosses a link of several virtual channels. All owners of the cycle are
    /// known.
    #[inline(never)]
    fn turn(&mut self, at: usize, lane: u8) {
        let of_node = self.outputs[at].lead == TO_NODE;
        let channels = self.of.channels[usize::from(of_node)];
        if channels < 2 {
            return;
        }
        let channel = self.of.lanes.outputs.within(lane) % channels;
        let first = at - usize::from(channel);
        let link = &mut self.outputs[first..first + usize::from(channels)];
        // The lane that crosses with a tail has given up its owner.
        let owned = link.iter().zip(0..).filter(|(o, n)| o.owner != NO_LANE || *n == channel).count();
        let before = std::mem::replace(&mut link[0].channel, channel);
        if before != NO_LANE {
            self.counts.hit(GroupId::Turn, [0, owned - 1, turn::order(before, channel)]);
        }
    }

    /// Takes the lanes that were granted in a cycle.
    #[inline(never)]
    pub(super) fn grants(&mut self, cycle: u64) {
        let mut granted = std::mem::take(&mut self.granted);
        // An engine may sample switches in any order, and most sample one after the other.
        if !granted.is_sorted_by_key(|grant| grant.switch.0) {
            granted.sort_by_key(|grant| grant.switch.0);
        }
        for of_switch in granted.chunk_by(|a, b| a.switch == b.switch) {
            for grant in of_switch {
                self.grant(cycle, *grant, of_switch);
            }
        }
        self.granted = granted;
        self.granted.clear();
    }

    /// Takes one of the lanes that a switch granted in a cycle.
    fn grant(&mut self, cycle: u64, grant: Grant, of_switch: &[Grant]) {
        let Self { counts, of, seen, inputs, outputs, waiting, .. } = self;
        let at_switch = grant.switch.index();
        let (first_in, first_out) = (at_switch * of.ins, at_switch * of.outs);
        let lane = usize::from(grant.lane);
        let port = of.ports[lane];
        // Inputs that wait for the port and own no lane of it, and inputs that have just got one.
        let mut asking = 1_u64 << grant.owner;
        for input in bits(waiting[at_switch]) {
            if seen[first_in + input].waits.lane_wait.has(port) {
                asking |= 1 << input;
            }
        }
        // A worm of one flit has given its lane back in the same cycle.
        let mut taken = LaneMask::only(grant.lane);
        for other in of.siblings[lane].iter() {
            let owner = outputs[first_out + usize::from(other)].owner;
            if owner != NO_LANE {
                if of.groups[lane].has(other) {
                    taken |= LaneMask::only(other);
                }
                if owner != grant.owner {
                    asking &= !(1 << owner);
                }
            }
        }
        for other in of_switch {
            if of.ports[usize::from(other.lane)] == port {
                asking |= 1 << other.owner;
            }
        }
        let o = &mut outputs[first_out + lane];
        let contenders = asking.count_ones() as usize;
        let before = std::mem::replace(&mut o.winner, grant.owner);
        counts.hit(GroupId::Contest, [of.arbiter, contenders - 1, contest::before(before, grant.owner, NO_LANE)]);
        if contenders > 1 {
            counts.hit(GroupId::Winner, [of.arbiter, winner::rank(asking, grant.owner)]);
        }
        if o.lead != NOWHERE {
            let owned = lane_group::owned(u32::from(o.lanes), u32::from(taken.count()));
            let values = [usize::from(o.lead), usize::from(o.lanes) - 1, owned, usize::from(grant.credits > 0)];
            counts.hit(GroupId::LaneGroup, values);
        }
        let i = &mut inputs[first_in + usize::from(grant.owner)];
        if i.branches.count() > 1
            && let Some(order) = i.order.take(cycle, port, i.branches.count())
        {
            counts.hit(GroupId::Acquisition, [of.replication as usize, of.acquisition as usize, order]);
        }
    }

    /// Takes the output lanes one by one.
    pub(super) fn by_lane(&mut self, log: &CommitLog) {
        for s in &log.outputs {
            let owner = s.owner.unwrap_or(NO_LANE);
            if owner != self.outputs[s.switch.index() * self.of.outs + usize::from(s.lane)].owner {
                self.changes_hands(s, owner);
            }
            let Some(flit) = s.flit else { continue };
            let owner = self.seen.get(s.switch.index() * self.of.ins + usize::from(owner));
            let fifo = owner.map_or(0, |i| crossing::fifo(i.count, i.depth));
            self.crosses(log.cycle, s, flit, fifo);
        }
        if self.of.has_turns {
            for s in log.outputs.iter().filter(|s| s.flit.is_some()) {
                self.turn(s.switch.index() * self.of.outs + usize::from(s.lane), s.lane);
            }
        }
    }

    /// Takes the grants, and what crosses the output lanes of whole banks.
    pub(super) fn by_bank(&mut self, log: &CommitLog, places: LaneBanks) {
        if self.places.is_empty() {
            (self.places, self.injected) = self.placed(places);
        }
        for grant in &log.grants {
            self.outputs[grant.switch.index() * self.of.outs + usize::from(grant.lane)].owner = grant.owner;
        }
        self.granted.extend(&log.grants);
        let mut ends = log.outputs.iter().peekable();
        for bank in &log.banks {
            let first = 64 * bank.bank as usize;
            let mut others = bank.crossed;
            let of_bank = |s: &OutSample| {
                let place = places.place(s.switch, s.lane);
                place / 64 == bank.bank as usize && bank.live >> (place % 64) & 1 != 0
            };
            while let Some(s) = ends.next_if(|s| of_bank(s)) {
                let (Some(flit), Some(owner)) = (s.flit, s.owner) else { continue };
                others &= !(1 << (places.place(s.switch, s.lane) % 64));
                let depth = self.seen[s.switch.index() * self.of.ins + usize::from(owner)].depth;
                let fifo = crossing::fifo(bank.flits.get(places.place(s.switch, owner) % 64), depth);
                self.crosses(log.cycle, s, flit, fifo);
                if self.of.has_turns {
                    self.turn(s.switch.index() * self.of.outs + usize::from(s.lane), s.lane);
                }
            }
            if others != 0 {
                self.follow(log.cycle, bank, first, others);
            }
        }
    }

    /// Takes flits that cross to other switches behind the first flits of their worms.
    #[inline(always)]
    fn follow(&mut self, cycle: u64, bank: &BankSample, first: usize, lanes: u64) {
        let [several, mut full] = [1, self.of.depth - 1].map(|most| bank.flits.above(most));
        let injected = self.injected[bank.bank as usize];
        if injected != 0 {
            full = full & !injected | bank.flits.above(self.of.injection_depth - 1) & injected;
        }
        let [some, all] = [1, self.of.depth - 1].map(|most| bank.credits.above(most));
        for bit in bits(lanes) {
            let PlacedLane { at, lane } = self.places[first + bit];
            let o = &mut self.outputs[at as usize];
            let input = bit - usize::from(lane) + usize::from(o.owner);
            let is = |of: u64, bit: usize| (of >> (bit % 64) & 1) as usize;
            // A FIFO of one flit is full, and a lane with one credit has its last.
            let fifo = if is(full, input) != 0 { 2 } else { is(several, input) };
            let credits = if is(some, bit) != 0 { 1 + is(all, bit) } else { 0 };
            let is_tail = bank.tails >> bit & 1 != 0;
            self.counts.hit(GroupId::Crossing, [2 + usize::from(is_tail), fifo, credits]);
            if is_tail {
                (o.owner, o.worm, o.silent) = (NO_LANE, NO_WORM, cycle + 1);
            }
            if self.of.has_turns {
                self.turn(at as usize, lane);
            }
        }
    }

    /// The output lanes at the places of banks, and by bank the input lanes whose FIFO has
    /// `injection_depth` in place of `depth`.
    fn placed(&self, places: LaneBanks) -> (Vec<PlacedLane>, Vec<u64>) {
        let switches = self.waiting.len() as u32;
        let banks = places.banks(switches);
        let (mut lanes, mut injected) = (vec![PlacedLane::default(); 64 * banks], vec![0; banks]);
        for switch in (0..switches).map(SwitchId) {
            for lane in 0..self.of.lanes.outputs.count() {
                let at = switch.0 * self.of.outs as u32 + u32::from(lane);
                lanes[places.place(switch, lane)] = PlacedLane { at, lane };
            }
            for lane in 0..self.of.lanes.inputs.count() {
                let place = places.place(switch, lane);
                let depth = self.seen[switch.index() * self.of.ins + usize::from(lane)].depth;
                injected[place / 64] |= u64::from(depth != self.of.depth) << (place % 64);
            }
        }
        (lanes, injected)
    }
}
