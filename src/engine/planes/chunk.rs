//! A chunk: 64 * L routers with their nodes, and the wiring of the blocks of this folder. Each
//! block stands once, for all routers.
//!
//! ```text
//!           ┌──────┐ ┌─────────┐ wants ┌───────────┐ ┌──────────┐
//!  links ──▶│ fifo │▶│ decoder │──────▶│ allocator │▶│ crossbar │──▶ links
//!           └──▲───┘ └─────────┘       └───────────┘ └──┬───▲───┘
//!              └──────────────────── popped ────────────┘   └─── credit, multiplexer
//! ```
//!
//! `N` is the number of lanes on either side of a router: `V` virtual channels a port, port-major.

use std::array::from_fn;
use std::ops::Range;

use super::allocator::Allocator;
use super::counter::Counter;
use super::credit::Credits;
use super::crossbar::{self, Crossings, Pairs, turns};
use super::decoder::Decoder;
use super::fifo::Fifo;
use super::heads::Heads;
use super::injector::Injector;
use super::links::{Edge, GridLinks};
use super::multiplexer::Multiplexer;
use super::plane::Plane;

/// Constants of a built network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Params {
    /// Cycles of the routing decision.
    pub routing_cycles: usize,
    /// Flits that a decision needs.
    pub header: u32,
    /// A granted head crosses in the cycle after the grant.
    pub allocation_register: bool,
    /// Flits of a FIFO.
    pub fifo_depth: u32,
    /// Credits of a lane to a node.
    pub consumption_depth: u32,
}

impl Params {
    /// Flits of the FIFO after an output lane.
    pub fn depth_after<const N: usize, const V: usize>(&self, lane: usize) -> u32 {
        if lane >= N - V { self.consumption_depth } else { self.fifo_depth }
    }
}

/// Events of a cycle that other chunks and the clock must know.
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
    /// Adds the effects of another chunk.
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
pub(super) struct OutPlanes<const N: usize, const V: usize, const L: usize, const B: usize> {
    pub allocator: Allocator<N, L>,
    /// Of the link of which this is the lowest lane.
    pub multiplexer: Multiplexer<V, L>,
    pub credits: Credits<L, B>,
    /// Cycles in which the owner had a flit but no credit, since they were written down last.
    pub blocked: Counter<L, 8>,
}

/// Registers. Planes come first, so that they are aligned to cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Chunk<const N: usize, const V: usize, const L: usize, const D: usize, const B: usize> {
    pub inputs: [InPlanes<L, D, B>; N],
    /// By input and output, the worm in service at one owns the other. While it asks, it has this
    /// bit at the first lane of the group.
    pub wants: Pairs<N, L>,
    pub outputs: [OutPlanes<N, V, L, B>; N],
    pub injector: Injector<V, L, B>,
    /// By output, the cycles that `blocked` counts at most.
    counted: [u8; N],
}

/// The most that a counter of blocked cycles holds.
const MOST_BLOCKED: u8 = u8::MAX;

