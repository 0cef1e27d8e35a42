//! Switch (a mesh router is the same block with another routing function): the wiring of the blocks of this crate.
//!
//! One call of [`eval`] is one cycle of one switch. In dataflow order: pins of the clock edge (flits that arrived, credits that
//! returned), header decoders, acquisition of lanes, replication units and crossbar. Registers are updated in place: no other
//! instance reads them, and what leaves through [`Pins`] is seen by the neighbours in a later cycle.
//!
//! An input lane goes through IDLE, HEADER, ROUTE, LANES, MOVE; `busy` inputs have a worm in service, `active` inputs a decided
//! one. A lane released in cycle t is free in t + 1, an input whose worm has passed in t begins the next head in t + 1.

use crate::bits;
use crate::fifo;
use crate::flit::{Encoding, Flit};
use crate::header::{self, multidestination};
use crate::lane_group;
use crate::link::{self, Far};
use crate::replication::{self, Mode};
use crate::{arbiter, crossbar};

/// No lane, no input.
pub const NO_LANE: u8 = u8::MAX;
/// "Not blocked" in [`InLane::stalled_at`].
pub const NOT_STALLED: u32 = u32::MAX;

/// What is fixed when the switch is built; the same for all switches of a network.
#[derive(Clone, Debug)]
pub struct Params {
    /// Input lanes of a switch, at most 64.
    pub in_lanes: u8,
    /// Output lanes of a switch, at most 64.
    pub out_lanes: u8,
    /// FIFO depth in flits.
    pub fifo_depth: u16,
    /// Cycles of the routing decision.
    pub routing_cycles: u32,
    /// A granted head crosses in the cycle behind the grant, not in the cycle of the grant.
    pub allocation_register: bool,
    /// Idealised header timing.
    pub overlapped: bool,
    /// Replication mode.
    pub replication: Mode,
    /// All lanes of a worm at once or none.
    pub atomic: bool,
    /// Fixed priority instead of round-robin.
    pub fixed_priority: bool,
    /// Flits of one address.
    pub address_flits: u16,
    /// Flits of a bit-string header.
    pub bit_string_flits: u16,
    /// Output lanes of each lane group.
    pub group_lanes: [u64; 64],
    /// Physical link of each output lane, by its lowest lane.
    pub link_first: [u8; 64],
    /// Lanes of the physical link that an output lane belongs to.
    pub link_lanes: [u8; 64],
    /// Output lanes that lead to the node.
    pub node_lanes: u64,
    /// Some physical link has more than one lane.
    pub shared_links: bool,
}

/// Registers of one input lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InLane {
    /// Output lanes held, tails not yet crossed.
    pub lanes: u64,
    /// Lane groups still wanted.
    pub wanted: u64,
    /// Lane groups of the whole branch set.
    pub branches: u64,
    /// Of `lanes`: those that have taken the front flit.
    pub taken: u64,
    /// FIFO read pointer and count.
    pub fifo: fifo::Reg,
    /// Header of the worm in service, as [`Pins`] numbers it (unicast: the destination itself).
    pub image: u32,
    /// Cycle (low 32 bits) up to which the worm's waits are accounted.
    pub since: u32,
    /// Cycle (low 32 bits) from which on the worm cannot move for want of a credit, or [`NOT_STALLED`].
    pub stalled_at: u32,
    /// Routing decision due in this cycle (low 32 bits); once decided, cycle of the (latest) request for lanes.
    pub due: u32,
    /// Worm in service (for observers only).
    pub worm: u32,
    /// Its encoding.
    pub enc: Encoding,
    /// The flits of the decision are there: `due` is set.
    pub ready: bool,
    /// Own address stripped.
    pub stripped: bool,
    /// Branches that do not move, for the account of worms that replicate.
    pub waits: Waits,
    /// Where its flits come from and its credits go to.
    pub from: Far,
}

