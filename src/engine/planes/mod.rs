//! The engine of bit planes: one bit a router, 64 routers and more in a few operations.
//!
//! *Problem.* In a loaded mesh every router moves a flit or two in every cycle. The banked engine
//! ([`super::banked`]) looks at each of them, and in a large network most of its time goes into
//! fetching their registers from memory.
//!
//! *Mechanism.* A *plane* is a vector of bits over routers for one fact at one lane: "input 1 is
//! occupied", "its worm wants output 2", "output 2 is free", "bit 0 of its credits". A *chunk* is
//! 64 L routers, and its planes are L words wide. The equation of a block stands once, over planes.
//! A cycle of a chunk is some 500 operations on words, and some 1,500 with two virtual channels.
//! Counters are adders cut into bits, and the pointer of an arbiter is a row of planes. A link
//! shifts a plane, and its credits are the shift back. In a torus a mask joins two shifts. FIFOs
//! keep a count, and each lane counts the flits of the worm in service down. The engine looks only
//! at heads and tails one by one. A head carries the worm's number, its length and its destination,
//! and a tail ends a worm's stay at a lane. The engine counts flits worm by worm, when a tail has
//! passed.
//!
//! *Large networks.* The memory of a router is some 30 bytes of planes, and a record of 32 bytes
//! for each lane. A lane names its worms by their slots, so a record does not grow with the FIFO of
//! a lane. A mesh beyond the cache has several cycles under way ([`mod@sweep`]). Before the first,
//! a chunk reads the records of its lanes in one stretch. So memory sends them in its own order,
//! and no event waits for a line. Several [`threads`](mod@threads) share such a mesh.
//!
//! *Why it is sound.* A link has a register, so a chunk reads what others sent in earlier cycles,
//! and the order of chunks makes no difference. Within a chunk routers share nothing. The engine
//! skips a chunk that is empty and has no flit and no credit on its way to it, since no register
//! changes there. Dimension order cannot deadlock on a mesh, nor on a torus with datelines. So
//! there is no search for deadlocks of their unicasts. A test compares all registers with those of
//! the plain engine in every cycle.
//!
//! *Trees.* Worms that go to several nodes need two bits for each pair of an input and an output.
//! One says that a branch owns the lane. The other says that it has the front flit. The
//! [`replication`] unit has them. It exists only in networks with such worms. Trees can deadlock,
//! so there is a [`snapshot`] for the search.
//!
//! *Other networks.* A multistage network, or a graph from a file, has tables in place of
//! coordinates. Its flits go one by one from plane to plane ([`wired`]). So it has unicasts only,
//! and gains less.
//!
//! *Cost.* It covers the networks of [`covers()`], and unicasts and trees only. Observers see no
//! single flits, so the banked engine runs for waveforms. Checkers see whole planes ([`sampler`]).
//! The index of a flit is counted when the registers are read. The equations of the blocks are
//! written a second time.

mod allocator;
mod chunk;
mod commit;
mod countdown;
mod counter;
mod covers;
mod credit;
mod crossbar;
mod decoder;
mod fifo;
mod grid;
mod heads;
mod injector;
mod lane;
mod links;
mod multiplexer;
mod plane;
mod probe;
mod region;
mod replication;
mod sample;
mod sampler;
mod snapshot;
mod span;
mod standing;
mod sweep;
mod threads;
mod trees;
mod wired;
mod worms;

use std::collections::VecDeque;

use rayon::{ThreadPool, ThreadPoolBuilder};
use wormscope_hw::{Encoding, HeaderTiming, WormId};
use wormscope_network::{Built, Topology};

use crate::event::{NewWorm, Observer};
use crate::shape::{Delays, Shape};

use chunk::{Params, Pulse};
use grid::Grid;
use heads::Heads;
use links::{GridLinks, NetworkLinks};
use region::RegionEvents;
use sweep::{Chunks, ONE_BY_ONE, Routers};
use trees::PortReach;
use wired::{Wired, WiredLinks};

pub use covers::{covers, covers_worms};
pub use threads::threads;

/// A network and its state.
#[derive(Debug)]
pub struct Planes {
    shape: Shape,
    params: Params,
    sweep: Box<dyn Chunks>,
    links: NetworkLinks,
    /// Whether worms can deadlock: trees, and networks that are no grid.
    can_deadlock: bool,
    heads: Heads,
    now: u64,
    /// In the cycle evaluated last some register changed that is not a counter.
    changed: bool,
    /// Whether something arrives, by cycle, as far as links keep them.
    arrivals: Vec<bool>,
    /// Whether a routing decision of several cycles ends, by cycle.
    decisions: Vec<bool>,
    evaluations: u64,
    /// Links of the other threads.
    others: Vec<NetworkLinks>,
    team: Option<ThreadPool>,
}

