//! Links: the planes that routers and nodes send in a cycle, for as long as the longest delay.
//!
//! The planes of all chunks follow each other, so that a link of the mesh is a shift. Flits from
//! the lower neighbour of dimension d are the flits that all routers sent towards + before. The
//! distance of neighbours in that dimension is the length of the shift. Credits are the shift
//! back. Nothing crosses the edge of the mesh, since no router sends beyond it. In a torus,
//! routers at the end of a dimension need a second shift in the other direction. A mask joins the
//! two shifts (docs/reference/timing.md, R3.2, R3.3, R10.1 to R10.3).

use std::ops::Range;

use super::grid::{DIMENSIONS, Grid};
use super::plane::Plane;
use super::wired::{WiredEdge, WiredLinks};
use crate::shape::Delays;

/// All planes that were sent, by cycle, by kind, by router.
#[derive(Clone, Debug)]
pub(super) struct GridLinks {
    /// Lanes of a router, of inputs or of outputs, and those of them that are a link's.
    lanes: usize,
    channels: usize,
    /// Of neighbours in each dimension, the difference of their numbers.
    pub strides: [usize; DIMENSIONS],
    /// In a torus, the same of the routers at both ends of a dimension.
    pub around: Option<[usize; DIMENSIONS]>,
    delays: [usize; 5],
    /// Cycles that are kept: more than every delay.
    pub slots: usize,
    /// Words of a kind in a cycle, with those at its ends that stay 0.
    words: usize,
    margin: usize,
    bits: Vec<u64>,
    /// In a torus, two masks for each port: routers whose port leads straight on, and routers whose
    /// port leads around. Words are in the order of a kind.
    ends: Vec<u64>,
}

/// The links of a network.
#[derive(Clone, Debug)]
pub(super) enum NetworkLinks {
    Grid(GridLinks),
    Wired(WiredLinks),
}

/// Begins of the planes of this cycle, and of the cycles whose flits and credits arrive in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Edge {
    wired: WiredEdge,
    flit: usize,
    credit: usize,
    injected: usize,
    inject_credit: usize,
    consume_credit: usize,
    now: usize,
}

impl NetworkLinks {
    /// Cycles that are kept: more than every delay.
    pub fn slots(&self) -> usize {
        match self {
            Self::Grid(links) => links.slots,
            Self::Wired(links) => links.slots,
        }
    }

    /// The grid, if it has an end in each dimension.
    pub fn mesh(&self) -> Option<&GridLinks> {
        match self {
            Self::Grid(links) if links.around.is_none() => Some(links),
            Self::Grid(_) | Self::Wired(_) => None,
        }
    }

    /// Hands over what the routers of some words of a mesh have sent in the cycles that are kept.
    pub fn hand(&self, to: &mut Self, words: Range<usize>) {
        if let (Self::Grid(from), Self::Grid(to)) = (self, to) {
            for kind in 0..from.slots * GridLinks::kinds(from.lanes, from.channels) {
                let first = from.place(0, kind);
                let of = first + words.start..first + words.end;
                to.bits[of.clone()].copy_from_slice(&from.bits[of]);
            }
        }
    }

    /// The places of cycle `now`.
    pub fn edge(&self, now: u64) -> Edge {
        match self {
            Self::Grid(links) => links.edge(now),
            Self::Wired(links) => Edge { wired: links.edge(now), ..Edge::default() },
        }
    }

    /// Flits that arrive at an input lane of a chunk. The second plane has the credits that come
    /// home to the output lane of the same number.
    #[inline(always)]
    pub fn arrivals<const N: usize, const V: usize, const L: usize>(
        &mut self,
        edge: &Edge,
        lane: usize,
        chunk: usize,
    ) -> [Plane<L>; 2] {
        match self {
            Self::Grid(links) => links.arrivals::<N, V, L>(edge, lane, chunk),
            Self::Wired(links) => [lane, N + lane].map(|kind| links.take(&edge.wired, kind, chunk)),
        }
    }

