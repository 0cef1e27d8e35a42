//! All chunks of a network, cycle by cycle. A chunk is skipped when it is empty and nothing is on
//! its way to it.

use std::fmt::Debug;

use super::chunk::{Chunk, Params, Pulse};
use super::grid::DIMENSIONS;
use super::heads::Heads;
use super::injector::InjectPlanes;
use super::links::GridLinks;
use super::plane::Plane;

/// Chunks of some shape.
pub(super) trait Chunks: Debug + Send {
    /// One cycle of all chunks.
    fn cycle(&mut self, p: &Params, now: u64, links: &mut GridLinks, heads: &mut Heads) -> Pulse;
    /// A worm waits at a node from cycle `now` on.
    fn queue(&mut self, node: usize, now: u64);
    /// Whether all chunks are skipped in cycle `now`.
    fn is_idle(&self, now: u64) -> bool;
    /// Registers of a router and its node.
    fn router(&self, p: &Params, router: usize) -> Router;
    /// Whether FIFOs are empty, no lane is owned, every credit is at home and no node has a worm.
    fn is_clean(&self, p: &Params) -> bool;
}

/// Virtual channels of a port at most.
pub(super) const CHANNELS: usize = 2;

/// Lanes of a router at most, of inputs or of outputs.
pub(super) const LANES: usize = (2 * DIMENSIONS + 1) * CHANNELS;

/// Registers of an input lane of one router.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InputView {
    /// Flits in the FIFO.
    pub count: u32,
    /// For each of them, front first, whether it is a tail.
    pub tails: u32,
    /// In service, flits of the header are missing.
    pub waiting: bool,
    /// Cycles since the one in which the decision began, if it is under way.
    pub deciding: Option<u32>,
    pub active: bool,
    pub asking: bool,
    pub first: bool,
    pub late: bool,
}

/// Registers of an output lane of one router.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutputView {
    /// The input that owns it.
    pub owner: Option<u8>,
    pub credits: u32,
    pub pointer: u8,
    /// Cycles without credit that are not written down.
    pub blocked: u32,
    /// The channel of the link that is next in turn, at its lowest lane.
    pub multiplexer: u8,
}

/// Registers of an injection channel of one node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChannelView {
    /// A worm is under way.
    pub busy: bool,
    /// Flits after the next one, of those counted in the planes.
    pub left: u32,
    pub credits: u32,
}

/// Registers of one router and its node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Router {
    pub inputs: [InputView; LANES],
    pub outputs: [OutputView; LANES],
    pub channels: [ChannelView; CHANNELS],
    /// The injection channel that is next in turn.
    pub multiplexer: u8,
}

/// Chunks of routers with `N` lanes, of which each port has `V`. A chunk is `L` words wide. FIFOs
/// have up to `D` flits, and counters have `B` bits.
#[derive(Debug)]
pub(super) struct Routers<const N: usize, const V: usize, const L: usize, const D: usize, const B: usize> {
    chunks: Vec<Chunk<N, V, L, D, B>>,
    /// By chunk, the cycle from which on it is passed over.
    until: Vec<u64>,
}

impl<const N: usize, const V: usize, const L: usize, const D: usize, const B: usize> Routers<N, V, L, D, B> {
    /// At reset.
    pub fn reset(p: &Params, routers: usize) -> Self {
        let chunks = routers.div_ceil(64 * L);
        Self { chunks: (0..chunks).map(|_| Chunk::reset(p)).collect(), until: vec![0; chunks] }
    }

    /// Wakes the chunks of the routers `by` numbers from those of a chunk.
    fn wake(until: &mut [u64], chunk: usize, by: usize, to: u64) {
        let (width, last) = (64 * L, until.len() - 1);
        let first = chunk * width;
        let above = ((first + by) / width).min(last)..=((first + width - 1 + by) / width).min(last);
        let below = first.saturating_sub(by) / width..=(first + width - 1).saturating_sub(by) / width;
        for chunk in above.chain(below) {
            until[chunk] = until[chunk].max(to);
        }
    }
}