/// A chunk has 64 routers, 256, or `W` words of them.
fn width(routers: usize, most: usize) -> usize {
    match routers {
        0..=64 => 1,
        65..=256 => 4,
        _ => most,
    }
}

/// Chunks as wide as the network needs, of `W` words at most.
fn sweep<const N: usize, const V: usize, const W: usize, const B: usize, const M: usize, const G: bool>(
    p: &Params,
    (grid, delays): (&Grid, &Delays),
) -> (Box<dyn Chunks>, NetworkLinks) {
    let routers = grid.routers().max(grid.nodes());
    let (width, least) = (width(routers, W), p.routing_cycles);
    let links = match &grid.wired {
        Some(wired) => NetworkLinks::Wired(WiredLinks::new(wired, N, *delays, least, width)),
        None => NetworkLinks::Grid(GridLinks::new(grid, delays, least, width)),
    };
    let chunks: Box<dyn Chunks> = match width {
        1 => Box::new(Routers::<N, V, 1, B, M, G>::reset(p, routers, &links)),
        4 => Box::new(Routers::<N, V, 4, B, M, G>::reset(p, routers, &links)),
        _ => Box::new(Routers::<N, V, W, B, M, G>::reset(p, routers, &links)),
    };
    (chunks, links)
}

impl Planes {
    /// An empty network; `None` where planes do not cover it. `trees` says whether worms go to
    /// several nodes.
    #[must_use]
    pub fn new(built: &Built, trees: bool) -> Option<Self> {
        covers(built.network(), trees).ok()?;
        let mut shape = Shape::new(built, trees);
        let timing = if shape.switch.decoder.overlapped { HeaderTiming::Overlapped } else { HeaderTiming::Store };
        let needs = Encoding::ALL.map(|enc| {
            let part = u32::from(shape.switch.decoder.part_flits[enc as usize]);
            covers::header(timing, part * enc.header().decision_parts(2))
        });
        let params = Params {
            routing_cycles: shape.switch.decoder.routing_cycles as usize,
            header: needs[Encoding::Unicast as usize],
            replication: shape.switch.replication,
            allocation_register: shape.switch.allocation_register,
            fifo_depth: shape.fifo_depth.into(),
            injection_depth: shape.node.injection_depth.into(),
            consumption_depth: shape.node.consumption_depth.into(),
        };
        let (channels, classes) = (shape.virtual_channels.into(), shape.classes.into());
        let wraps = matches!(built.network().topology, Topology::Torus { .. });
        let grid = if let Some(radices) = covers::radices(built.network()) {
            Grid::new(radices, wraps, channels, classes)
        } else {
            let ports = usize::from(shape.ports).next_power_of_two().max(4);
            Grid::wired(Wired::new(&shape, ports)?, ports)
        };
        let deepest = params.fifo_depth.max(params.injection_depth);
        let shallow = deepest <= 7 && params.consumption_depth <= 7;
        let of = (&grid, &shape.delays);
        let (sweep, links) = match (grid.ports, channels, shallow, trees) {
            (4, ..) => sweep::<4, 1, 4, 5, 0, false>(&params, of),
            (8, ..) => sweep::<8, 1, 4, 5, 0, false>(&params, of),
            (3, 1, _, false) => sweep::<3, 1, 8, 5, 0, true>(&params, of),
            (5, 1, true, false) => sweep::<5, 1, 8, 3, 0, true>(&params, of),
            (5, 1, false, false) => sweep::<5, 1, 8, 5, 0, true>(&params, of),
            (_, 1, _, false) => sweep::<7, 1, 8, 5, 0, true>(&params, of),
            (3, _, _, false) => sweep::<6, 2, 4, 5, 0, true>(&params, of),
            (5, _, true, false) => sweep::<10, 2, 4, 3, 0, true>(&params, of),
            (5, _, false, false) => sweep::<10, 2, 4, 5, 0, true>(&params, of),
            (_, _, _, false) => sweep::<14, 2, 4, 5, 0, true>(&params, of),
            (3, 1, _, true) => sweep::<3, 1, 4, 5, 3, true>(&params, of),
            (5, 1, _, true) => sweep::<5, 1, 4, 5, 5, true>(&params, of),
            (_, 1, _, true) => sweep::<7, 1, 4, 5, 7, true>(&params, of),
            (3, _, _, true) => sweep::<6, 2, 4, 5, 6, true>(&params, of),
            (_, _, _, true) => sweep::<10, 2, 4, 5, 10, true>(&params, of),
        };
        let can_deadlock = trees || grid.wired.is_some();
        let reach = trees.then(|| PortReach::new(std::mem::take(&mut shape.reach), shape.nodes as usize));
        let cycles = (shape.delays.consume, params.allocation_register.into());
        let needs = needs.map(|flits| flits.min(u8::MAX.into()) as u8);
        let heads = Heads::new(grid, deepest, cycles, (reach, needs));
        let quiet = vec![false; links.slots()];
        Some(Self {
            sweep,
            heads,
            now: 0,
            changed: false,
            arrivals: quiet.clone(),
            decisions: quiet,
            evaluations: 0,
            others: Vec::new(),
            team: None,
            links,
            can_deadlock,
            params,
            shape,
        })
    }

