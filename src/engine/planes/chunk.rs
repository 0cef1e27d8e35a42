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
//! In a network with trees, the replication unit stands in place of the crossbar. `N` is the number
//! of lanes on either side of a router: `V` virtual channels a port, port-major. `M` is `N` with
//! trees, and 0 without.

use std::array::from_fn;
use std::ops::Range;

use wormscope_hw::Replication as Mode;

use super::allocator::Allocator;
use super::countdown::Countdown;
use super::counter::Counter;
use super::credit::Credits;
use super::crossbar::{self, Crossings, Pairs, turns};
use super::decoder::Decoder;
use super::fifo::Fifo;
use super::injector::Injector;
use super::links::{Edge, NetworkLinks};
use super::multiplexer::Multiplexer;
use super::plane::{Plane, each_of};
use super::region::Region;
use super::replication::{Pins, Replication, reads};

/// Constants of a built network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Params {
    /// Cycles of the routing decision.
    pub routing_cycles: usize,
    /// Flits that the decision of a unicast needs.
    pub header: u32,
    /// Replication mode.
    pub replication: Mode,
    /// A granted head crosses in the cycle after the grant.
    pub allocation_register: bool,
    /// Flits of a FIFO behind a link between routers.
    pub fifo_depth: u32,
    /// Flits of a FIFO behind a node.
    pub injection_depth: u32,
    /// Credits of a lane to a node.
    pub consumption_depth: u32,
}

