//! Switch (a mesh router is the same block with another routing function): the wiring of the blocks
//! of `hw`.
//!
//! One call of [`Bank::eval`] is one cycle of some switches. In dataflow order: pins of the clock
//! edge (flits that arrived, credits that returned), header decoders, acquisition of lanes,
//! replication units and crossbar. Registers are updated in place: no other instance reads them,
//! and neighbours see the outputs of [`Pins`] in a later cycle.
//!
//! An input lane goes through the states IDLE, HEADER, ROUTE, TOKEN (where one is needed), LANES
//! and MOVE. `deciding` inputs have a worm without a decision, and `active` inputs a decided one. A
//! lane that is released in a cycle is free in the next one. An input whose worm has passed in a
//! cycle begins with the next head in the next one.

mod acquisition;
mod crossing;
mod registers;
mod reservation;
mod token;

use crate::banked::address::{Far, Line};
use crate::stats::CycleAccount;
use wormscope_hw::flit::Flit;
use wormscope_hw::header;
use wormscope_hw::{Encoding, Replication, bits, feedback, fifo, reservation as block, token_station};

pub use registers::*;

/// The wires that every flit needs. They are separate from the other wires, so that a loop keeps
/// them in registers.
pub(crate) trait Wires {
    /// Flit `slot` of input `lane`'s FIFO.
    fn flit(&self, lane: usize, slot: u16) -> Flit;
    /// Sends a flit into slot `write` of a FIFO.
    fn send(&mut self, to: Line, write: u16, flit: Flit);
    /// Returns a credit to a sender.
    fn credit(&mut self, to: Line);
}

/// The wires around the switches of a bank, driven by the engine; lanes are numbered through the
/// bank.
pub(crate) trait Pins {
    /// Somebody looks at [`Done::moved`].
    const WATCHED: bool;

    /// The wires that every flit needs.
    type Wires<'a>: Wires
    where
        Self: 'a;

    /// Lends these wires for as long as a loop over flits runs.
    fn wires(&mut self) -> Self::Wires<'_>;
    /// Flit `slot` of input `lane`'s FIFO.
    fn flit(&self, lane: usize, slot: u16) -> Flit;
    /// Header that came with the head flit in `slot` of input `lane`'s FIFO.
    fn image(&self, lane: usize, slot: u16) -> u32;
    /// Routing function: lane group towards `destination` for a worm that came in through `lane`.
    fn route(&self, lane: usize, destination: u32) -> u8;
    /// Decoder of input `lane`, which waits for its flits; any encoding but unicast, whose address
    /// is all there is to it.
    fn header(&mut self, lane: usize, enc: Encoding, image: u32, seen: header::In) -> header::Out;
    /// Lane groups of the branches; any encoding but unicast.
    fn branches(&mut self, lane: usize, enc: Encoding, image: u32, stripped: bool) -> u64;
    /// Number of a worm in order of creation, its age.
    fn age(&self, worm: u32) -> u32;
    /// Side signals of a worm, where worms are synchronous.
    fn tree(&self, worm: u32) -> feedback::Head;
    /// A head of a worm reports to the feedback of its tree.
    fn tell(&mut self, worm: u32, told: feedback::In);
    /// Whether an observer sees each flit, and not only the results.
    fn looks(&self) -> bool;
    /// `flit` crosses output `lane`; `image` is the header of its worm.
    fn look(&mut self, lane: usize, to: Far, flit: Flit, image: u32);
    /// A head, `flit`, has crossed output `lane` into slot `write` of the next FIFO. `image` is the
    /// header of the worm in service. The head takes this header along (a bit-string with its
    /// mask).
    fn head(&mut self, lane: usize, to: Far, write: u16, flit: Flit, image: u32);
    /// `flit`, a tail, has crossed an output towards a node.
    fn tail(&mut self, to: Far, flit: Flit);
    /// Flits have crossed outputs `lanes` towards nodes.
    fn consume(&mut self, lanes: u64);
    /// Returns `n` credits to a sender.
    fn credit(&mut self, to: Far, n: u16);
    /// The worm in service at input `lane` has passed wholly; its header is no longer needed.
    fn passed(&mut self, lane: usize, enc: Encoding, image: u32);
    /// The tail of `worm` has crossed output `lane`, for which the inputs `asking` of its switch
    /// may have waited.
    fn released(&mut self, lane: usize, worm: u32, out: &mut OutLane, ins: &[InLane], asking: u64);
    /// Wakes the switch of `lane` in `cycles` cycles.
    fn wake(&mut self, lane: usize, cycles: u32);
    /// Registers of the station of the switch of `lane`, if it is on a token ring.
    fn station(&mut self, lane: usize) -> Option<&mut token_station::Reg>;
    /// The token is at the station in this cycle.
    fn token_is_here(&self, lane: usize) -> bool;
    /// Flits that a worm of this encoding forwards at least before it releases the token early; see
    /// [`token_station::bound`].
    fn token_bound(&self, lane: usize, enc: Encoding) -> u32;
    /// The station captures or releases the token.
    fn token(&mut self, lane: usize, event: token_station::Event);
}