impl<const N: usize, const V: usize, const L: usize, const D: usize, const B: usize> Chunk<N, V, L, D, B> {
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
        let output = |lane: usize| OutPlanes {
            allocator: Allocator::RESET,
            multiplexer: Multiplexer::RESET,
            credits: Credits::reset(p.depth_after::<N, V>(lane)),
            blocked: Counter::all(0),
        };
        Self {
            inputs: [input; N],
            wants: [[Plane::NONE; N]; N],
            outputs: from_fn(output),
            injector: Injector::reset(p.fifo_depth),
            counted: [0; N],
        }
    }

    /// Evaluates one cycle of the chunk of this number. Returns whether anything is in it.
    pub fn cycle(
        &mut self,
        p: &Params,
        now: u64,
        chunk: usize,
        (edge, links): (&Edge, &mut GridLinks),
        heads: &mut Heads,
        pulse: &mut Pulse,
    ) -> bool {
        let base = chunk * 64 * L;
        let none = [Plane::NONE; N];
        let (mut undecided, mut present, mut asking) = (Plane::NONE, Plane::NONE, Plane::NONE);
        let mut occupied = none;
        for (lane, input) in self.inputs.iter_mut().enumerate() {
            let [arrive, tails, credits] = links.arrivals::<N, V, L>(edge, lane, chunk);
            input.fifo.arrive(arrive, tails);
            self.outputs[lane].credits.home(credits);
            occupied[lane] = input.fifo.occupied();
            undecided |= occupied[lane] & !input.active;
            present |= occupied[lane] | input.active;
            asking |= input.asking;
        }
        for (c, channel) in self.injector.channels.iter_mut().enumerate() {
            channel.credits.home(links.inject_credits::<L>(edge, c, chunk));
        }

        if undecided.any() {
            asking |= self.decode(p, now, base, &occupied, heads, pulse);
        }
        let mut fresh = none;
        if asking.any() {
            let granted = self.allocate(p, base, heads, pulse);
            if p.allocation_register {
                fresh = granted;
            }
        }

        let held =
            |(lane, input): (usize, &InPlanes<L, D, B>)| occupied[lane] & input.active & !input.asking & !fresh[lane];
        let mut holds = none;
        holds.iter_mut().zip(self.inputs.iter().enumerate()).for_each(|(holds, input)| *holds = held(input));
        let (tails, able) =
            (from_fn(|i| self.inputs[i].fifo.front_is_tail()), from_fn(|o| self.outputs[o].credits.any()));
        let outputs = &mut self.outputs;
        let select = |first: usize, offered: &[Plane<L>; V]| outputs[first].multiplexer.eval(offered);
        let crossing = crossbar::eval::<N, V, L>(&holds, &self.wants, &tails, &able, select);
        self.turns(now, base, &holds, &crossing, heads);
        self.waits(base, &crossing, heads);
        self.release(now, base, &tails, &crossing, heads);
        for lane in 0..N {
            self.inputs[lane].fifo.pop(crossing.popped[lane]);
            self.outputs[lane].credits.spend(crossing.crossed[lane]);
        }

        present |= self.injector.occupied();
        let injected = self.injector.eval::<N>(base, now, heads);
        links.send::<N, V, L>(edge, chunk, [&crossing.crossed, &crossing.tails], &crossing.popped, &injected);
        let some = |planes: &[Plane<L>]| planes.iter().fold(Plane::NONE, |some, &plane| some | plane).any();
        let (flits, to_nodes) = (some(&crossing.crossed[..N - V]), some(&crossing.crossed[N - V..]));
        let injects = some(&injected[0]);
        pulse.flits |= flits;
        pulse.to_nodes |= to_nodes;
        pulse.credits |= some(&crossing.popped[..N - V]);
        pulse.inject_credits |= some(&crossing.popped[N - V..]);
        pulse.injected |= injects;
        pulse.changed |= flits | to_nodes | injects;
        present.any()
    }

    /// Header decoders: worms that are decided ask for a lane of the group that routing names.
    /// Returns the routers where one does.
    #[inline(always)]
    fn decode(
        &mut self,
        p: &Params,
        now: u64,
        base: usize,
        occupied: &[Plane<L>; N],
        heads: &mut Heads,
        pulse: &mut Pulse,
    ) -> Plane<L> {
        let mut asking = Plane::NONE;
        for (lane, (input, wants)) in self.inputs.iter_mut().zip(&mut self.wants).enumerate() {
            let begin = occupied[lane] & !input.active & !input.decoder.deciding(p.routing_cycles);
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
                    let group = heads.decide::<N, V>(base + router, lane, now);
                    wants[group].set(router, true);
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
    fn allocate(&mut self, p: &Params, base: usize, heads: &mut Heads, pulse: &mut Pulse) -> [Plane<L>; N] {
        let (mut granted, mut first) = ([Plane::NONE; N], 0);
        while first < N {
            let group = first..first + heads.grid.group_lanes::<N, V>(first);
            first = group.end;
            let mut some = Plane::NONE;
            let requests: [_; N] = from_fn(|input| {
                let may = turns::<N, V>(input, group.start);
                let asks = if may { self.inputs[input].asking & self.wants[input][group.start] } else { Plane::NONE };
                some |= asks;
                asks
            });
            if !some.any() {
                continue;
            }
            if group.len() == 1 {
                let allocator = &mut self.outputs[group.start].allocator;
                let wins = allocator.eval(&requests.map(|request| request & allocator.free));
                granted.iter_mut().zip(wins).for_each(|(granted, win)| *granted |= win);
            } else {
                self.allocate_group(group, requests, base, &mut granted, heads);
            }
        }
        let mut some = Plane::NONE;
        for (input, &granted) in self.inputs.iter_mut().zip(&granted) {
            input.asking &= !granted;
            some |= granted;
            if input.asking.any() {
                heads.account.lane_wait += input.asking.count();
            }
            if p.allocation_register && granted.any() {
                heads.account.header += granted.count();
            }
        }
        pulse.changed |= some.any();
        granted
    }

    /// Grants the lanes of a group of several: those with credit, then those without.
    #[inline(always)]
    fn allocate_group(
        &mut self,
        group: Range<usize>,
        mut requests: [Plane<L>; N],
        base: usize,
        granted: &mut [Plane<L>; N],
        heads: &mut Heads,
    ) {
        let lanes = |with_credit| group.clone().map(move |lane| (lane, with_credit));
        for (lane, with_credit) in lanes(true).chain(lanes(false)) {
            let output = &mut self.outputs[lane];
            let credit = output.credits.any();
            let open = output.allocator.free & if with_credit { credit } else { !credit };
            let asking = requests.map(|request| request & open);
            if !asking.iter().fold(Plane::NONE, |some, &asks| some | asks).any() {
                continue;
            }
            for (input, win) in output.allocator.eval(&asking).into_iter().enumerate() {
                requests[input] &= !win;
                granted[input] |= win;
                if lane > group.start {
                    self.wants[input][group.start] &= !win;
                    self.wants[input][lane] |= win;
                    win.each(|router| heads.ins[(base + router) * N + input].out = lane as u8);
                }
            }
        }
    }

    /// Heads that have a turn for the first time, and heads that cross.
    #[inline(always)]
    fn turns(&mut self, now: u64, base: usize, holds: &[Plane<L>; N], crossing: &Crossings<N, L>, heads: &mut Heads) {
        let turn = |lane: usize, input: &InPlanes<L, D, B>| holds[lane] & input.first;
        let some = self.inputs.iter().enumerate().fold(Plane::NONE, |some, (lane, input)| some | turn(lane, input));
        if !some.any() {
            return;
        }
        for (lane, input) in self.inputs.iter_mut().enumerate() {
            let here = turn(lane, input);
            (here & !input.late).each(|router| heads.has_turn::<N>(base + router, lane, now));
            let crosses = here & crossing.popped[lane];
            crosses.each(|router| heads.crosses::<N, V>(base + router, lane, now));
            input.first &= !crosses;
            input.late = (input.late | here) & !crosses;
        }
    }

    /// The account of flits without credit, and of those that another channel passes over.
    #[inline(always)]
    fn waits(&mut self, base: usize, crossing: &Crossings<N, L>, heads: &mut Heads) {
        for (lane, (output, &blocked)) in self.outputs.iter_mut().zip(&crossing.blocked).enumerate() {
            if V > 1 && crossing.passed_over[lane].any() {
                heads.account.lane_wait += crossing.passed_over[lane].count();
            }
            if !blocked.any() {
                continue;
            }
            let account = &mut heads.account;
            *(if lane >= N - V { &mut account.endpoint } else { &mut account.no_credit }) += blocked.count();
            output.blocked.up(blocked);
            self.counted[lane] += 1;
            if self.counted[lane] == MOST_BLOCKED {
                output.blocked.any().each(|router| {
                    heads.blocked[(base + router) * N + lane] += u64::from(output.blocked.get(router));
                });
                output.blocked = Counter::all(0);
                self.counted[lane] = 0;
            }
        }
    }

    /// Tails that cross give their lanes back.
    #[inline(always)]
    fn release(&mut self, now: u64, base: usize, tails: &[Plane<L>; N], crossing: &Crossings<N, L>, heads: &mut Heads) {
        let some = crossing.tails.iter().fold(Plane::NONE, |some, &tails| some | tails);
        if !some.any() {
            return;
        }
        let asking = self.inputs.iter().fold(Plane::NONE, |asking, input| asking | input.asking);
        let contested = asking & some;
        let done: [_; N] = from_fn(|lane| crossing.popped[lane] & tails[lane]);
        for (lane, &done) in done.iter().enumerate() {
            done.each(|router| {
                let waits = |input: usize, group: usize| {
                    self.inputs[input].asking.get(router) && self.wants[input][group].get(router)
                };
                heads.releases::<N, V>(base + router, lane, now, |group| {
                    if !contested.get(router) {
                        return 0;
                    }
                    (0..N).fold(0, |waiting, input| waiting | u64::from(waits(input, group)) << input)
                });
            });
            if done.any() {
                self.inputs[lane].active &= !done;
                self.wants[lane].iter_mut().for_each(|wants| *wants &= !done);
            }
        }
        for (output, &tails) in self.outputs.iter_mut().zip(&crossing.tails) {
            output.allocator.free |= tails;
        }
    }
}