impl InLane {
    /// An idle lane with an empty FIFO.
    #[must_use]
    pub const fn idle(from: Far) -> Self {
        Self {
            lanes: 0,
            wanted: 0,
            branches: 0,
            taken: 0,
            fifo: fifo::Reg { read: 0, count: 0 },
            image: 0,
            since: 0,
            stalled_at: NOT_STALLED,
            due: 0,
            worm: 0,
            enc: Encoding::Unicast,
            ready: false,
            stripped: false,
            waits: Waits { credit: 0, endpoint: 0, lane: 0, sibling: 0 },
            from,
        }
    }
}

/// Branches of a replicating worm by what they waited for when last looked at; holds until the switch is evaluated again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// For a credit of the next switch.
    pub credit: u8,
    /// For a credit of the node.
    pub endpoint: u8,
    /// For a lane.
    pub lane: u8,
    /// For a sibling branch.
    pub sibling: u8,
}

/// Registers of one output lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutLane {
    /// Credits for the FIFO behind the lane.
    pub credits: u16,
    /// Slot of that FIFO the next flit goes to.
    pub write: u16,
    /// Read pointer of the branch, relative to the front (buffered, sequential).
    pub ahead: u16,
    /// Input lane that owns it, or [`NO_LANE`].
    pub owner: u8,
    /// Arbiter pointer.
    pub pointer: u8,
    /// Link's round-robin pointer among its lanes; used in the link's lowest lane.
    pub mux: u8,
    /// No flit of the owner has crossed yet.
    pub head_pending: bool,
    /// Cycle (low 32 bits) of the grant (for observers only).
    pub granted_at: u32,
    /// Where it leads.
    pub to: Far,
    /// What it did so far (for observers only).
    pub counters: Counters,
}

/// Counters of an output lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Flits that crossed.
    pub flits: u64,
    /// Cycles in which the owner had a flit but no credit.
    pub blocked: u64,
    /// The worm that held it longest.
    pub top_worm: u32,
    /// Cycles that worm held it; 0 when none did.
    pub top_held: u32,
}

impl OutLane {
    /// A free lane in front of an empty FIFO.
    #[must_use]
    pub const fn free(credits: u16, to: Far) -> Self {
        Self {
            credits,
            write: 0,
            ahead: 0,
            owner: NO_LANE,
            pointer: 0,
            mux: 0,
            head_pending: false,
            granted_at: 0,
            to,
            counters: Counters { flits: 0, blocked: 0, top_worm: 0, top_held: 0 },
        }
    }
}

/// Registers of the switch as a whole, one bit a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// Inputs with a flit in the FIFO.
    pub occupied: u64,
    /// Inputs with a worm in service whose branches are not decided.
    pub deciding: u64,
    /// Inputs with a decided worm.
    pub active: u64,
    /// Inputs that ask for a lane.
    pub asking: u64,
    /// Inputs that hold a lane.
    pub holding: u64,
    /// Inputs whose decided worm has several branches.
    pub replicating: u64,
    /// Outputs without owner.
    pub free: u64,
    /// Outputs with credit.
    pub credit: u64,
    /// Pointer of the atomic allocator.
    pub pointer: u8,
}

/// Worm-cycles of one evaluation; see the engine's account for what they mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Branches that took a flit.
    pub moving: u64,
    /// Without credit towards a switch.
    pub no_credit: u64,
    /// Waiting for an owned lane.
    pub lane_wait: u64,
    /// Held by a sibling branch.
    pub sibling: u64,
    /// Assembling, decoding, allocating the header.
    pub header: u64,
    /// Without credit towards the node.
    pub endpoint: u64,
}