    /// Credits that come home to an injection channel.
    #[inline(always)]
    pub fn inject_credits<const N: usize, const L: usize>(
        &mut self,
        edge: &Edge,
        channel: usize,
        chunk: usize,
    ) -> Plane<L> {
        match self {
            Self::Grid(links) => links.inject_credits(edge, channel, chunk),
            Self::Wired(links) => links.take(&edge.wired, 2 * N, chunk),
        }
    }

    /// Sends the flits and credits of a chunk: flits by output, pops by input, flits of the nodes.
    #[inline(always)]
    pub fn send<const N: usize, const V: usize, const L: usize>(
        &mut self,
        edge: &Edge,
        chunk: usize,
        planes: [&[Plane<L>; N]; 2],
        injected: &[Plane<L>; V],
    ) {
        match self {
            Self::Grid(links) => links.send::<N, V, L>(edge, chunk, planes, injected),
            Self::Wired(links) => links.send(&edge.wired, chunk, planes, injected[0]),
        }
    }

    /// The routers of a chunk where an output lane leads to a node. The second plane has those
    /// where the input lane of the same number comes from one.
    #[inline(always)]
    pub fn of_nodes<const N: usize, const V: usize, const L: usize, const G: bool>(
        &self,
        lane: usize,
        chunk: usize,
    ) -> [Plane<L>; 2] {
        match self {
            Self::Wired(links) if !G => [links.to_node(lane, chunk), links.fed_by_node(lane, chunk)],
            _ => [if lane >= N - V { Plane::ALL } else { Plane::NONE }; 2],
        }
    }
}

impl GridLinks {
    /// Silent links of the routers of a grid in chunks of `width` words. Cycles are kept as long as
    /// the delays reach, and `least` at least.
    pub fn new(grid: &Grid, delays: &Delays, least: usize, width: usize) -> Self {
        let Delays { flit, credit, inject, inject_credit, consume_credit, consume: _ } = *delays;
        let delays = [flit, credit, inject, inject_credit, consume_credit].map(|cycles| cycles as usize);
        let longest = grid.strides.into_iter().fold(0, usize::max);
        let margin = (longest / 64 + 2 + width).next_multiple_of(8);
        let slots = delays.into_iter().fold(least, usize::max) + 1;
        let words = grid.routers().div_ceil(64 * width) * width + 2 * margin;
        let (lanes, channels) = (grid.lanes(), grid.channels);
        let bits = vec![0; slots * Self::kinds(lanes, channels) * words];
        let around = grid.wraps.then(|| std::array::from_fn(|d| grid.strides[d] * (usize::from(grid.radices[d]) - 1)));
        let mut ends = vec![0; if grid.wraps { 2 * grid.ports * words } else { 0 }];
        for router in (0..grid.routers()).filter(|_| grid.wraps) {
            for port in 0..grid.ports - 1 {
                let kind = 2 * port + usize::from(grid.leads_around(router, port));
                ends[kind * words + margin + router / 64] |= 1 << (router % 64);
            }
        }
        Self { lanes, channels, strides: grid.strides, around, delays, slots, words, margin, bits, ends }
    }

    /// Planes of a cycle.
    fn kinds(lanes: usize, channels: usize) -> usize {
        2 * lanes + channels
    }

    /// Lanes between routers.
    fn between(&self) -> usize {
        self.lanes - self.channels
    }

    /// Flits through output `lane` towards a router.
    fn flits(lane: usize) -> usize {
        lane
    }

    /// Flits that left the FIFO of input `lane`.
    fn pops(&self, lane: usize) -> usize {
        self.between() + lane
    }

    /// Flits towards the node, in a channel.
    fn to_node(&self, channel: usize) -> usize {
        self.between() + self.lanes + channel
    }

    /// Flits from the node, in a channel.
    fn node_flits(&self, channel: usize) -> usize {
        self.to_node(channel) + self.channels
    }

    /// The lane at the other end of the link of a lane.
    fn opposite(&self, lane: usize) -> usize {
        ((lane / self.channels) ^ 1) * self.channels + lane % self.channels
    }