/// Effects of an evaluation, for waveforms and for the wake list; one bit a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Lanes of the switches in which some register changed, or a flit moved: evaluate again in the
    /// next cycle.
    pub changed: u64,
    /// Inputs of which at least one branch took a flit.
    pub moved: u64,
    /// Outputs through which a flit crossed.
    pub crossed: u64,
    /// Lanes that were granted in this cycle and may be crossed only in the next.
    pub fresh: u64,
    /// Inputs that stripped an address or a mask.
    pub stripped: u64,
    /// Inputs whose next branch asks from the next cycle on. A lane that is released in this cycle
    /// does not keep them waiting.
    pub asks_next: u64,
    /// Whether an arbiter of lanes or a multiplexer had more than one request.
    pub contested: bool,
}

/// Arrivals at a clock edge, one bit a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// Input lanes with one more flit in the FIFO.
    pub flits: u64,
    /// Output lanes with one more credit.
    pub credits: u64,
}

impl Arrivals {
    /// Arrivals at some lanes.
    #[must_use]
    #[inline(always)]
    pub const fn at(self, lanes: u64) -> Self {
        Self { flits: self.flits & lanes, credits: self.credits & lanes }
    }
}

/// Registers of a bank: switches with at most 64 lanes together, or one switch. A mask has a field
/// for each switch ([`Fields`]), and lanes have numbers through the bank.
///
/// Most switches move one flit or two in a cycle. To find these flits costs as much as to move
/// them. In a bank, the same few operations on words find them for a dozen mesh routers, and the
/// flits cross in one loop. This is sound because lanes share only decoders and arbiters, and these
/// work on the field of one switch. A switch that is not evaluated is just a field left out of
/// `lanes`.
#[derive(Clone, Debug)]
pub(crate) struct Bank {
    /// Registers of the switches.
    pub q: Reg,
    /// Registers of input lanes that each flit which leaves them needs.
    pub readers: [Reader; LANES],
    /// Registers of output lanes that each flit which crosses them needs.
    pub writers: [Writer; LANES],
    /// The other registers of input lanes.
    pub ins: [InLane; LANES],
    /// The other registers of output lanes.
    pub outs: [OutLane; LANES],
    /// Orders of the arbiters of all output lanes ([`Params::ahead`]). Empty if the arbiter keeps
    /// no order.
    pub ahead: Box<[u64]>,
    /// Lanes that the worm of each input lane has reserved; empty where worms are not synchronous.
    pub locks: Box<[block::Reg]>,
    /// Input lanes that come from nodes.
    pub from_nodes: u64,
    /// Output lanes that lead to nodes.
    pub to_nodes: u64,
}

impl Bank {
    /// Clock edge pins: flits that are in the FIFOs from this cycle on, credits usable from this
    /// cycle on (one a lane).
    #[inline(always)]
    pub(crate) fn clock_edge(&mut self, now: u32, arrivals: Arrivals, account: &mut CycleAccount) {
        self.unblock(now, arrivals.credits, account);
        self.q.occupied |= arrivals.flits;
        self.q.credit |= arrivals.credits;
        self.q.flits.up(arrivals.flits);
        self.q.credits.up(arrivals.credits);
    }

    /// The links of output `lanes` carry no flit until [`resume`](Self::resume). A stalled lane
    /// looks like a lane without credit.
    pub fn stall(&mut self, lanes: u64) {
        self.q.credit &= !lanes;
    }

    /// The links of output `lanes` carry flits again from cycle `now` on, if there are credits.
    pub(crate) fn resume(&mut self, now: u32, lanes: u64, account: &mut CycleAccount) {
        let lanes = bits(lanes).filter(|&o| self.q.credits.get(o) > 0).fold(0, |lanes, o| lanes | 1 << o);
        self.unblock(now, lanes, account);
        self.q.credit |= lanes;
    }

