//! A chunk: 64 * L routers with their nodes, and the wiring of the blocks of this folder. Each
//! block stands once, for all routers.
//!
//! ```text
//!           ┌──────┐ ┌─────────┐ wants ┌───────────┐ ┌──────────┐
//!  links ──▶│ fifo │▶│ decoder │──────▶│ allocator │▶│ crossbar │──▶ links
//!           └──▲───┘ └─────────┘       └───────────┘ └──┬───▲───┘
//!              └──────────────────── popped ────────────┘   └─── credit
//! ```

use std::array::from_fn;

use super::allocator::Allocator;
use super::counter::Counter;
use super::credit::Credits;
use super::crossbar::{self, Crossings, turns};
use super::decoder::Decoder;
use super::fifo::Fifo;
use super::heads::Heads;
use super::injector::Injector;
use super::links::{Edge, MeshLinks};
use super::plane::Plane;

/// What is fixed when the network is built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Params {
    /// Cycles of the routing decision.
    pub routing_cycles: usize,
    /// Flits that a decision needs.
    pub header: u32,
    /// A granted head crosses in the cycle behind the grant.
    pub allocation_register: bool,
    /// Flits of a FIFO.
    pub fifo_depth: u32,
    /// Credits of a lane to a node.
    pub consumption_depth: u32,
}

/// What a cycle did that others must know of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pulse {
    /// A register of a router changed that is not a counter, or a flit left a node.
    pub changed: bool,
    /// A routing decision began.
    pub ready: bool,
    /// Flits left for neighbours.
    pub flits: bool,
    /// Flits from neighbours left FIFOs.
    pub credits: bool,
    /// Flits left for nodes.
    pub to_nodes: bool,
    /// Flits from nodes left FIFOs.
    pub inject_credits: bool,
    /// Flits left nodes.
    pub injected: bool,
    /// Routers that were evaluated.
    pub evaluated: u64,
}

impl Pulse {
    /// What one chunk did, and others.
    pub fn add(&mut self, other: Self) {
        self.changed |= other.changed;
        self.ready |= other.ready;
        self.flits |= other.flits;
        self.credits |= other.credits;
        self.to_nodes |= other.to_nodes;
        self.inject_credits |= other.inject_credits;
        self.injected |= other.injected;
        self.evaluated += other.evaluated;
    }
}

/// Registers of an input lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct InPlanes<const L: usize, const D: usize, const B: usize> {
    pub fifo: Fifo<L, D, B>,
    pub decoder: Decoder<L>,
    /// A decided worm is in service.
    pub active: Plane<L>,
    /// It has no lane yet.
    pub asking: Plane<L>,
    /// Its head has not crossed.
    pub first: Plane<L>,
    /// Its head has had a turn without crossing.
    pub late: Plane<L>,
}

/// Registers of an output lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutPlanes<const L: usize, const B: usize> {
    pub allocator: Allocator<L>,
    pub credits: Credits<L, B>,
    /// Cycles in which the owner had a flit but no credit, since they were written down last.
    pub blocked: Counter<L, 8>,
}

/// Registers. Planes come first, so that they lie on lines of the cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Chunk<const P: usize, const L: usize, const D: usize, const B: usize> {
    pub inputs: [InPlanes<L, D, B>; P],
    /// By input and output, the worm in service at one takes the other.
    pub wants: [[Plane<L>; P]; P],
    pub outputs: [OutPlanes<L, B>; P],
    pub injector: Injector<L, B>,
    /// By output, the cycles that `blocked` counts at most.
    counted: [u8; P],
}

/// The most that a counter of blocked cycles holds.
const MOST_BLOCKED: u8 = u8::MAX;

impl<const P: usize, const L: usize, const D: usize, const B: usize> Chunk<P, L, D, B> {
    /// At reset.
    pub fn reset(p: &Params) -> Self {
        let input = InPlanes {
            fifo: Fifo::reset(),
            decoder: Decoder::RESET,
            active: Plane::NONE,
            asking: Plane::NONE,
            first: Plane::NONE,
            late: Plane::NONE,
        };
        let output = |port: usize| OutPlanes {
            allocator: Allocator::RESET,
            credits: Credits::reset(if port + 1 == P { p.consumption_depth } else { p.fifo_depth }),
            blocked: Counter::all(0),
        };
        Self {
            inputs: [input; P],
            wants: [[Plane::NONE; P]; P],
            outputs: from_fn(output),
            injector: Injector::reset(p.fifo_depth),
            counted: [0; P],
        }
    }