    /// The cycle that is evaluated next.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Creates a worm at its source in the cycle that is evaluated next.
    pub fn create<O: Observer>(&mut self, worm: &NewWorm, measured: bool, observer: &mut O) {
        let info = self.shape.info(WormId(self.heads.worms.created), worm, measured);
        debug_assert!(self.heads.reach.is_some() || info.encoding == Encoding::Unicast);
        observer.created(&info);
        let node = info.source.index();
        self.heads.create(info);
        self.sweep.queue(node, self.now);
    }

    /// Hands out the worms that arrive in the cycle that is evaluated next, once. Otherwise
    /// [`Planes::cycle`] does so.
    pub fn deliver<O: Observer>(&mut self, observer: &mut O) {
        self.heads.worms.deliver(self.now, |worm, delivery| observer.delivered(worm, delivery));
    }

    /// Evaluates one cycle.
    pub fn cycle<O: Observer>(&mut self, observer: &mut O) {
        self.deliver(observer);
        self.heads.events.tells_crossings = O::CROSSINGS;
        let is_sampled = O::COMMITS && observer.wants_commits();
        if O::COMMITS {
            self.turn_sampler(is_sampled);
        }
        self.evaluate();
        if is_sampled {
            self.commit(observer);
        }
        self.tell_tails(observer);
        self.now += 1;
    }

    /// Cycles that [`Planes::advance`] does best at a time. A network that fits in the cache takes
    /// them one by one. A torus does so too, since its links lead around, and so do trees.
    #[must_use]
    pub fn stretch(&self) -> u64 {
        let fits = self.routers() <= ONE_BY_ONE;
        if fits || self.links.mesh().is_none() || self.heads.reach.is_some() {
            1
        } else {
            threads::cycles(1 + self.others.len())
        }
    }