/// The wires around the switch, driven by the engine.
pub trait Pins {
    /// Flit `slot` of input `lane`'s FIFO.
    fn flit(&self, lane: usize, slot: u16) -> Flit;
    /// Header that came with the head flit in `slot` of input `lane`'s FIFO.
    fn image(&self, lane: usize, slot: u16) -> u32;
    /// Routing function: lane group towards `destination` for a worm that came in through `lane`.
    fn route(&self, lane: usize, destination: u32) -> u8;
    /// Bit-string decoder: lane groups of the branches.
    fn bit_string(&self, lane: usize, image: u32) -> u64;
    /// What the multidestination decoder sees of a header.
    fn addresses(&self, image: u32) -> multidestination::Header;
    /// Strips the first address.
    fn strip(&mut self, image: u32);
    /// Lane group of this router's own node.
    fn local(&self) -> u8;
    /// Sends a flit through output `lane` into slot `write` of the FIFO behind it; `image` is the header of the worm in service,
    /// which goes (a bit-string masked) with a head.
    fn send(&mut self, lane: usize, to: Far, write: u16, flit: Flit, image: u32);
    /// Returns `n` credits to a sender.
    fn credit(&mut self, to: Far, n: u16);
    /// The worm in service at input `lane` has passed wholly; its header is no longer needed.
    fn passed(&mut self, lane: usize, enc: Encoding, image: u32);
    /// The tail of `worm` has crossed output `lane`, for which the inputs `asking` may have waited.
    fn released(&mut self, lane: usize, worm: u32, out: &mut OutLane, ins: &[InLane], asking: u64);
    /// Wakes this switch in `cycles` cycles.
    fn wake(&mut self, cycles: u32);
}

/// What an evaluation did, for waveforms and for the wake list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Some register changed, or a flit moved: evaluate again in the next cycle.
    pub changed: bool,
    /// Inputs of which at least one branch took a flit.
    pub moved: u64,
    /// Outputs through which a flit crossed.
    pub crossed: u64,
    /// Lanes that were granted in this cycle and may be crossed only in the next.
    pub fresh: u64,
    /// Inputs that stripped an address.
    pub stripped: u64,
}

/// Borrowed registers of one switch.
pub struct Bank<'a> {
    /// Registers of the switch.
    pub q: Reg,
    /// Registers of its input lanes.
    pub ins: &'a mut [InLane],
    /// Registers of its output lanes.
    pub outs: &'a mut [OutLane],
}