    /// One cycle of the chunk of this number; returns whether anything is in it.
    pub fn cycle(
        &mut self,
        p: &Params,
        now: u64,
        chunk: usize,
        (edge, links): (&Edge, &mut MeshLinks),
        heads: &mut Heads,
        pulse: &mut Pulse,
    ) -> bool {
        let base = chunk * 64 * L;
        let none = [Plane::NONE; P];
        let (mut undecided, mut present, mut asking) = (Plane::NONE, Plane::NONE, Plane::NONE);
        let mut occupied = none;
        for (port, input) in self.inputs.iter_mut().enumerate() {
            let [arrive, tails] = links.arrivals::<P, L>(edge, port, chunk);
            input.fifo.arrive(arrive, tails);
            occupied[port] = input.fifo.occupied();
            undecided |= occupied[port] & !input.active;
            present |= occupied[port] | input.active;
            asking |= input.asking;
        }
        for (port, output) in self.outputs.iter_mut().enumerate() {
            output.credits.home(links.credits::<P, L>(edge, port, chunk));
        }
        self.injector.credits.home(links.inject_credits::<P, L>(edge, chunk));

        if undecided.any() {
            asking |= self.decode(p, now, base, &occupied, heads, pulse);
        }
        let mut fresh = none;
        if asking.any() {
            let granted = self.allocate(p, heads, pulse);
            if p.allocation_register {
                fresh = granted;
            }
        }

        let held =
            |(port, input): (usize, &InPlanes<L, D, B>)| occupied[port] & input.active & !input.asking & !fresh[port];
        let mut holds = none;
        holds.iter_mut().zip(self.inputs.iter().enumerate()).for_each(|(holds, input)| *holds = held(input));
        let (tails, able) =
            (from_fn(|i| self.inputs[i].fifo.front_is_tail()), from_fn(|o| self.outputs[o].credits.any()));
        let crossing = crossbar::eval(&holds, &self.wants, &tails, &able);
        self.turns(now, base, &holds, &crossing, heads);
        self.blocked(base, &crossing, heads);
        self.release(now, base, &tails, &crossing, heads);
        for port in 0..P {
            self.inputs[port].fifo.pop(crossing.popped[port]);
            self.outputs[port].credits.spend(crossing.crossed[port]);
        }

        present |= self.injector.busy | self.injector.queued;
        let injected = self.injector.eval::<P>(base, now, heads);
        links.send(edge, chunk, [&crossing.crossed, &crossing.tails], &crossing.popped, injected);
        let some = |planes: &[Plane<L>]| planes.iter().fold(Plane::NONE, |some, &plane| some | plane).any();
        let (flits, to_nodes) = (some(&crossing.crossed[..P - 1]), crossing.crossed[P - 1].any());
        pulse.flits |= flits;
        pulse.to_nodes |= to_nodes;
        pulse.credits |= some(&crossing.popped[..P - 1]);
        pulse.inject_credits |= crossing.popped[P - 1].any();
        pulse.injected |= injected[0].any();
        pulse.changed |= flits | to_nodes | injected[0].any();
        present.any()
    }

    /// Header decoders: worms that are decided ask for the lane that routing names. Returns the
    /// routers where one does.
    #[inline(always)]
    fn decode(
        &mut self,
        p: &Params,
        now: u64,
        base: usize,
        occupied: &[Plane<L>; P],
        heads: &mut Heads,
        pulse: &mut Pulse,
    ) -> Plane<L> {
        let mut asking = Plane::NONE;
        for (port, (input, wants)) in self.inputs.iter_mut().zip(&mut self.wants).enumerate() {
            let begin = occupied[port] & !input.active & !input.decoder.deciding(p.routing_cycles);
            let enough = if p.header > 1 { input.fifo.count.at_least(p.header) } else { Plane::ALL };
            let (ready, decided) = input.decoder.eval(p.routing_cycles, begin, enough);
            if p.header > 1 {
                heads.account.header += input.decoder.waiting.count();
            }
            let some = decided.any();
            pulse.ready |= ready.any();
            pulse.changed |= (begin | ready).any() | some;
            if some {
                heads.account.header += decided.count() * p.routing_cycles as u64;
                decided.each(|router| {
                    let output = heads.decide::<P>(base + router, port, now);
                    wants[output].set(router, true);
                });
                input.active |= decided;
                input.asking |= decided;
                input.first |= decided;
                asking |= decided;
            }
        }
        asking
    }

