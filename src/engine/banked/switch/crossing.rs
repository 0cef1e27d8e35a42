//! Crossing: the head flits of the decided worms that hold their lanes meet credits, replication
//! units and links.

use super::{Bank, Done, LANES, Params, Pins, Waits, Wires, Writer};
use crate::stats::CycleAccount;
use wormscope_hw::flit::Flit;
use wormscope_hw::{LaneMask, Replication, bits, fifo, multiplexer, replication};

/// Output lanes that flits crossed, inputs whose lanes were not able to, inputs whose worm's tail
/// has crossed.
struct Streamed {
    crossed: u64,
    waiting: u64,
    tails: u64,
}

impl Bank {
    /// Output lanes through which input `i` can send in this cycle, given the lanes that are able
    /// to.
    #[inline(always)]
    fn offer(&self, p: &Params, i: usize, able: u64) -> u64 {
        let lanes = self.readers[i].lanes;
        if self.q.replicating >> i & 1 == 0 {
            return lanes & able;
        }
        match p.replication {
            Replication::Asynchronous | Replication::Lockstep | Replication::Synchronous => {
                let q = &self.ins[i];
                let [lanes, taken, able] = [lanes, q.taken, able].map(LaneMask);
                replication::offer_front(p.replication, lanes, taken, able, q.wanted != 0).0
            }
            Replication::Buffered | Replication::Sequential => bits(lanes & able)
                .filter(|&o| self.outs[o].ahead < self.q.flits.get(i))
                .fold(0, |lanes, o| lanes | 1 << o),
        }
    }

    /// For each physical link, one of the lanes through which the `ready` inputs and the
    /// replicating inputs could send.
    #[inline(never)]
    pub(super) fn select_lanes(&mut self, p: &Params, lanes: u64, ready: u64, done: &mut Done) -> u64 {
        let replicating = self.q.occupied & self.q.replicating & lanes & !done.stripped;
        let able = self.q.credit & !done.fresh;
        let mut left = bits(ready | replicating).fold(0, |offered, i| offered | self.offer(p, i, able));
        let mut selected = 0;
        while left != 0 {
            let o = left.trailing_zeros() as usize;
            let kind = (self.to_nodes >> o & 1) as usize;
            let (first, lanes) = (p.link_first[kind][o], p.link_lanes[kind]);
            let mask = (u64::MAX >> (64 - lanes)) << first;
            let mux = &mut self.outs[first as usize].mux;
            done.contested |= (left & mask) & (left & mask).wrapping_sub(1) != 0;
            let pins = multiplexer::In { candidates: (left & mask) >> first, lanes };
            let (winner, next) = multiplexer::eval(pins, multiplexer::Reg { pointer: *mux });
            *mux = next.pointer;
            selected |= 1 << (first + winner);
            left &= !mask;
        }
        selected
    }

