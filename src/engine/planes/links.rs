//! Links: what routers and nodes send in a cycle, kept as long as the longest delay.
//!
//! The planes of all chunks follow each other, so that a link of the mesh is a shift: the flits
//! that arrive from the - neighbour of dimension d are what all sent towards + before, shifted up
//! by the distance of neighbours in that dimension. Credits are the shift back. Nothing crosses the
//! edge of the mesh, since no router sends beyond it (docs/reference/timing.md, R3.2, R3.3, R10.1
//! to R10.3).

use super::plane::Plane;
use crate::shape::Delays;

/// Dimensions at most.
pub(super) const DIMENSIONS: usize = 3;

/// What was sent, by cycle, by kind, by router.
#[derive(Clone, Debug)]
pub(super) struct MeshLinks {
    ports: usize,
    /// Of neighbours in each dimension, the difference of their numbers.
    pub strides: [usize; DIMENSIONS],
    delays: [usize; 5],
    /// Cycles that are kept: more than every delay.
    pub slots: usize,
    /// Words of a kind in a cycle, those at its ends that stay 0 included.
    words: usize,
    margin: usize,
    bits: Vec<u64>,
}

/// Where the planes of some cycles begin: those that flits and credits come from that arrive in
/// this one, and its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    flit: usize,
    credit: usize,
    injected: usize,
    inject_credit: usize,
    consume_credit: usize,
    now: usize,
}

impl MeshLinks {
    /// Silent links of routers with so many `ports` in chunks of `width` words. Cycles are kept as
    /// long as the delays reach, and `least` at least.
    pub fn new(
        ports: usize,
        strides: [usize; DIMENSIONS],
        delays: &Delays,
        least: usize,
        chunks: usize,
        width: usize,
    ) -> Self {
        let Delays { flit, credit, inject, inject_credit, consume_credit, consume: _ } = *delays;
        let delays = [flit, credit, inject, inject_credit, consume_credit].map(|cycles| cycles as usize);
        let longest = strides.into_iter().fold(0, usize::max);
        let margin = (longest / 64 + 2).next_multiple_of(8);
        let slots = delays.into_iter().fold(least, usize::max) + 1;
        let words = chunks * width + 2 * margin;
        let bits = vec![0; slots * Self::kinds(ports) * words];
        Self { ports, strides, delays, slots, words, margin, bits }
    }

    /// Planes of a cycle.
    fn kinds(ports: usize) -> usize {
        3 * ports + 1
    }

    /// Flits through output `port` towards a router.
    fn flits(port: usize) -> usize {
        port
    }

    /// Those among them that are tails.
    fn tails(&self, port: usize) -> usize {
        self.ports - 1 + port
    }

    /// Flits that left the FIFO of input `port`.
    fn pops(&self, port: usize) -> usize {
        2 * (self.ports - 1) + port
    }

    /// Flits towards the node.
    fn to_node(&self) -> usize {
        3 * self.ports - 2
    }

    /// Flits from the node.
    fn node_flits(&self) -> usize {
        3 * self.ports - 1
    }

    /// Those among them that are tails.
    fn node_tails(&self) -> usize {
        3 * self.ports
    }

    /// Where the planes of a cycle that is kept begin.
    fn base(&self, cycle: u64) -> usize {
        (cycle % self.slots as u64) as usize * Self::kinds(self.ports) * self.words
    }