    /// One cycle, `now` (low 32 bits), of the switches that `lanes` belong to, with its clock edge,
    /// in dataflow order: decode, acquire, cross.
    #[inline(always)]
    pub(crate) fn eval<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        lanes: u64,
        arrivals: Arrivals,
        pins: &mut P,
        account: &mut CycleAccount,
    ) -> Done {
        let mut done = Done::default();
        self.clock_edge(now, arrivals, account);
        let q = &self.q;
        let undecided = (q.occupied | q.deciding) & !q.active;
        if lanes & (undecided | q.replicating | q.arbitrate) != 0 {
            self.decide(p, now, lanes, pins, account, &mut done);
        }
        let ready = lanes & self.q.occupied & self.q.streaming() & !done.stripped;
        let able = if p.shared_links { self.select_lanes(p, lanes, ready, &mut done) } else { u64::MAX };
        let mut popped = self.cross(p, now, ready, able, pins, account, &mut done);
        if lanes & self.q.replicating != 0 {
            popped |= self.replicate(p, now, lanes, able, pins, account, &mut done);
        }
        self.q.occupied = self.q.flits.down(popped);
        // Several credits may have come at once for lanes that are not evaluated yet.
        self.q.credit = self.q.credit & !lanes | self.q.credits.down(done.crossed) & lanes;
        account.moving += u64::from(done.crossed.count_ones());
        done.changed |= done.crossed;
        done
    }

    /// Decodes headers and grants lanes.
    #[inline(never)]
    fn decide<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        lanes: u64,
        pins: &mut P,
        account: &mut CycleAccount,
        done: &mut Done,
    ) {
        for i in bits(self.q.replicating & lanes) {
            self.settle(now, account, i);
        }
        for i in bits((self.q.occupied | self.q.deciding) & !self.q.active & lanes) {
            self.decode(p, now, pins, account, i, done);
        }
        if p.token_ring {
            self.capture(p, now, lanes, pins, account);
        }
        let granted = if p.replication == Replication::Synchronous {
            let granted = self.reserve(p, now, lanes, pins, account);
            done.changed |= self.q.asking & lanes;
            granted
        } else {
            self.acquire(p, now, lanes, &|worm| pins.age(worm), account, done)
        };
        done.changed |= granted;
        if p.allocation_register {
            done.fresh = granted;
        }
    }

    /// Header decoder of input `i`.
    #[inline(always)]
    fn decode<P: Pins>(
        &mut self,
        p: &Params,
        now: u32,
        pins: &mut P,
        account: &mut CycleAccount,
        i: usize,
        done: &mut Done,
    ) {
        let bit = 1 << i;
        let q = &mut self.ins[i];
        if self.q.deciding & bit == 0 {
            let read = self.readers[i].read;
            let front = pins.flit(i, read);
            debug_assert!(front.is_head());
            self.q.deciding |= bit;
            q.enc = front.encoding();
            q.worm = front.worm();
            q.image = pins.image(i, read);
            q.since = now;
            q.ready = false;
            q.stripped = false;
            done.changed |= bit;
        }
        let mut holds = false;
        if !q.ready || p.overlapped && !q.stripped {
            let part = p.part_flits[q.enc as usize];
            let seen = header::In { count: self.q.flits.get(i), part, stripped: q.stripped, overlapped: p.overlapped };
            let decided = if q.enc == Encoding::Unicast {
                header::unicast::eval(seen)
            } else {
                pins.header(i, q.enc, q.image, seen)
            };
            if decided.strip {
                strip(p, pins, &mut self.q, &mut self.readers[i], q.from, i, part, done);
                q.stripped = true;
            }
            holds = decided.holds;
            if !decided.ready {
                return;
            }
            if !q.ready {
                q.ready = true;
                q.due = now.wrapping_add(p.routing_cycles);
                done.changed |= bit;
                if p.routing_cycles > 1 {
                    pins.wake(i, p.routing_cycles);
                }
            }
        }
        if holds || now.wrapping_sub(q.due).cast_signed() < 0 {
            return;
        }
        // Decided: the branch set.
        q.branches = if q.enc == Encoding::Unicast {
            1 << pins.route(i, q.image)
        } else {
            pins.branches(i, q.enc, q.image, q.stripped)
        };
        account.header += u64::from(now.wrapping_sub(q.since)) + u64::from(done.stripped & bit != 0);
        q.wanted = q.branches;
        q.since = now;
        self.q.deciding &= !bit;
        self.q.active |= bit;
        done.changed |= bit;
        if q.branches.is_power_of_two() {
            q.waits = Waits { lane: 1, ..Waits::NONE };
            q.since = now.wrapping_add(u32::from(done.stripped & bit != 0));
        } else if p.token_ring && self.wait_for_token(p, pins, i, done.stripped & bit != 0) {
            return;
        } else {
            self.q.replicating |= bit;
            self.ins[i].waits = Waits::NONE;
        }
        self.q.asking |= bit;
        self.q.arbitrate |= bit;
    }
}

/// Pops the first `flits` flits of the header at the front of input `i`.
#[inline(never)]
#[allow(clippy::too_many_arguments)]
fn strip<P: Pins>(
    p: &Params,
    pins: &mut P,
    reg: &mut Reg,
    reader: &mut Reader,
    from: Far,
    i: usize,
    flits: u16,
    done: &mut Done,
) {
    for _ in 0..flits {
        reader.read = fifo::advance(reader.read, p.fifo_depth);
        reg.occupied = reg.flits.down(1 << i);
    }
    done.stripped |= 1 << i;
    done.changed |= 1 << i;
    pins.credit(from, flits);
}