    /// The channel of a lane from or to the node.
    fn of_node(&self, lane: usize) -> Option<usize> {
        lane.checked_sub(self.between())
    }

    /// The begin of the planes of a kept cycle.
    fn base(&self, cycle: u64) -> usize {
        (cycle % self.slots as u64) as usize * Self::kinds(self.lanes, self.channels) * self.words
    }

    /// The begins of the planes of cycle `now`, and of those before whose flits and credits arrive.
    pub fn edge(&self, now: u64) -> Edge {
        let slot = (now % self.slots as u64) as usize;
        let words = Self::kinds(self.lanes, self.channels) * self.words;
        let before = |delay: usize| (if slot < delay { slot + self.slots } else { slot } - delay) * words;
        let [flit, credit, injected, inject_credit, consume_credit] = self.delays.map(before);
        Edge { wired: WiredEdge::default(), flit, credit, injected, inject_credit, consume_credit, now: slot * words }
    }

    #[inline(always)]
    fn place(&self, base: usize, kind: usize) -> usize {
        base + kind * self.words + self.margin
    }

    #[inline(always)]
    fn load<const L: usize>(&self, at: usize) -> Plane<L> {
        let mut plane = Plane::NONE;
        plane.0.copy_from_slice(&self.bits[at..at + L]);
        plane
    }

    /// For each router, the bit of the router `by` numbers below it. `at` is the place of the chunk
    /// in the plane.
    #[inline(always)]
    fn below<const L: usize>(&self, at: usize, by: usize) -> Plane<L> {
        let (words, bits) = (by / 64, by % 64);
        let mut plane = self.load::<L>(at - words);
        if bits != 0 {
            let under = self.load::<L>(at - words - 1);
            for j in 0..L {
                plane.0[j] = plane.0[j] << bits | under.0[j] >> (64 - bits);
            }
        }
        plane
    }

    /// For each router, the bit of the router `by` numbers above it.
    #[inline(always)]
    fn above<const L: usize>(&self, at: usize, by: usize) -> Plane<L> {
        let (words, bits) = (by / 64, by % 64);
        let mut plane = self.load::<L>(at + words);
        if bits != 0 {
            let over = self.load::<L>(at + words + 1);
            for j in 0..L {
                plane.0[j] = plane.0[j] >> bits | over.0[j] << (64 - bits);
            }
        }
        plane
    }

    /// Planes of the neighbours after `port`. `places` are the beginnings of these planes, and the
    /// neighbours number them by their own port.
    #[inline(always)]
    fn neighbour<const L: usize>(&self, places: [usize; 2], port: usize, chunk: usize) -> [Plane<L>; 2] {
        let (d, is_up) = (port / 2, port.is_multiple_of(2));
        let by = self.strides[d];
        let straight = places.map(|at| if is_up { self.above(at, by) } else { self.below(at, by) });
        let Some(around) = self.around else { return straight };
        let [on, ends] = [2 * port, 2 * port + 1].map(|kind| {
            let first = kind * self.words + self.margin + chunk * L;
            Plane::<L>(std::array::from_fn(|j| self.ends[first + j]))
        });
        let straight = straight.map(|plane| plane & on);
        if !ends.any() {
            return straight;
        }
        let by = around[d];
        let others = places.map(|at| if is_up { self.below(at, by) } else { self.above(at, by) });
        std::array::from_fn(|k| straight[k] | others[k] & ends)
    }

    /// Flits that arrive at an input lane of a chunk. The second plane has the credits that come
    /// home to the output lane of the same number.
    #[inline(always)]
    pub fn arrivals<const N: usize, const V: usize, const L: usize>(
        &self,
        edge: &Edge,
        lane: usize,
        chunk: usize,
    ) -> [Plane<L>; 2] {
        let place = |base, kind| self.place(base, kind) + chunk * L;
        if lane >= N - V {
            let c = lane - (N - V);
            let places = [(edge.injected, self.node_flits(c)), (edge.consume_credit, self.to_node(c))];
            return places.map(|(base, kind)| self.load(place(base, kind)));
        }
        let from = ((lane / V) ^ 1) * V + lane % V;
        let places = [(edge.flit, Self::flits(from)), (edge.credit, self.pops(from))];
        self.neighbour(places.map(|(base, kind)| place(base, kind)), lane / V, chunk)
    }