impl<const N: usize, const V: usize, const L: usize, const D: usize, const B: usize> Chunks for Routers<N, V, L, D, B> {
    fn cycle(&mut self, p: &Params, now: u64, links: &mut GridLinks, heads: &mut Heads) -> Pulse {
        let (edge, mut all) = (links.edge(now), Pulse::default());
        // After its last event, a chunk is evaluated until all cycles that links keep are silent.
        // So no chunk reads old bits of a skipped one.
        let to = now + 1 + links.slots as u64;
        for chunk in 0..self.chunks.len() {
            if now >= self.until[chunk] {
                continue;
            }
            let mut pulse = Pulse { evaluated: 64 * L as u64, ..Pulse::default() };
            if self.chunks[chunk].cycle(p, now, chunk, (&edge, links), heads, &mut pulse) {
                self.until[chunk] = to;
            }
            if pulse.flits || pulse.credits {
                for d in 0..N / V / 2 {
                    Self::wake(&mut self.until, chunk, links.strides[d], to);
                    if let Some(around) = links.around {
                        Self::wake(&mut self.until, chunk, around[d], to);
                    }
                }
            }
            all.add(pulse);
        }
        all
    }

    fn queue(&mut self, node: usize, now: u64) {
        let (chunk, node) = (node / (64 * L), node % (64 * L));
        self.chunks[chunk].injector.queued.set(node, true);
        self.until[chunk] = self.until[chunk].max(now + 1);
    }

    fn is_idle(&self, now: u64) -> bool {
        self.until.iter().all(|&until| now >= until)
    }

    fn router(&self, p: &Params, router: usize) -> Router {
        let (chunk, router) = (&self.chunks[router / (64 * L)], router % (64 * L));
        let injector = &chunk.injector;
        let mut of = Router { multiplexer: injector.multiplexer.pointer(router), ..Router::default() };
        for (to, q) in of.channels.iter_mut().zip(&injector.channels) {
            *to = ChannelView { busy: q.busy.get(router), left: q.left.get(router), credits: q.credits.0.get(router) };
        }
        for (to, q) in of.inputs.iter_mut().zip(&chunk.inputs) {
            *to = InputView {
                count: q.fifo.count.get(router),
                tails: (0..D).fold(0, |tails, place| tails | u32::from(q.fifo.tails[place].get(router)) << place),
                waiting: q.decoder.waiting.get(router),
                deciding: (0..p.routing_cycles as u32).find(|&age| q.decoder.stages[age as usize].get(router)),
                active: q.active.get(router),
                asking: q.asking.get(router),
                first: q.first.get(router),
                late: q.late.get(router),
            };
        }
        for (output, (to, q)) in of.outputs.iter_mut().zip(&chunk.outputs).enumerate() {
            let owns = |input: &usize| {
                let q = &of.inputs[*input];
                q.active && !q.asking && chunk.wants[*input][output].get(router)
            };
            *to = OutputView {
                owner: (0..N).find(owns).map(|input| input as u8),
                credits: q.credits.0.get(router),
                pointer: q.allocator.pointer(router),
                blocked: q.blocked.get(router),
                multiplexer: q.multiplexer.pointer(router),
            };
        }
        of
    }

    fn is_clean(&self, p: &Params) -> bool {
        let is_clean = |chunk: &Chunk<N, V, L, D, B>| {
            let inputs = chunk.inputs.iter().all(|q| !(q.fifo.occupied() | q.active).any());
            let outputs = chunk.outputs.iter().enumerate().all(|(lane, q)| {
                let home = q.credits.0.is(p.depth_after::<N, V>(lane) as usize);
                q.allocator.free & home == Plane::ALL
            });
            let home = |q: &InjectPlanes<L, B>| q.credits.0.is(p.fifo_depth as usize) == Plane::ALL;
            inputs && outputs && chunk.injector.channels.iter().all(home) && !chunk.injector.occupied().any()
        };
        self.chunks.iter().all(is_clean)
    }
}