    /// Allocators; returns the inputs that are granted their lane.
    #[inline(always)]
    fn allocate(&mut self, p: &Params, heads: &mut Heads, pulse: &mut Pulse) -> [Plane<L>; P] {
        let mut granted = [Plane::NONE; P];
        for (port, output) in self.outputs.iter_mut().enumerate() {
            let requests: [_; P] = from_fn(|input| {
                if turns::<P>(input, port) { self.inputs[input].asking & self.wants[input][port] } else { Plane::NONE }
            });
            let wins = output.allocator.eval(&requests);
            granted.iter_mut().zip(wins).for_each(|(granted, win)| *granted |= win);
        }
        let mut some = Plane::NONE;
        for (input, &granted) in self.inputs.iter_mut().zip(&granted) {
            input.asking &= !granted;
            some |= granted;
            heads.account.lane_wait += input.asking.count();
            if p.allocation_register {
                heads.account.header += granted.count();
            }
        }
        pulse.changed |= some.any();
        granted
    }

    /// Heads that have a turn for the first time, and heads that cross.
    #[inline(always)]
    fn turns(&mut self, now: u64, base: usize, holds: &[Plane<L>; P], crossing: &Crossings<P, L>, heads: &mut Heads) {
        let turn = |port: usize, input: &InPlanes<L, D, B>| holds[port] & input.first;
        let some = self.inputs.iter().enumerate().fold(Plane::NONE, |some, (port, input)| some | turn(port, input));
        if !some.any() {
            return;
        }
        for (port, input) in self.inputs.iter_mut().enumerate() {
            let here = turn(port, input);
            (here & !input.late).each(|router| heads.has_turn::<P>(base + router, port, now));
            let crosses = here & crossing.popped[port];
            crosses.each(|router| heads.crosses::<P>(base + router, port, now));
            input.first &= !crosses;
            input.late = (input.late | here) & !crosses;
        }
    }

    /// The account of flits without credit.
    #[inline(always)]
    fn blocked(&mut self, base: usize, crossing: &Crossings<P, L>, heads: &mut Heads) {
        for (port, (output, &blocked)) in self.outputs.iter_mut().zip(&crossing.blocked).enumerate() {
            if !blocked.any() {
                continue;
            }
            let account = &mut heads.account;
            *(if port + 1 == P { &mut account.endpoint } else { &mut account.no_credit }) += blocked.count();
            output.blocked.up(blocked);
            self.counted[port] += 1;
            if self.counted[port] == MOST_BLOCKED {
                output.blocked.any().each(|router| {
                    heads.blocked[(base + router) * P + port] += u64::from(output.blocked.get(router));
                });
                output.blocked = Counter::all(0);
                self.counted[port] = 0;
            }
        }
    }

    /// Tails that cross give their lanes back.
    #[inline(always)]
    fn release(&mut self, now: u64, base: usize, tails: &[Plane<L>; P], crossing: &Crossings<P, L>, heads: &mut Heads) {
        let some = crossing.tails.iter().fold(Plane::NONE, |some, &tails| some | tails);
        if !some.any() {
            return;
        }
        let asking = self.inputs.iter().fold(Plane::NONE, |asking, input| asking | input.asking);
        let contested = asking & some;
        let done: [_; P] = from_fn(|port| crossing.popped[port] & tails[port]);
        for (port, &done) in done.iter().enumerate() {
            done.each(|router| {
                let waits = |input: usize, output: usize| {
                    self.inputs[input].asking.get(router) && self.wants[input][output].get(router)
                };
                heads.releases::<P>(base + router, port, now, |output| {
                    if !contested.get(router) {
                        return 0;
                    }
                    (0..P).fold(0, |waiting, input| waiting | u64::from(waits(input, output)) << input)
                });
            });
            self.inputs[port].active &= !done;
            self.wants[port].iter_mut().for_each(|wants| *wants &= !done);
        }
        for (output, &tails) in self.outputs.iter_mut().zip(&crossing.tails) {
            output.allocator.free |= tails;
        }
    }
}