    /// Credits that come home to an injection channel.
    #[inline(always)]
    pub fn inject_credits<const L: usize>(&self, edge: &Edge, channel: usize, chunk: usize) -> Plane<L> {
        self.load(self.place(edge.inject_credit, self.pops(self.between() + channel)) + chunk * L)
    }

    /// Keeps the values that a chunk sends: flits by output, pops by input, flits of the nodes.
    #[inline(always)]
    pub fn send<const N: usize, const V: usize, const L: usize>(
        &mut self,
        edge: &Edge,
        chunk: usize,
        [crossed, popped]: [&[Plane<L>; N]; 2],
        injected: &[Plane<L>; V],
    ) {
        let (words, first) = (self.words, edge.now + self.margin + chunk * L);
        let mut put = |kind: usize, plane: Plane<L>| {
            let at = first + kind * words;
            self.bits[at..at + L].copy_from_slice(&plane.0);
        };
        let between = N - V;
        for (lane, &flits) in crossed.iter().enumerate().take(between) {
            put(lane, flits);
        }
        for (lane, &popped) in popped.iter().enumerate() {
            put(between + lane, popped);
        }
        for channel in 0..V {
            put(between + N + channel, crossed[between + channel]);
            put(between + N + V + channel, injected[channel]);
        }
    }

    fn bit(&self, kind: usize, cycle: u64, router: usize) -> bool {
        self.bits[self.place(self.base(cycle), kind) + router / 64] >> (router % 64) & 1 != 0
    }

    /// Flits on their way into an input lane at the start of cycle `now`. The first number has
    /// those that arrive in `now`, and the second has the others.
    pub fn under_way(&self, grid: &Grid, now: u64, router: usize, lane: usize) -> [u32; 2] {
        let (from, kind, delay) = if let Some(channel) = self.of_node(lane) {
            (Some(router), self.node_flits(channel), self.delays[2] as u64)
        } else {
            let from = grid.before(router, lane / self.channels);
            (from, Self::flits(self.opposite(lane)), self.delays[0] as u64)
        };
        let sent = |ago: u64| {
            let cycle = now.checked_sub(ago).zip(from);
            u32::from(cycle.is_some_and(|(cycle, from)| self.bit(kind, cycle, from)))
        };
        [sent(delay), (1..delay).map(sent).sum()]
    }

    /// Whether a credit comes home to an output lane of a router in cycle `now`.
    pub fn credit_of(&self, grid: &Grid, now: u64, router: usize, lane: usize) -> bool {
        let (from, kind, delay) = if let Some(channel) = self.of_node(lane) {
            (Some(router), self.to_node(channel), self.delays[4])
        } else {
            (grid.before(router, lane / self.channels), self.pops(self.opposite(lane)), self.delays[1])
        };
        now.checked_sub(delay as u64).zip(from).is_some_and(|(cycle, from)| self.bit(kind, cycle, from))
    }

    /// Whether a credit comes home to an injection channel of a router's node in cycle `now`.
    pub fn inject_credit_of(&self, now: u64, router: usize, channel: usize) -> bool {
        let kind = self.pops(self.between() + channel);
        now.checked_sub(self.delays[3] as u64).is_some_and(|cycle| self.bit(kind, cycle, router))
    }

    /// Flits that a router sent through a lane to its node in the last `cycles` cycles before
    /// `now`.
    pub fn sent_to_node(&self, now: u64, router: usize, lane: usize, cycles: u32) -> u64 {
        let Some(channel) = self.of_node(lane) else { return 0 };
        let sent = (1..=u64::from(cycles)).filter_map(|ago| now.checked_sub(ago));
        sent.map(|cycle| u64::from(self.bit(self.to_node(channel), cycle, router))).sum()
    }
}