    /// Where the planes of cycle `now` begin, and of those before whose flits and credits arrive.
    pub fn edge(&self, now: u64) -> Edge {
        let before = |delay: usize| self.base(now + (self.slots - delay) as u64);
        let [flit, credit, injected, inject_credit, consume_credit] = self.delays.map(before);
        Edge { flit, credit, injected, inject_credit, consume_credit, now: self.base(now) }
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

    /// For each router the bit of the one `by` numbers below, of the plane whose chunk is at `at`.
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

    /// For each router the bit of the one `by` numbers above.
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

    /// What the neighbour behind `port` sent of `kind`, which it numbers by its own port.
    #[inline(always)]
    fn neighbour<const L: usize>(&self, base: usize, kind: usize, port: usize, chunk: usize) -> Plane<L> {
        let (at, by) = (self.place(base, kind) + chunk * L, self.strides[port / 2]);
        if port.is_multiple_of(2) { self.above(at, by) } else { self.below(at, by) }
    }

    /// Flits that arrive at input `port` of the routers of a chunk, and the tails among them.
    #[inline(always)]
    pub fn arrivals<const P: usize, const L: usize>(&self, edge: &Edge, port: usize, chunk: usize) -> [Plane<L>; 2] {
        if port + 1 == P {
            let of_node = |kind| self.load(self.place(edge.injected, kind) + chunk * L);
            return [of_node(self.node_flits()), of_node(self.node_tails())];
        }
        let from = port ^ 1;
        [Self::flits(from), self.tails(from)].map(|kind| self.neighbour(edge.flit, kind, port, chunk))
    }

    /// Credits that come home to output `port`.
    #[inline(always)]
    pub fn credits<const P: usize, const L: usize>(&self, edge: &Edge, port: usize, chunk: usize) -> Plane<L> {
        if port + 1 == P {
            return self.load(self.place(edge.consume_credit, self.to_node()) + chunk * L);
        }
        self.neighbour(edge.credit, self.pops(port ^ 1), port, chunk)
    }

    /// Credits that come home to the injection channels.
    #[inline(always)]
    pub fn inject_credits<const P: usize, const L: usize>(&self, edge: &Edge, chunk: usize) -> Plane<L> {
        self.load(self.place(edge.inject_credit, self.pops(P - 1)) + chunk * L)
    }

    /// What a chunk sends: flits and tails by output, pops by input, flits and tails of the nodes.
    #[inline(always)]
    pub fn send<const P: usize, const L: usize>(
        &mut self,
        edge: &Edge,
        chunk: usize,
        crossed: [&[Plane<L>; P]; 2],
        popped: &[Plane<L>; P],
        injected: [Plane<L>; 2],
    ) {
        let mut put = |kind: usize, plane: Plane<L>| {
            let at = edge.now + kind * self.words + self.margin + chunk * L;
            self.bits[at..at + L].copy_from_slice(&plane.0);
        };
        for (port, (&flits, &tails)) in crossed[0].iter().zip(crossed[1]).enumerate().take(P - 1) {
            put(port, flits);
            put(P - 1 + port, tails);
        }
        for (port, &plane) in popped.iter().enumerate() {
            put(2 * (P - 1) + port, plane);
        }
        put(3 * P - 2, crossed[0][P - 1]);
        put(3 * P - 1, injected[0]);
        put(3 * P, injected[1]);
    }

    fn bit(&self, kind: usize, cycle: u64, router: usize) -> bool {
        self.bits[self.place(self.base(cycle), kind) + router / 64] >> (router % 64) & 1 != 0
    }

    /// The router behind `port`.
    fn far(&self, router: usize, port: usize) -> Option<usize> {
        let by = self.strides[port / 2];
        if port.is_multiple_of(2) { Some(router + by) } else { router.checked_sub(by) }
    }

    /// Flits on their way into input `port` of a router at the start of cycle `now`, first come
    /// first: whether they are there in `now`, and whether they are tails.
    pub fn under_way(&self, now: u64, router: usize, port: usize) -> Vec<(bool, bool)> {
        let of_node = port + 1 == self.ports;
        let from = if of_node { Some(router) } else { self.far(router, port) };
        let (kinds, delay) = if of_node {
            ([self.node_flits(), self.node_tails()], self.delays[2])
        } else {
            ([Self::flits(port ^ 1), self.tails(port ^ 1)], self.delays[0])
        };
        let Some(from) = from.filter(|&from| from < self.routers()) else { return Vec::new() };
        let sent = (1..=delay as u64).rev().filter_map(|ago| Some((ago, now.checked_sub(ago)?)));
        sent.filter(|&(_, cycle)| self.bit(kinds[0], cycle, from))
            .map(|(ago, cycle)| (ago == delay as u64, self.bit(kinds[1], cycle, from)))
            .collect()
    }

    /// Whether a credit comes home to output `port` of a router in cycle `now`.
    pub fn credit_of(&self, now: u64, router: usize, port: usize) -> bool {
        let to_node = port + 1 == self.ports;
        let from = if to_node { Some(router) } else { self.far(router, port) };
        let (kind, delay) =
            if to_node { (self.to_node(), self.delays[4]) } else { (self.pops(port ^ 1), self.delays[1]) };
        let sent = now.checked_sub(delay as u64).zip(from.filter(|&from| from < self.routers()));
        sent.is_some_and(|(cycle, from)| self.bit(kind, cycle, from))
    }

    /// Whether a credit comes home to the injection channel of a router's node in cycle `now`.
    pub fn inject_credit_of(&self, now: u64, router: usize) -> bool {
        now.checked_sub(self.delays[3] as u64).is_some_and(|cycle| self.bit(self.pops(self.ports - 1), cycle, router))
    }

    /// Flits that a router sent to its node in the last `cycles` cycles before `now`.
    pub fn sent_to_node(&self, now: u64, router: usize, cycles: u32) -> u64 {
        let sent = (1..=u64::from(cycles)).filter_map(|ago| now.checked_sub(ago));
        sent.map(|cycle| u64::from(self.bit(self.to_node(), cycle, router))).sum()
    }

    /// Routers that chunks have room for.
    fn routers(&self) -> usize {
        64 * (self.words - 2 * self.margin)
    }
}