impl Bank<'_> {
    /// Clock edge pins: flits that are in the FIFOs from this cycle on, credits usable from this cycle on (one a lane).
    #[inline(always)]
    pub fn arrivals(&mut self, flits: u64, credits: u64) {
        for i in bits(flits) {
            self.ins[i].fifo = fifo::push(self.ins[i].fifo);
        }
        self.q.occupied |= flits;
        for o in bits(credits) {
            self.outs[o].credits = link::refund(self.outs[o].credits, 1);
        }
        self.q.credit |= credits;
    }

    /// One cycle, `now` (low 32 bits): decode, acquire, cross.
    #[inline(always)]
    pub fn eval<P: Pins>(&mut self, p: &Params, now: u32, pins: &mut P, account: &mut Account) -> Done {
        let mut done = Done::default();
        for i in bits(self.q.replicating) {
            self.settle(now, account, i);
        }
        let mut held = 0;
        for i in bits((self.q.occupied | self.q.deciding) & !self.q.active) {
            self.decode(p, now, pins, account, i, &mut held, &mut done);
        }
        let mut fresh = 0;
        if self.q.asking != 0 {
            fresh =
                if p.atomic { self.acquire_atomic(p, now, account) } else { self.acquire_incremental(p, now, account) };
            done.changed |= fresh != 0;
        }
        if !p.allocation_register {
            fresh = 0;
        }
        let mut able = self.q.credit & !fresh;
        let ready = self.q.occupied & self.q.holding & !held;
        if p.shared_links {
            let offered = bits(ready).fold(0, |lanes, i| lanes | self.offer(p, i, able));
            able = self.select_lanes(p, offered);
        }
        for i in bits(ready & !self.q.replicating) {
            self.cross(p, now, pins, account, i, able, fresh, &mut done);
        }
        account.moving += u64::from(done.moved.count_ones());
        for i in bits(self.q.occupied & self.q.replicating & !held) {
            self.cross_branches(p, now, pins, account, i, able, fresh, &mut done);
        }
        done.changed |= done.moved != 0;
        done.fresh = fresh;
        done.stripped = held;
        done
    }

    /// Header decoder of input `i`.
    #[inline(always)]
    fn decode<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        pins: &mut P,
        account: &mut Account,
        i: usize,
        held: &mut u64,
        done: &mut Done,
    ) {
        let bit = 1 << i;
        let q = &mut self.ins[i];
        if self.q.deciding & bit == 0 {
            let front = pins.flit(i, q.fifo.read);
            debug_assert!(front.is_head());
            self.q.deciding |= bit;
            q.enc = front.encoding();
            q.worm = front.worm();
            q.image = pins.image(i, q.fifo.read);
            q.since = now;
            q.ready = false;
            q.stripped = false;
            done.changed = true;
        }
        let mut holds = false;
        if !q.ready || p.overlapped && q.enc == Encoding::Multidestination && !q.stripped {
            let (count, overlapped) = (q.fifo.count, p.overlapped);
            let ready = match q.enc {
                Encoding::Unicast => header::ready(count, header::unicast::needed(p.address_flits), overlapped),
                Encoding::BitString => header::ready(count, header::bit_string::needed(p.bit_string_flits), overlapped),
                Encoding::Multidestination => {
                    let o = multidestination::eval(multidestination::In {
                        count,
                        address_flits: p.address_flits,
                        header: pins.addresses(q.image),
                        stripped: q.stripped,
                        overlapped,
                    });
                    if o.strip {
                        for _ in 0..p.address_flits {
                            q.fifo = fifo::pop(q.fifo, p.fifo_depth);
                        }
                        if q.fifo.count == 0 {
                            self.q.occupied &= !bit;
                        }
                        q.stripped = true;
                        *held |= bit;
                        done.changed = true;
                        pins.strip(q.image);
                        pins.credit(q.from, p.address_flits);
                    }
                    holds = o.holds;
                    o.ready
                }
            };
            if !ready {
                return;
            }
            if !q.ready {
                q.ready = true;
                q.due = now.wrapping_add(p.routing_cycles);
                done.changed = true;
                if p.routing_cycles > 1 {
                    pins.wake(p.routing_cycles);
                }
            }
        }
        if holds || (now.wrapping_sub(q.due) as i32) < 0 {
            return;
        }
        // Decided: the branch set.
        q.branches = match q.enc {
            Encoding::Unicast => 1 << pins.route(i, q.image),
            Encoding::BitString => pins.bit_string(i, q.image),
            Encoding::Multidestination => {
                let forward = pins.addresses(q.image).first.map_or(0, |a| 1 << pins.route(i, a));
                if q.stripped { forward | 1 << pins.local() } else { forward }
            }
        };
        account.header += u64::from(now.wrapping_sub(q.since)) + u64::from(*held & bit != 0);
        q.wanted = q.branches;
        if q.branches & (q.branches - 1) != 0 {
            self.q.replicating |= bit;
        }
        q.waits = Waits::default();
        q.since = now;
        q.stalled_at = NOT_STALLED;
        self.q.deciding &= !bit;
        self.q.active |= bit;
        self.q.asking |= bit;
        done.changed = true;
    }

    /// Lane group an input asks for in this cycle: all it wants; with sequential replication only the first.
    #[inline(always)]
    fn asked(p: &Params, wanted: u64) -> u64 {
        if matches!(p.replication, Mode::Sequential) { wanted & wanted.wrapping_neg() } else { wanted }
    }

    #[inline(always)]
    fn grant(&mut self, p: &Params, now: u32, account: &mut Account, i: usize, group: usize, lane: u8) {
        let (q, out) = (&mut self.ins[i], &mut self.outs[lane as usize]);
        q.wanted &= !(1 << group);
        q.lanes |= 1 << lane;
        self.q.holding |= 1 << i;
        if q.wanted == 0 || matches!(p.replication, Mode::Sequential) {
            self.q.asking &= !(1 << i);
        }
        self.q.free &= !(1 << lane);
        out.owner = i as u8;
        out.granted_at = now;
        out.ahead = 0;
        out.head_pending = true;
        if self.q.replicating >> i & 1 == 0 {
            account.lane_wait += u64::from(now.wrapping_sub(q.since));
            account.header += u64::from(p.allocation_register);
        }
    }

    /// Incremental acquisition: every free lane picks one of those that ask for its group. Returns the lanes granted.
    #[inline(always)]
    fn acquire_incremental(&mut self, p: &Params, now: u32, account: &mut Account) -> u64 {
        let mut granted = 0;
        // Groups that somebody asks for and that have a free lane.
        let mut groups = 0;
        for i in bits(self.q.asking) {
            groups |= Self::asked(p, self.ins[i].wanted);
        }
        for g in bits(groups) {
            let mut free = self.q.free & p.group_lanes[g];
            if free == 0 {
                continue;
            }
            let mut requests = 0;
            for i in bits(self.q.asking) {
                requests |= u64::from(Self::asked(p, self.ins[i].wanted) >> g & 1) << i;
            }
            while free != 0 && requests != 0 {
                let lane = lane_group::next_lane(free, self.q.credit);
                let pointer = &mut self.outs[lane as usize].pointer;
                let winner = if p.fixed_priority {
                    arbiter::fixed_priority(requests)
                } else {
                    let winner = arbiter::round_robin(requests, *pointer);
                    *pointer = arbiter::behind(winner, p.in_lanes);
                    winner
                };
                self.grant(p, now, account, winner as usize, g, lane);
                free &= !(1 << lane);
                requests &= !(1 << winner);
                granted |= 1 << lane;
            }
        }
        granted
    }

    /// Atomic acquisition: inputs in round-robin order, all lanes or none. Returns the lanes granted.
    fn acquire_atomic(&mut self, p: &Params, now: u32, account: &mut Account) -> u64 {
        let (mut granted, mut first) = (0, NO_LANE);
        let mut asking = self.q.asking;
        let mut from = self.q.pointer;
        while asking != 0 {
            let i = if p.fixed_priority { arbiter::fixed_priority(asking) } else { arbiter::round_robin(asking, from) };
            asking &= !(1 << i);
            from = i;
            let wanted = Self::asked(p, self.ins[i as usize].wanted);
            if bits(wanted).any(|g| self.q.free & p.group_lanes[g] == 0) {
                continue;
            }
            for g in bits(wanted) {
                let lane = lane_group::next_lane(self.q.free & p.group_lanes[g], self.q.credit);
                self.grant(p, now, account, i as usize, g, lane);
                granted |= 1 << lane;
            }
            if first == NO_LANE {
                first = i;
            }
        }
        if first != NO_LANE && !p.fixed_priority {
            self.q.pointer = arbiter::behind(first, p.in_lanes);
        }
        granted
    }

    /// Output lanes through which input `i` can send in this cycle, given the lanes that are able to.
    #[inline(always)]
    fn offer(&self, p: &Params, i: usize, able: u64) -> u64 {
        let q = &self.ins[i];
        if self.q.replicating >> i & 1 == 0 {
            return q.lanes & able;
        }
        match p.replication {
            Mode::Asynchronous | Mode::Lockstep => {
                replication::offer(p.replication, q.lanes, q.taken, able, q.wanted != 0)
            }
            Mode::Buffered | Mode::Sequential => {
                bits(q.lanes & able).filter(|&o| self.outs[o].ahead < q.fifo.count).fold(0, |lanes, o| lanes | 1 << o)
            }
        }
    }

    /// Of the lanes that have flit and credit, one a physical link.
    #[inline(always)]
    fn select_lanes(&mut self, p: &Params, able: u64) -> u64 {
        let (mut left, mut selected) = (able, 0);
        while left != 0 {
            let o = left.trailing_zeros() as usize;
            let (first, lanes) = (p.link_first[o], p.link_lanes[o]);
            let mask = (u64::MAX >> (64 - lanes)) << first;
            let mux = &mut self.outs[first as usize].mux;
            let (winner, pointer) = crossbar::select((left & mask) >> first, *mux, lanes);
            *mux = pointer;
            selected |= 1 << (first + winner);
            left &= !mask;
        }
        selected
    }

    /// Input `i`, whose worm has one branch and holds its lane.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn cross<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        pins: &mut P,
        account: &mut Account,
        i: usize,
        able: u64,
        fresh: u64,
        done: &mut Done,
    ) {
        let q = &mut self.ins[i];
        let lane = q.lanes.trailing_zeros() as usize;
        let bit = 1u64 << lane;
        if self.q.credit & !fresh & bit == 0 {
            // A head that waits for its allocation register is not stalled.
            if q.stalled_at == NOT_STALLED && fresh & bit == 0 {
                q.stalled_at = now;
                done.changed = true;
            }
            return;
        }
        if q.stalled_at != NOT_STALLED {
            let cycles = now.wrapping_sub(q.stalled_at);
            q.stalled_at = NOT_STALLED;
            let class = if p.node_lanes & bit == 0 { &mut account.no_credit } else { &mut account.endpoint };
            *class += u64::from(cycles);
            self.outs[lane].counters.blocked += u64::from(cycles);
        }
        if able & bit == 0 {
            // Another virtual channel of the link has this cycle.
            account.lane_wait += 1;
            return;
        }
        let flit = pins.flit(i, q.fifo.read);
        q.fifo = fifo::pop(q.fifo, p.fifo_depth);
        if q.fifo.count == 0 {
            self.q.occupied &= !(1 << i);
        }
        done.moved |= 1 << i;
        done.crossed |= bit;
        self.send(p, pins, i, lane, flit);
        pins.credit(self.ins[i].from, 1);
        if flit.is_tail() {
            self.release(pins, i, lane);
            self.finish(pins, i);
        }
    }

    /// A flit crosses output `lane`.
    #[inline(always)]
    fn send<P: Pins>(&mut self, p: &Params, pins: &mut P, i: usize, lane: usize, flit: Flit) {
        let out = &mut self.outs[lane];
        out.credits = link::spend(out.credits);
        if out.credits == 0 {
            self.q.credit &= !(1 << lane);
        }
        let write = out.write;
        out.write = fifo::advance(write, p.fifo_depth);
        let head = out.head_pending;
        out.head_pending = false;
        out.counters.flits += 1;
        pins.send(lane, out.to, write, if head { flit.with_head() } else { flit }, self.ins[i].image);
    }

    /// The tail of input `i`'s worm has crossed output `lane`: the lane is free from the next cycle on.
    #[inline(always)]
    fn release<P: Pins>(&mut self, pins: &mut P, i: usize, lane: usize) {
        let q = &mut self.ins[i];
        q.lanes &= !(1 << lane);
        if q.lanes == 0 {
            self.q.holding &= !(1 << i);
        }
        self.q.free |= 1 << lane;
        self.outs[lane].owner = NO_LANE;
        pins.released(lane, self.ins[i].worm, &mut self.outs[lane], self.ins, self.q.asking);
    }

    /// The worm of input `i` has passed: the input is free from the next cycle on.
    #[inline(always)]
    fn finish<P: Pins>(&mut self, pins: &mut P, i: usize) {
        self.q.active &= !(1 << i);
        self.q.replicating &= !(1 << i);
        let q = &mut self.ins[i];
        q.branches = 0;
        pins.passed(i, q.enc, q.image);
    }

    /// Replication unit of input `i`, whose worm has several branches and a flit at the front.
    #[allow(clippy::too_many_arguments)]
    fn cross_branches<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        pins: &mut P,
        account: &mut Account,
        i: usize,
        able: u64,
        fresh: u64,
        done: &mut Done,
    ) {
        let sent = self.offer(p, i, able);
        account.moving += u64::from(sent.count_ones());
        self.ins[i].waits = self.waits(p, i, sent, fresh);
        account.header += u64::from((self.ins[i].lanes & fresh).count_ones());
        if sent == 0 {
            return;
        }
        done.moved |= 1 << i;
        done.crossed |= sent;
        let own_pointers = matches!(p.replication, Mode::Buffered | Mode::Sequential);
        for lane in bits(sent) {
            let ahead = if own_pointers { self.outs[lane].ahead } else { 0 };
            let flit = pins.flit(i, fifo::slot(self.ins[i].fifo, ahead, p.fifo_depth));
            self.send(p, pins, i, lane, flit);
            self.outs[lane].ahead = ahead + 1;
            self.ins[i].taken |= 1 << lane;
            if flit.is_tail() {
                self.release(pins, i, lane);
            }
        }
        let q = &mut self.ins[i];
        let waiting = q.wanted != 0;
        if replication::pops(q.lanes, q.taken, waiting) {
            let tail = pins.flit(i, q.fifo.read).is_tail();
            q.fifo = fifo::pop(q.fifo, p.fifo_depth);
            if q.fifo.count == 0 {
                self.q.occupied &= !(1 << i);
            }
            q.taken = 0;
            for o in bits(q.lanes) {
                let ahead = &mut self.outs[o].ahead;
                *ahead -= 1;
                q.taken |= u64::from(own_pointers && *ahead > 0) << o;
            }
            pins.credit(q.from, 1);
            if tail {
                self.finish(pins, i);
            }
        } else if matches!(p.replication, Mode::Sequential) && q.lanes == 0 {
            // The next branch asks in the next cycle.
            q.taken = 0;
            q.due = now;
            self.q.asking |= 1 << i;
        }
    }

    /// What the branches of input `i` wait for that send nothing in this cycle.
    fn waits(&self, p: &Params, i: usize, sent: u64, fresh: u64) -> Waits {
        let q = &self.ins[i];
        let mut waits = Waits::default();
        for o in bits(q.lanes & !sent & !fresh) {
            let served = match p.replication {
                Mode::Asynchronous => q.taken >> o & 1 != 0,
                Mode::Lockstep => self.q.credit >> o & 1 != 0,
                Mode::Buffered | Mode::Sequential => self.outs[o].ahead >= q.fifo.count,
            };
            if served {
                waits.sibling += 1;
            } else if self.q.credit >> o & 1 != 0 {
                // Another virtual channel of the link has this cycle.
                waits.lane += 1;
            } else if p.node_lanes >> o & 1 != 0 {
                waits.endpoint += 1;
            } else {
                waits.credit += 1;
            }
        }
        let asked = Self::asked(p, q.wanted).count_ones() as u8;
        let passed = q.branches.count_ones() as u8 - q.lanes.count_ones() as u8 - q.wanted.count_ones() as u8;
        match p.replication {
            Mode::Sequential if q.lanes != 0 => waits.sibling += q.wanted.count_ones() as u8,
            Mode::Sequential => {
                waits.lane += asked;
                waits.sibling += q.wanted.count_ones() as u8 - asked;
            }
            Mode::Asynchronous => {
                // A branch whose tail has crossed while the tail still stands here for a sibling.
                waits.lane += asked;
                waits.sibling += passed;
            }
            Mode::Lockstep | Mode::Buffered => waits.lane += asked,
        }
        waits
    }

    /// Accounts what the branches of input `i` waited for since the last evaluation.
    fn settle(&mut self, now: u32, account: &mut Account, i: usize) {
        let q = &mut self.ins[i];
        let cycles = u64::from(now.wrapping_sub(q.since));
        account.no_credit += cycles * u64::from(q.waits.credit);
        account.endpoint += cycles * u64::from(q.waits.endpoint);
        account.lane_wait += cycles * u64::from(q.waits.lane);
        account.sibling += cycles * u64::from(q.waits.sibling);
        q.since = now;
        if self.q.occupied >> i & 1 == 0 {
            q.waits = Waits::default();
        }
    }
}