impl Params {
    /// Flits of the FIFO after an output lane, which leads to nodes at some routers.
    pub fn depths<const L: usize, const B: usize>(&self, to_node: Plane<L>) -> Counter<L, B> {
        let (node, router) = (Counter::<L, B>::all(self.consumption_depth), Counter::<L, B>::all(self.fifo_depth));
        Counter(from_fn(|k| node.0[k] & to_node | router.0[k] & !to_node))
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
pub(super) struct InPlanes<const L: usize, const B: usize> {
    pub fifo: Fifo<L, B>,
    pub decoder: Decoder<L>,
    /// A decided worm is in service.
    pub active: Plane<L>,
    /// It has no lane yet.
    pub asking: Plane<L>,
    /// The head of a unicast has not crossed.
    pub first: Plane<L>,
    /// This head has had a turn without crossing.
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
pub(super) struct Chunk<const N: usize, const V: usize, const L: usize, const B: usize, const M: usize, const G: bool> {
    pub inputs: [InPlanes<L, B>; N],
    /// Flits of the worms in service.
    pub left: Countdown<N, L>,
    /// By input and output, the worm in service asks for the group of lanes of which this is the
    /// first. Once it owns a lane, a unicast has this bit there.
    pub wants: Pairs<N, L>,
    /// With trees, the lanes that worms own.
    pub replication: Replication<N, M, L, B>,
    /// With trees, by input, flits of the header that the decision needs.
    needs: [Counter<L, B>; M],
    pub outputs: [OutPlanes<N, V, L, B>; N],
    pub injector: Injector<V, L, B>,
    /// By output, the cycles that `blocked` counts at most.
    counted: [u8; N],
}

/// The most that a counter of blocked cycles holds.
const MOST_BLOCKED: u8 = u8::MAX;

impl<const N: usize, const V: usize, const L: usize, const B: usize, const M: usize, const G: bool>
    Chunk<N, V, L, B, M, G>
{
    /// At reset. `to_node` says for each output lane where it leads to a node.
    pub fn reset(p: &Params, to_node: impl Fn(usize) -> Plane<L>) -> Self {
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
            credits: Credits(p.depths(to_node(lane))),
            blocked: Counter::all(0),
        };
        Self {
            inputs: [input; N],
            left: Countdown::RESET,
            wants: [[Plane::NONE; N]; N],
            replication: Replication::reset(),
            needs: [Counter::all(0); M],
            outputs: from_fn(output),
            injector: Injector::reset(p.injection_depth),
            counted: [0; N],
        }
    }

    /// Evaluates one cycle of the chunk of this number. Returns whether anything is in it.
    pub fn cycle(
        &mut self,
        p: &Params,
        now: u64,
        chunk: usize,
        (edge, links): (&Edge, &mut NetworkLinks),
        heads: &mut Region<'_>,
        pulse: &mut Pulse,
    ) -> bool {
        let base = chunk * 64 * L;
        let none = [Plane::NONE; N];
        let (mut undecided, mut present, mut asking) = (Plane::NONE, Plane::NONE, Plane::NONE);
        let (mut occupied, mut arrived) = (none, none);
        for (lane, input) in self.inputs.iter_mut().enumerate() {
            let [arrive, credits] = links.arrivals::<N, V, L>(edge, lane, chunk);
            input.fifo.arrive(arrive);
            arrived[lane] = arrive;
            self.outputs[lane].credits.home(credits);
            occupied[lane] = input.fifo.occupied();
            undecided |= occupied[lane] & !input.active;
            present |= occupied[lane] | input.active;
            asking |= input.asking;
        }
        if M > 0 && reads(p.replication) {
            self.replication.arrive(&arrived);
        }
        let mut credited = [Plane::NONE; V];
        for (c, channel) in self.injector.channels.iter_mut().enumerate() {
            credited[c] = links.inject_credits::<N, L>(edge, c, chunk);
            channel.credits.home(credited[c]);
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

        let tails = self.left.is_last();
        let crossing = if M > 0 {
            self.replicate(p, now, base, (&occupied, &fresh, &tails), heads)
        } else {
            self.cross(now, base, (&occupied, &fresh, &tails), heads)
        };
        if heads.events.is_sampled() {
            self.sample(now, chunk, links, &crossing, heads);
        }
        self.waits(base, chunk, links, &crossing, heads);
        self.release(p, now, base, &tails, &crossing, heads);
        for lane in 0..N {
            self.inputs[lane].fifo.pop(crossing.popped[lane]);
            self.outputs[lane].credits.spend(crossing.crossed[lane]);
        }
        for (lane, counted) in self.left.pass(&crossing.popped).into_iter().enumerate() {
            counted.each(|router| {
                let at = (base + router) * N + lane;
                let beyond = self.left.start(lane, router, heads.beyond[at] - 1);
                heads.set_beyond(at, beyond);
            });
        }

        present |= self.injector.occupied();
        let injected = self.injector.eval::<N>(base, now, heads);
        if heads.events.is_sampled() {
            self.sample_nodes(base, [&injected, &credited], heads);
        }
        links.send::<N, V, L>(edge, chunk, [&crossing.crossed, &crossing.popped], &injected);
        let none = [Plane::NONE; 2];
        let (mut crossed, mut popped, mut injects) = (none, none, Plane::NONE);
        for lane in 0..N {
            let [to_node, from_node] = links.of_nodes::<N, V, L, G>(lane, chunk);
            crossed = [crossed[0] | crossing.crossed[lane] & !to_node, crossed[1] | crossing.crossed[lane] & to_node];
            popped = [popped[0] | crossing.popped[lane] & !from_node, popped[1] | crossing.popped[lane] & from_node];
        }
        for injected in injected {
            injects |= injected;
        }
        let ([flits, to_nodes], injects) = (crossed.map(Plane::any), injects.any());
        pulse.flits |= flits;
        pulse.to_nodes |= to_nodes;
        pulse.credits |= popped[0].any();
        pulse.inject_credits |= popped[1].any();
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
        heads: &mut Region<'_>,
        pulse: &mut Pulse,
    ) -> Plane<L> {
        let (mut all, mut some) = ([Plane::NONE; N], Plane::NONE);
        for (lane, input) in self.inputs.iter_mut().enumerate() {
            let begin = occupied[lane] & !input.active & !input.decoder.deciding(p.routing_cycles);
            let enough = if M > 0 {
                begin.each(|router| self.needs[lane].set(router, heads.needs((base + router) * N + lane)));
                input.fifo.count.reaches(&self.needs[lane])
            } else if p.header > 1 {
                input.fifo.count.at_least(p.header)
            } else {
                Plane::ALL
            };
            let (ready, decided) = input.decoder.eval(p.routing_cycles, begin, enough);
            if p.header > 1 || M > 0 {
                heads.events.account.header += input.decoder.waiting.count();
            }
            pulse.ready |= ready.any();
            pulse.changed |= (begin | ready | decided).any();
            all[lane] = decided;
            some |= decided;
        }
        if !some.any() {
            return some;
        }
        each_of(&all, |lane, router| {
            let wants = &mut self.wants[lane];
            let worm = if M > 0 {
                heads.decide_branches::<N, V>(base + router, lane, now, |group| wants[group].set(router, true))
            } else {
                let (worm, group) = heads.decide::<N, V>(base + router, lane, now);
                wants[group].set(router, true);
                worm
            };
            let beyond = self.left.start(lane, router, heads.flits(worm) - 1);
            heads.set_beyond((base + router) * N + lane, beyond);
        });
        for (input, decided) in self.inputs.iter_mut().zip(all) {
            heads.events.account.header += decided.count() * p.routing_cycles as u64;
            input.active |= decided;
            input.asking |= decided;
            input.first |= decided;
        }
        some
    }

    /// Allocators; returns the inputs that are granted their lane, or with trees the outputs that
    /// are granted.
    #[inline(always)]
    fn allocate(&mut self, p: &Params, base: usize, heads: &mut Region<'_>, pulse: &mut Pulse) -> [Plane<L>; N] {
        let (mut granted, mut first) = ([Plane::NONE; N], 0);
        while first < N {
            let group = first..first + heads.grid.group_lanes::<N, V>(first);
            first = group.end;
            let mut some = Plane::NONE;
            let requests: [_; N] = from_fn(|input| {
                let may = turns::<N, V, G>(input, group.start);
                let asks = if may { self.asks(p, input, group.start) } else { Plane::NONE };
                some |= asks;
                asks
            });
            if !some.any() {
                continue;
            }
            if group.len() == 1 {
                let allocator = &mut self.outputs[group.start].allocator;
                let asking = from_fn(|input| requests[input] & allocator.free);
                let wins = allocator.eval(&asking);
                if M > 0 {
                    self.grant(group.start, group.start, &wins);
                    granted[group.start] = wins.iter().fold(Plane::NONE, |some, &win| some | win);
                } else {
                    granted.iter_mut().zip(wins).for_each(|(granted, win)| *granted |= win);
                }
            } else {
                self.allocate_group(group, requests, base, &mut granted, heads);
            }
        }
        let mut some = Plane::NONE;
        for (lane, ((input, wants), &granted)) in self.inputs.iter_mut().zip(&self.wants).zip(&granted).enumerate() {
            some |= granted;
            if M > 0 {
                if input.asking.any() {
                    input.asking = wants.iter().fold(Plane::NONE, |some, &wants| some | wants);
                    let waiting = wants.iter().map(|wants| wants.count()).sum::<u64>();
                    let asking = if p.replication == Mode::Sequential {
                        (input.asking & !self.replication.holds_some(lane)).count()
                    } else {
                        waiting
                    };
                    heads.events.account.lane_wait += asking;
                    heads.events.account.sibling += waiting - asking;
                }
            } else {
                input.asking &= !granted;
                if L == 1 || input.asking.any() {
                    heads.events.account.lane_wait += input.asking.count();
                }
            }
            if p.allocation_register && granted.any() {
                heads.events.account.header += granted.count();
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
        heads: &mut Region<'_>,
    ) {
        let lanes = |with_credit| group.clone().map(move |lane| (lane, with_credit));
        for (lane, with_credit) in lanes(true).chain(lanes(false)) {
            let output = &mut self.outputs[lane];
            let credit = output.credits.any();
            let open = output.allocator.free & if with_credit { credit } else { !credit };
            let asking: [_; N] = from_fn(|input| requests[input] & open);
            if !asking.iter().fold(Plane::NONE, |some, &asks| some | asks).any() {
                continue;
            }
            let wins = output.allocator.eval(&asking);
            if M > 0 {
                self.grant(group.start, lane, &wins);
            }
            for (input, win) in wins.into_iter().enumerate() {
                requests[input] &= !win;
                granted[if M > 0 { lane } else { input }] |= win;
                if M == 0 && lane > group.start {
                    self.wants[input][group.start] &= !win;
                    self.wants[input][lane] |= win;
                    win.each(|router| heads.gets((base + router) * N + input, lane));
                }
            }
        }
    }

    /// With trees, a lane is granted to `wins`, by input, which asked for its group.
    #[inline(always)]
    fn grant(&mut self, group: usize, lane: usize, wins: &[Plane<L>; N]) {
        self.wants.iter_mut().zip(wins).for_each(|(wants, &win)| wants[group] &= !win);
        self.replication.grant(lane, wins, &from_fn(|input| self.inputs[input].fifo.count));
    }

    /// The worms at an input that ask for a group of lanes. With sequential replication, a worm
    /// asks for its first group, once no branch holds a lane.
    #[inline(always)]
    fn asks(&self, p: &Params, input: usize, group: usize) -> Plane<L> {
        let asks = self.inputs[input].asking & self.wants[input][group];
        if M == 0 || p.replication != Mode::Sequential {
            return asks;
        }
        let before = self.wants[input][..group].iter().fold(Plane::NONE, |some, &wants| some | wants);
        asks & !before & !self.replication.holds_some(input)
    }

    /// Crossbar: the flits of unicasts that cross.
    #[inline(always)]
    fn cross(
        &mut self,
        now: u64,
        base: usize,
        (occupied, fresh, tails): (&[Plane<L>; N], &[Plane<L>; N], &[Plane<L>; N]),
        heads: &mut Region<'_>,
    ) -> Crossings<N, L> {
        let held =
            |(lane, input): (usize, &InPlanes<L, B>)| occupied[lane] & input.active & !input.asking & !fresh[lane];
        let mut holds = [Plane::NONE; N];
        holds.iter_mut().zip(self.inputs.iter().enumerate()).for_each(|(holds, input)| *holds = held(input));
        let able = from_fn(|o| self.outputs[o].credits.any());
        let outputs = &mut self.outputs;
        let select = |first: usize, offered: &[Plane<L>; V]| outputs[first].multiplexer.eval(offered);
        let crossing = crossbar::eval::<N, V, L, G>(&holds, &self.wants, tails, &able, select);
        self.turns(now, base, &holds, &crossing, heads);
        crossing
    }

    /// Replication units: the flits of trees and unicasts that cross.
    #[inline(always)]
    fn replicate(
        &mut self,
        p: &Params,
        now: u64,
        base: usize,
        (occupied, fresh, tails): (&[Plane<L>; N], &[Plane<L>; N], &[Plane<L>; N]),
        heads: &mut Region<'_>,
    ) -> Crossings<N, L> {
        for (lane, &fresh) in fresh.iter().enumerate().take(M) {
            let here = self.replication.first[lane] & !fresh;
            let begins = here & !self.replication.late[lane];
            if !begins.any() {
                continue;
            }
            begins.each(|router| heads.has_turn::<N, V>(base + router, lane, now));
            for input in (0..N).filter(|_| reads(p.replication)) {
                (begins & self.replication.lanes[input][lane]).each(|router| {
                    let first = (base + router) * N;
                    let flits = heads.flits(heads.input(first + input).service.worm());
                    let beyond = self.replication.left.start(lane, router, flits - 1);
                    heads.set_beyond_branch(first + lane, beyond);
                });
            }
            self.replication.late[lane] |= here;
        }
        let holds = from_fn(|i| occupied[i] & self.inputs[i].active);
        let (asking, able) = (from_fn(|i| self.inputs[i].asking), from_fn(|o| self.outputs[o].credits.any()));
        let pins = Pins { mode: p.replication, holds: &holds, tails, asking: &asking, fresh, able: &able };
        let outputs = &mut self.outputs;
        let select = |first: usize, offered: &[Plane<L>; V]| outputs[first].multiplexer.eval(offered);
        let (crossing, sibling) = self.replication.eval(pins, select);
        heads.events.account.sibling += sibling;
        for lane in 0..M {
            let crosses = self.replication.first[lane] & crossing.crossed[lane];
            if crosses.any() {
                for input in (0..N).filter(|&input| turns::<N, V, G>(input, lane)) {
                    let from = crosses & self.replication.lanes[input][lane];
                    from.each(|router| heads.crosses::<N, V>(base + router, input, lane, now));
                }
                self.replication.first[lane] &= !crosses;
                self.replication.late[lane] &= !crosses;
            }
        }
        if reads(p.replication) {
            for (lane, counted) in self.replication.pass(&crossing.crossed).into_iter().enumerate() {
                counted.each(|router| {
                    let at = (base + router) * N + lane;
                    let beyond = self.replication.left.start(lane, router, heads.beyond_branch[at] - 1);
                    heads.set_beyond_branch(at, beyond);
                });
            }
        }
        self.replication.take::<V>(p.replication, &crossing);
        crossing
    }

    /// Heads that have a turn for the first time, and heads that cross.
    #[inline(always)]
    fn turns(
        &mut self,
        now: u64,
        base: usize,
        holds: &[Plane<L>; N],
        crossing: &Crossings<N, L>,
        heads: &mut Region<'_>,
    ) {
        let turn = |lane: usize, input: &InPlanes<L, B>| holds[lane] & input.first;
        let some = self.inputs.iter().enumerate().fold(Plane::NONE, |some, (lane, input)| some | turn(lane, input));
        if !some.any() {
            return;
        }
        let here: [_; N] = from_fn(|lane| turn(lane, &self.inputs[lane]));
        let popped = &crossing.popped;
        let (begin, cross): ([_; N], [_; N]) =
            (from_fn(|lane| here[lane] & !self.inputs[lane].late), from_fn(|lane| here[lane] & popped[lane]));
        each_of(&begin, |lane, router| {
            let out = heads.input((base + router) * N + lane).service.out();
            heads.has_turn::<N, V>(base + router, out, now);
        });
        each_of(&cross, |lane, router| {
            let out = heads.input((base + router) * N + lane).service.out();
            heads.crosses::<N, V>(base + router, lane, out, now);
        });
        for ((input, here), crosses) in self.inputs.iter_mut().zip(here).zip(cross) {
            input.first &= !crosses;
            input.late = (input.late | here) & !crosses;
        }
    }

    /// The account of flits without credit, and of those that another channel passes over.
    #[inline(always)]
    fn waits(
        &mut self,
        base: usize,
        chunk: usize,
        links: &NetworkLinks,
        crossing: &Crossings<N, L>,
        heads: &mut Region<'_>,
    ) {
        for (lane, (output, &blocked)) in self.outputs.iter_mut().zip(&crossing.blocked).enumerate() {
            if V > 1 && crossing.passed_over[lane].any() {
                heads.events.account.lane_wait += crossing.passed_over[lane].count();
            }
            if !blocked.any() {
                continue;
            }
            let account = &mut heads.events.account;
            let [to_node, _] = links.of_nodes::<N, V, L, G>(lane, chunk);
            account.endpoint += (blocked & to_node).count();
            account.no_credit += (blocked & !to_node).count();
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
    fn release(
        &mut self,
        p: &Params,
        now: u64,
        base: usize,
        tails: &[Plane<L>; N],
        crossing: &Crossings<N, L>,
        heads: &mut Region<'_>,
    ) {
        let some = crossing.tails.iter().fold(Plane::NONE, |some, &tails| some | tails);
        if !some.any() {
            return;
        }
        let sequential = M > 0 && p.replication == Mode::Sequential;
        let contested = some & self.inputs.iter().fold(Plane::NONE, |some, input| some | input.asking);
        let asking: [_; N] = from_fn(|input| {
            self.inputs[input].asking & if sequential { !self.replication.holds_some(input) } else { Plane::ALL }
        });
        let wants = &self.wants;
        let releases = |heads: &mut Region<'_>, router: usize, input: usize, out: usize| {
            heads.releases::<N, V>(base + router, (input, out), now, |group| {
                if !contested.get(router) {
                    return 0;
                }
                let asks = |input: usize| asking[input].get(router) && wants[input][group].get(router);
                (0..N).fold(0, |all, input| all | u64::from(asks(input)) << input)
            });
        };
        let done: [_; N] = from_fn(|lane| crossing.popped[lane] & tails[lane]);
        for input in 0..M {
            for lane in (0..N).filter(|&lane| turns::<N, V, G>(input, lane)) {
                let from = crossing.tails[lane] & self.replication.lanes[input][lane];
                if !from.any() {
                    continue;
                }
                from.each(|router| releases(heads, router, input, lane));
                self.replication.lanes[input][lane] &= !from;
                if sequential {
                    // The next branch asks from the next cycle on.
                    from.each(|router| heads.input_mut((base + router) * N + input).asked = now as u32);
                }
            }
        }
        if M == 0 {
            each_of(&done, |input, router| {
                let out = heads.input((base + router) * N + input).service.out();
                releases(heads, router, input, out);
            });
        }
        for ((input, wants), &done) in self.inputs.iter_mut().zip(&mut self.wants).zip(&done) {
            if L == 1 || done.any() {
                input.active &= !done;
                for wants in wants {
                    *wants &= !done;
                }
            }
        }
        for (output, &tails) in self.outputs.iter_mut().zip(&crossing.tails) {
            output.allocator.free |= tails;
        }
    }
}