    /// Crosses the `ready` inputs, whose worms have one branch and hold their lane, if the lane is
    /// `able` to send. Returns the inputs that crossed.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    pub(super) fn cross<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        ready: u64,
        able: u64,
        pins: &mut P,
        account: &mut CycleAccount,
        done: &mut Done,
    ) -> u64 {
        let (credit, pending) = (self.q.credit & !done.fresh, self.q.pending);
        let able = able & credit;
        if pins.looks() {
            // Nodes look at the flits that leave for them, and some observers at all flits.
            let seen = if P::WATCHED { able } else { able & self.to_nodes };
            self.look(ready, seen, pins);
        }
        let Streamed { crossed, waiting, tails } = self.stream(p, ready, able, pins.wires());
        let popped = ready & !waiting;
        done.moved |= popped;
        done.crossed |= crossed;
        self.q.pending &= !crossed;
        for lane in bits(crossed & pending) {
            let Some(i) = self.outs[lane].owner().map(usize::from) else { continue };
            let flit = pins.flit(i, fifo::back(self.readers[i].read, p.fifo_depth));
            self.head(p, pins, i, lane, flit);
        }
        pins.consume(crossed & self.to_nodes);
        for i in bits(popped & self.from_nodes) {
            pins.credit(self.ins[i].from, 1);
        }
        for i in bits(waiting) {
            self.wait(now, account, i, credit, done);
        }
        for i in bits(tails) {
            let lane = self.readers[i].lanes.trailing_zeros() as usize;
            let flit = pins.flit(i, fifo::back(self.readers[i].read, p.fifo_depth));
            self.tail(p, pins, i, lane, flit);
            self.finish(pins, i);
        }
        popped
    }

    /// Moves a flit of each of the `ready` inputs whose lane is `able` to send.
    ///
    /// This loop takes most of the time. So it calls no function, and nothing in it depends on
    /// which flit crosses. The work that few flits need comes after it.
    #[inline(always)]
    fn stream(&mut self, p: &Params, ready: u64, able: u64, mut wires: impl Wires) -> Streamed {
        let Self { q, readers, writers, .. } = self;
        let pending = q.pending;
        let (mut crossed, mut waiting, mut tails) = (0, 0, 0u64);
        for i in bits(ready) {
            let reader = &mut readers[i % LANES];
            let lane = reader.lanes.trailing_zeros() as usize % LANES;
            if able >> lane & 1 == 0 {
                waiting |= 1 << i;
                continue;
            }
            crossed |= 1 << lane;
            let flit = wires.flit(i % LANES, reader.read);
            reader.read = fifo::advance(reader.read, p.fifo_depth);
            tails |= u64::from(flit.is_tail()) << i;
            writers[lane].send(p, flit.with_head(pending >> lane & 1 != 0), &mut wires);
            wires.credit(reader.from);
        }
        Streamed { crossed, waiting, tails }
    }

    /// Shows the flits that cross.
    #[inline(never)]
    fn look<P: Pins>(&self, ready: u64, able: u64, pins: &mut P) {
        for i in bits(ready) {
            let lane = self.readers[i].lanes.trailing_zeros() as usize;
            if able >> lane & 1 != 0 {
                let flit = pins.flit(i, self.readers[i].read).with_head(self.q.pending >> lane & 1 != 0);
                pins.look(lane, self.outs[lane].to, flit, self.ins[i].image);
            }
        }
    }

    /// A head of input `i`'s worm has crossed output `lane`.
    #[inline(always)]
    fn head<P: Pins>(&self, p: &Params, pins: &mut P, i: usize, lane: usize, flit: Flit) {
        let write = fifo::back(self.writers[lane].write, p.fifo_depth);
        pins.head(lane, self.outs[lane].to, write, flit, self.ins[i].image);
    }

    /// The tail of input `i`'s worm has crossed output `lane`.
    #[inline(always)]
    fn tail<P: Pins>(&mut self, p: &Params, pins: &mut P, i: usize, lane: usize, flit: Flit) {
        if self.to_nodes >> lane & 1 != 0 {
            pins.tail(self.outs[lane].to, flit);
        }
        self.release(p, pins, i, lane);
    }

    /// Input `i`, whose worm has one branch and holds its lane, does not cross.
    #[inline(always)]
    fn wait(&mut self, now: u32, account: &mut CycleAccount, i: usize, credit: u64, done: &Done) {
        let lanes = self.readers[i].lanes;
        if lanes & credit != 0 {
            // Another virtual channel of the link has this cycle.
            account.lane_wait += 1;
        } else if lanes & done.fresh == 0 {
            // A head that waits for its allocation register is not blocked, but this head is
            // blocked.
            let to_node = lanes & self.to_nodes != 0;
            let q = &mut self.ins[i];
            q.waits = Waits { endpoint: u8::from(to_node), credit: u8::from(!to_node), ..Waits::NONE };
            q.since = now;
            self.q.blocked |= 1 << i;
        }
    }

    /// Inputs that were blocked on the lanes to which `credits` return can go on.
    #[inline(always)]
    pub(super) fn unblock(&mut self, now: u32, credits: u64, account: &mut CycleAccount) {
        for lane in bits(credits & !self.q.credit) {
            let out = &mut self.outs[lane];
            let Some(owner) = out.owner().filter(|owner| self.q.blocked >> owner & 1 != 0) else { continue };
            self.q.blocked &= !(1 << owner);
            let q = &mut self.ins[usize::from(owner)];
            let cycles = now.wrapping_sub(q.since);
            account.add(q.waits, cycles);
            q.waits = Waits::NONE;
            out.counters.blocked += u64::from(cycles);
        }
    }

    /// Output `lane`, which input `i` held, is free from the next cycle on.
    #[inline(never)]
    fn release<P: Pins>(&mut self, p: &Params, pins: &mut P, i: usize, lane: usize) {
        self.readers[i].lanes &= !(1 << lane);
        self.q.free |= 1 << lane;
        let asking = self.q.asking & p.fields.field(p.fields.first(lane));
        self.q.arbitrate |= asking;
        self.outs[lane].owner = None;
        pins.released(lane, self.ins[i].worm, &mut self.outs[lane], &self.ins, asking);
    }

    /// The worm of input `i` has passed: the input is free from the next cycle on.
    #[inline(always)]
    fn finish<P: Pins>(&mut self, pins: &mut P, i: usize) {
        self.q.active &= !(1 << i);
        self.q.replicating &= !(1 << i);
        pins.passed(i, self.ins[i].enc, self.ins[i].image);
    }

    /// Crossing where worms replicate; returns the inputs that popped a flit.
    #[inline(never)]
    #[allow(clippy::too_many_arguments)]
    pub(super) fn replicate<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        lanes: u64,
        able: u64,
        pins: &mut P,
        account: &mut CycleAccount,
        done: &mut Done,
    ) -> u64 {
        let able = able & self.q.credit & !done.fresh;
        let mut popped = 0;
        for i in bits(self.q.occupied & self.q.replicating & lanes & !done.stripped) {
            popped |= u64::from(self.cross_branches(p, now, pins, account, i, able, done)) << i;
        }
        self.q.asking |= done.asks_next;
        self.q.arbitrate |= done.asks_next;
        popped
    }

    /// Replication unit of input `i`, whose worm has several branches and a flit at the front;
    /// whether the flit is popped.
    #[allow(clippy::too_many_arguments)]
    fn cross_branches<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        pins: &mut P,
        account: &mut CycleAccount,
        i: usize,
        able: u64,
        done: &mut Done,
    ) -> bool {
        let sent = self.offer(p, i, able);
        let (waits, starved) = self.waits(p, i, sent, done.fresh);
        (self.ins[i].waits, self.ins[i].starved) = (waits, starved);
        account.header += u64::from((self.readers[i].lanes & done.fresh).count_ones());
        if sent == 0 {
            return false;
        }
        done.moved |= 1 << i;
        done.crossed |= sent;
        let own_pointers = matches!(p.replication, Replication::Buffered | Replication::Sequential);
        for lane in bits(sent) {
            let ahead = if own_pointers { self.outs[lane].ahead } else { 0 };
            let flit = pins.flit(i, fifo::slot(self.readers[i].read, ahead, p.fifo_depth));
            let flit = flit.with_head(self.q.pending >> lane & 1 != 0);
            if pins.looks() {
                pins.look(lane, self.outs[lane].to, flit, self.ins[i].image);
            }
            self.writers[lane].send(p, flit, &mut pins.wires());
            self.outs[lane].ahead = ahead + 1;
            self.ins[i].taken |= 1 << lane;
            if flit.is_head() {
                self.head(p, pins, i, lane, flit);
            }
            if flit.is_tail() {
                self.tail(p, pins, i, lane, flit);
            }
        }
        self.q.pending &= !sent;
        pins.consume(sent & self.to_nodes);
        let (q, reader) = (&mut self.ins[i], &mut self.readers[i]);
        let waiting = q.wanted != 0;
        let pops = replication::pops(LaneMask(reader.lanes), LaneMask(q.taken), waiting);
        if pops {
            let tail = pins.flit(i, reader.read).is_tail();
            reader.read = fifo::advance(reader.read, p.fifo_depth);
            q.taken = 0;
            for o in bits(reader.lanes) {
                let ahead = &mut self.outs[o].ahead;
                *ahead -= 1;
                q.taken |= u64::from(own_pointers && *ahead > 0) << o;
            }
            pins.credit(q.from, 1);
            if p.token_ring {
                self.forwarded(p, pins, i, tail);
            }
            if tail {
                account.add(self.ins[i].waits, 1);
                self.finish(pins, i);
            }
        } else if matches!(p.replication, Replication::Sequential) && reader.lanes == 0 {
            q.taken = 0;
            q.due = now;
            done.asks_next |= 1 << i;
        }
        pops
    }

    /// Waits of the branches of input `i` that send nothing in this cycle, and the lanes without
    /// credit among theirs.
    fn waits(&self, p: &Params, i: usize, sent: u64, fresh: u64) -> (Waits, u64) {
        let (q, lanes) = (&self.ins[i], self.readers[i].lanes);
        let (mut waits, mut starved) = (Waits::default(), 0);
        for o in bits(lanes & !sent & !fresh) {
            let served = match p.replication {
                Replication::Asynchronous | Replication::Synchronous => q.taken >> o & 1 != 0,
                Replication::Lockstep => self.q.credit >> o & 1 != 0,
                Replication::Buffered | Replication::Sequential => self.outs[o].ahead >= self.q.flits.get(i),
            };
            if served {
                waits.sibling += 1;
            } else if self.q.credit >> o & 1 != 0 {
                // Another virtual channel of the link has this cycle.
                waits.lane += 1;
            } else {
                let to_node = (self.to_nodes >> o & 1) as u8;
                waits.endpoint += to_node;
                waits.credit += 1 - to_node;
                starved |= 1 << o;
            }
        }
        let asked = Self::asked(p, q.wanted).count_ones() as u8;
        let passed = q.branches.count_ones() as u8 - lanes.count_ones() as u8 - q.wanted.count_ones() as u8;
        match p.replication {
            Replication::Sequential if lanes != 0 => waits.sibling += q.wanted.count_ones() as u8,
            Replication::Sequential => {
                waits.lane += asked;
                waits.sibling += q.wanted.count_ones() as u8 - asked;
            }
            // A head with its lanes waits for the other heads of its tree.
            Replication::Synchronous if !self.locks[i].lanes.is_empty() => waits.sibling += asked + passed,
            Replication::Asynchronous | Replication::Synchronous => {
                // The tail of this branch has crossed, but it is still in the FIFO for a sibling.
                waits.lane += asked;
                waits.sibling += passed;
            }
            Replication::Lockstep | Replication::Buffered => waits.lane += asked,
        }
        (waits, starved)
    }

    /// Accounts the waits of the branches of input `i` since the last evaluation.
    pub(super) fn settle(&mut self, now: u32, account: &mut CycleAccount, i: usize) {
        let q = &mut self.ins[i];
        let cycles = now.wrapping_sub(q.since);
        account.add(q.waits, cycles);
        q.since = now;
        for lane in bits(q.starved) {
            self.outs[lane].counters.blocked += u64::from(cycles);
        }
        if self.q.occupied >> i & 1 == 0 {
            (q.waits, q.starved) = (Waits::NONE, 0);
        }
    }
}

impl Writer {
    /// A flit crosses.
    #[inline(always)]
    fn send(&mut self, p: &Params, flit: Flit, wires: &mut impl Wires) {
        wires.send(self.to, self.write, flit);
        self.write = fifo::advance(self.write, p.fifo_depth);
        self.flits += 1;
    }
}