    /// Evaluates cycles of a large mesh in as many threads as [`threads()`] says, or in one if the
    /// system has no more.
    pub fn use_threads(&mut self, threads: usize) {
        self.team = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build()).and_then(Result::ok);
        self.others = vec![self.links.clone(); if self.team.is_some() { threads - 1 } else { 0 }];
    }

    /// Evaluates all cycles before cycle `to`. `worms` are the new worms of these cycles in order
    /// of their cycles, and whether they are measured. The observer hears all in the order in which
    /// [`Planes::create`] and [`Planes::cycle`] tell it.
    pub fn advance<O: Observer>(&mut self, to: u64, worms: &[(NewWorm, bool)], observer: &mut O) {
        let mut created = VecDeque::with_capacity(worms.len());
        for (worm, measured) in worms {
            let info = self.shape.info(WormId(self.heads.worms.created), worm, *measured);
            self.sweep.queue_later(info.source.index(), worm.cycle);
            created.push_back((worm.cycle, self.heads.create(info)));
        }
        self.heads.events.tells_crossings = O::CROSSINGS;
        let mut pulses = vec![Pulse::default(); (to - self.now) as usize];
        let Self { sweep, params, now, links, others, heads, .. } = self;
        let mut work = || sweep.cycles(params, *now, (links, others), heads, &mut pulses);
        match &self.team {
            Some(team) => team.install(work),
            None => work(),
        }
        self.heads.worms.arriving.make_contiguous().sort_unstable();
        self.heads.events.departed.sort_by_key(|&(cycle, _)| cycle);
        self.heads.events.crossings.sort_by_key(|&(cycle, ..)| cycle);
        for pulse in pulses {
            while let Some(&(_, worm)) = created.front().filter(|(cycle, _)| *cycle <= self.now) {
                created.pop_front();
                observer.created(&self.heads.worms.get(worm).info);
            }
            self.deliver(observer);
            self.mark(pulse);
            self.tell_tails(observer);
            self.now += 1;
        }
    }

    /// Tells an observer of the worms whose tail left its source, or crossed an output lane, in the
    /// cycle evaluated last.
    fn tell_tails<O: Observer>(&mut self, observer: &mut O) {
        let Heads { events: RegionEvents { departed, crossings, .. }, worms, grid, .. } = &mut self.heads;
        let until = departed.iter().take_while(|(at, _)| *at == self.now).count();
        for (_, worm) in departed.drain(..until) {
            if O::DEPARTURES {
                observer.departed(&worms.get(worm).info, self.now);
            }
        }
        let until = crossings.iter().take_while(|(at, ..)| *at == self.now).count();
        for (_, lane, worm) in crossings.drain(..until) {
            let (lane, flits) = (grid.lane_ref(lane as usize), worms.carried(worm).flits);
            observer.crossed(&worms.get(worm).info, lane, flits);
        }
    }

    /// Tells an observer of the worms that have crossed an output lane in part.
    pub fn tell_crossings<O: Observer>(&self, observer: &mut O) {
        for router in 0..self.routers() {
            let of = self.router(router);
            for (out, flits, worm) in self.partly(&of, router).filter(|&(_, flits, _)| flits > 0) {
                let lane = self.heads.grid.lane_ref(router * self.lanes() + out);
                observer.crossed(&self.heads.worms.get(worm).info, lane, flits as u32);
            }
        }
    }

    fn evaluate(&mut self) {
        let mut pulse = [Pulse::default()];
        self.sweep.cycles(&self.params, self.now, (&mut self.links, &mut []), &mut self.heads, &mut pulse);
        self.mark(pulse[0]);
    }

    /// Marks the cycles in which the effects of the present one arrive.
    fn mark(&mut self, pulse: Pulse) {
        let (now, slots) = (self.slot(0), self.arrivals.len());
        let after = |delay: usize| if now + delay < slots { now + delay } else { now + delay - slots };
        (self.arrivals[now], self.decisions[now]) = (false, false);
        let d = self.shape.delays;
        for (sent, delay) in [
            (pulse.flits, d.flit),
            (pulse.credits, d.credit),
            (pulse.to_nodes, d.consume_credit),
            (pulse.injected, d.inject),
            (pulse.inject_credits, d.inject_credit),
            (pulse.to_nodes && self.heads.is_sampled(), d.consume),
        ] {
            if sent {
                self.arrivals[after(delay as usize)] = true;
            }
        }
        if pulse.ready && self.params.routing_cycles > 1 {
            self.decisions[after(self.params.routing_cycles)] = true;
        }
        self.changed = pulse.changed;
        self.evaluations += pulse.evaluated;
    }

    /// The place of the marks for the cycle `ahead` of the next one.
    fn slot(&self, ahead: u64) -> usize {
        ((self.now + ahead) % self.links.slots() as u64) as usize
    }

    /// Cycles from the next one on to the first that is marked.
    fn next(&self, marks: &[bool]) -> Option<u64> {
        let ahead = (0..self.links.slots() as u64).find(|&ahead| marks[self.slot(ahead)]);
        ahead.map(|ahead| self.now + ahead)
    }

    /// The next cycle in which something can happen without a new message; `None` when the network
    /// is silent.
    #[must_use]
    pub fn next_event(&self) -> Option<u64> {
        if self.is_awake() {
            return Some(self.now);
        }
        let next = [self.next(&self.arrivals), self.next(&self.decisions), self.heads.worms.next_arrival()];
        next.into_iter().flatten().min()
    }

    /// Whether nothing moves in the network any more unless a new worm enters it.
    #[must_use]
    pub fn stands_still(&self) -> bool {
        self.next_event().is_none()
    }

    /// Whether something changes in the cycle that is evaluated next.
    #[must_use]
    pub fn is_awake(&self) -> bool {
        self.changed || self.arrivals[self.slot(0)]
    }

    /// Lets time pass up to `cycle`, before which nothing happens. Waits and decisions under way
    /// still grow older.
    pub fn skip_to(&mut self, cycle: u64) {
        self.turn_sampler(false);
        while self.now < cycle && !self.sweep.is_idle(self.now) {
            self.evaluate();
            self.now += 1;
        }
        self.now = self.now.max(cycle);
    }

    /// Worms created and not arrived.
    #[must_use]
    pub fn worms_alive(&self) -> u32 {
        self.heads.worms.alive
    }

    /// Worms whose first flit has left its source and that have not arrived.
    #[must_use]
    pub fn worms_in_network(&self) -> u32 {
        self.heads.worms.in_network
    }

    /// Measured worms that have not arrived.
    #[must_use]
    pub fn measured_alive(&self) -> u32 {
        self.heads.worms.measured
    }
}
