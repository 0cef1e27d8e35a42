//! All chunks of a network, cycle by cycle. A chunk is skipped when it is empty and nothing is on
//! its way to it.
//!
//! The chunks of a large mesh do not fit in the cache. So several cycles are under way at once
//! ([`Chunks::cycles`]). The chunks are in groups, so that a link leads at most to the next group.
//! Group g is in cycle t, group g - 1 in cycle t + 1, and so on. A link has a register, so group g
//! needs its neighbours in cycle t - 1. They have evaluated this cycle then, and not yet cycle
//! t + 1. So the order of the cycles makes no difference to any register.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::ops::Range;

use wormscope_hw::Replication;

use super::chunk::{Chunk, Params, Pulse};
use super::heads::Heads;
use super::injector::InjectPlanes;
use super::links::NetworkLinks;
use super::plane::Plane;
use super::region::Region;
use super::replication::reads;
use super::span::Span;

/// Cycles that a large mesh has under way at once in a thread. With 8 or 32 of them, 1024x1024
/// routers take more time.
pub(super) const STRETCH: usize = 16;

/// Routers of the largest mesh that takes its cycles one by one. A mesh of 96x96 routers takes less
/// time with several cycles under way, since it does not fit in the cache next to a processor.
pub(super) const ONE_BY_ONE: usize = 64 * 64;

/// Chunks of some shape.
pub(super) trait Chunks: Debug + Send {
    /// Some cycles of all chunks. Adds the effects of each cycle to its pulse. Cycles beyond
    /// [`STRETCH`] need links of other threads ([`mod@super::threads`]).
    fn cycles(
        &mut self,
        p: &Params,
        now: u64,
        links: (&mut NetworkLinks, &mut [NetworkLinks]),
        heads: &mut Heads,
        pulses: &mut [Pulse],
    );
    /// A worm waits at a node from cycle `now` on, which is the next cycle.
    fn queue(&mut self, node: usize, now: u64);
    /// A worm waits at a node from a later cycle on. Calls are in the order of the cycles.
    fn queue_later(&mut self, node: usize, cycle: u64);
    /// Whether all chunks are skipped in cycle `now`.
    fn is_idle(&self, now: u64) -> bool;
    /// Registers of a router.
    fn router(&self, p: &Params, router: usize) -> Router;
    /// Registers of a node.
    fn node(&self, node: usize) -> NodeView;
    /// Whether FIFOs are empty, no lane is owned, every credit is at home and no node has a worm.
    fn is_clean(&self, p: &Params, links: &NetworkLinks) -> bool;
}

/// Virtual channels of a port at most.
pub(super) const CHANNELS: usize = 2;

/// Lanes of a router at most, of inputs or of outputs.
pub(super) const LANES: usize = 16;

/// Registers of an input lane of one router.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InputView {
    /// Flits in the FIFO.
    pub count: u32,
    /// Flits of the worm in service after the front one, of those that the planes count.
    pub left: u32,
    /// In service, flits of the header are missing.
    pub waiting: bool,
    /// Cycles since the one in which the decision began, if it is under way.
    pub deciding: Option<u32>,
    pub active: bool,
    /// The first lanes of the groups that it asks for.
    pub asks: u64,
    /// The lanes that it owns.
    pub owns: u64,
    /// The lanes of the branches that have the front flit.
    pub taken: u64,
}

impl InputView {
    /// Whether it asks for a lane now.
    pub fn asks_now(&self, mode: Replication) -> bool {
        self.asks != 0 && (self.owns == 0 || mode != Replication::Sequential)
    }
}

/// Registers of an output lane of one router.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutputView {
    /// The input that owns it.
    pub owner: Option<u8>,
    /// The owner's head has not crossed.
    pub first: bool,
    /// This head has had a turn.
    pub late: bool,
    /// Flits in the FIFO that a branch has taken.
    pub ahead: u32,
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

/// Registers of one router.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Router {
    pub inputs: [InputView; LANES],
    pub outputs: [OutputView; LANES],
}

/// Registers of one node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeView {
    pub channels: [ChannelView; CHANNELS],
    /// The injection channel that is next in turn.
    pub multiplexer: u8,
}

/// Chunks of routers with `N` lanes, of which each port has `V`. A chunk is `L` words wide, and
/// counters of flits in a FIFO have `B` bits. `M` is `N` with trees, and 0 without.
#[derive(Debug)]
pub(super) struct Routers<const N: usize, const V: usize, const L: usize, const B: usize, const M: usize, const G: bool>
{
    pub chunks: Vec<Chunk<N, V, L, B, M, G>>,
    /// By chunk, nodes that a worm will wait at, with the cycle; empty if there are none.
    later: Vec<VecDeque<(u64, u32)>>,
    /// By chunk, the cycle from which on it is passed over.
    until: Vec<u64>,
}

impl<const N: usize, const V: usize, const L: usize, const B: usize, const M: usize, const G: bool>
    Routers<N, V, L, B, M, G>
{
    /// At reset.
    pub fn reset(p: &Params, routers: usize, links: &NetworkLinks) -> Self {
        let chunks = routers.div_ceil(64 * L);
        let reset = |chunk| Chunk::reset(p, |lane| links.of_nodes::<N, V, L, G>(lane, chunk)[0]);
        Self { chunks: (0..chunks).map(reset).collect(), later: Vec::new(), until: vec![0; chunks] }
    }

    /// All chunks, with the numbers of [`Self::groups`].
    pub fn band(&mut self, (group, groups): (usize, usize)) -> Band<'_, N, V, L, B, M, G> {
        Band {
            last: self.chunks.len() - 1,
            group,
            groups,
            chunks: Span::whole(&mut self.chunks),
            later: Span::whole(&mut self.later),
            until: Span::whole(&mut self.until),
        }
    }

    /// Chunks of a group, and groups. A link leads at most to the next group.
    pub fn groups(&self, links: &NetworkLinks) -> (usize, usize) {
        let longest = links.mesh().map(|mesh| mesh.strides.iter().fold(0, |longest, &stride| longest.max(stride)));
        let group = longest.map_or(self.chunks.len(), |longest| longest.div_ceil(64 * L));
        (group, self.chunks.len().div_ceil(group))
    }
}

/// Some chunks, side by side.
#[derive(Debug)]
pub(super) struct Band<
    'a,
    const N: usize,
    const V: usize,
    const L: usize,
    const B: usize,
    const M: usize,
    const G: bool,
> {
    chunks: Span<'a, Chunk<N, V, L, B, M, G>>,
    later: Span<'a, VecDeque<(u64, u32)>>,
    until: Span<'a, u64>,
    /// The last chunk of the network.
    last: usize,
    /// Chunks of a group.
    pub group: usize,
    /// Groups of the network.
    groups: usize,
}

impl<const N: usize, const V: usize, const L: usize, const B: usize, const M: usize, const G: bool>
    Band<'_, N, V, L, B, M, G>
{
    /// The chunks below a number, and the others.
    pub fn split(self, chunk: usize) -> [Self; 2] {
        let Self { last, group, groups, .. } = self;
        let [chunks, above_chunks] = self.chunks.split(chunk);
        let [later, above_later] = self.later.split(chunk);
        let [until, above_until] = self.until.split(chunk);
        let below = Self { chunks, later, until, last, group, groups };
        [below, Self { chunks: above_chunks, later: above_later, until: above_until, last, group, groups }]
    }

    /// Cycles from `now` on of groups: the first cycle of group `front`, the next one of the group
    /// before, and so on.
    #[inline(always)]
    pub fn stretch(
        &mut self,
        p: &Params,
        (now, front): (u64, usize),
        links: &mut NetworkLinks,
        heads: &mut Region<'_>,
        pulses: &mut [Pulse],
    ) {
        let is_skewed = pulses.len() > 1;
        for (ahead, pulse) in
            pulses.iter_mut().enumerate().take(front + 1).skip((front + 1).saturating_sub(self.groups))
        {
            let first = (front - ahead) * self.group;
            let chunks = first..(first + self.group).min(self.last + 1);
            if ahead == 0 && is_skewed {
                self.fetch(chunks.clone(), heads);
            }
            self.cycle(p, now + ahead as u64, chunks, links, heads, pulse);
        }
    }

    /// One cycle of some chunks.
    #[inline(always)]
    fn cycle(
        &mut self,
        p: &Params,
        now: u64,
        chunks: Range<usize>,
        links: &mut NetworkLinks,
        heads: &mut Region<'_>,
        all: &mut Pulse,
    ) {
        let edge = links.edge(now);
        // After its last event, a chunk is evaluated until all cycles that links keep are silent.
        // So no chunk reads old bits of a skipped one.
        let to = now + 1 + links.slots() as u64;
        for chunk in chunks {
            while let Some(later) = self.later.get_mut(chunk)
                && let Some(&(_, node)) = later.front().filter(|(cycle, _)| *cycle <= now)
            {
                later.pop_front();
                self.chunks[chunk].injector.queued.set(node as usize % (64 * L), true);
                self.until[chunk] = self.until[chunk].max(now + 1);
            }
            if now >= self.until[chunk] {
                continue;
            }
            let mut pulse = Pulse { evaluated: 64 * L as u64, ..Pulse::default() };
            if self.chunks[chunk].cycle(p, now, chunk, (&edge, links), heads, &mut pulse) {
                self.until[chunk] = to;
            }
            if pulse.flits || pulse.credits || !G && (pulse.injected || pulse.inject_credits) {
                match links {
                    NetworkLinks::Grid(links) => {
                        for d in 0..N / V / 2 {
                            self.wake(chunk, links.strides[d], to);
                            if let Some(around) = links.around {
                                self.wake(chunk, around[d], to);
                            }
                        }
                    }
                    NetworkLinks::Wired(_) => (0..=self.last).for_each(|chunk| self.until[chunk] = to),
                }
            }
            all.add(pulse);
        }
    }

    /// Reads the lanes of busy chunks ahead of their use.
    fn fetch(&self, chunks: Range<usize>, heads: &Region<'_>) {
        for chunk in chunks {
            let active = self.chunks[chunk].inputs.iter().map(|input| input.active.count()).sum::<u64>();
            if active > 16 * L as u64 {
                heads.fetch(64 * L * chunk..64 * L * (chunk + 1));
            }
        }
    }

    /// Wakes the chunks of the routers `by` numbers from those of a chunk.
    fn wake(&mut self, chunk: usize, by: usize, to: u64) {
        let (width, last) = (64 * L, self.last);
        let first = chunk * width;
        let above = ((first + by) / width).min(last)..=((first + width - 1 + by) / width).min(last);
        let below = first.saturating_sub(by) / width..=(first + width - 1).saturating_sub(by) / width;
        for chunk in above.chain(below) {
            self.until[chunk] = self.until[chunk].max(to);
        }
    }
}

impl<const N: usize, const V: usize, const L: usize, const B: usize, const M: usize, const G: bool> Chunks
    for Routers<N, V, L, B, M, G>
{
    fn cycles(
        &mut self,
        p: &Params,
        now: u64,
        (links, followers): (&mut NetworkLinks, &mut [NetworkLinks]),
        heads: &mut Heads,
        pulses: &mut [Pulse],
    ) {
        let groups = if pulses.len() > 1 { self.groups(links) } else { (self.chunks.len(), 1) };
        if pulses.len() <= STRETCH {
            let (mut band, mut region) = (self.band(groups), heads.region());
            for front in 0..groups.1 + pulses.len() - 1 {
                band.stretch(p, (now, front), links, &mut region, pulses);
            }
        } else {
            let links = std::iter::once(links).chain(followers).collect();
            self.follow(p, now, links, heads, pulses);
        }
        self.later.clear();
        heads.settle();
    }

    fn queue(&mut self, node: usize, now: u64) {
        let (chunk, node) = (node / (64 * L), node % (64 * L));
        self.chunks[chunk].injector.queued.set(node, true);
        self.until[chunk] = self.until[chunk].max(now + 1);
    }

    fn queue_later(&mut self, node: usize, cycle: u64) {
        if self.later.is_empty() {
            self.later = vec![VecDeque::new(); self.chunks.len()];
        }
        self.later[node / (64 * L)].push_back((cycle, node as u32));
    }

    fn is_idle(&self, now: u64) -> bool {
        self.until.iter().all(|&until| now >= until)
    }

    fn node(&self, node: usize) -> NodeView {
        let (injector, node) = (&self.chunks[node / (64 * L)].injector, node % (64 * L));
        let mut of = NodeView { multiplexer: injector.multiplexer.pointer(node), ..NodeView::default() };
        for (c, (to, q)) in of.channels.iter_mut().zip(&injector.channels).enumerate() {
            let (busy, left) = (q.busy.get(node), injector.left.get(c, node));
            *to = ChannelView { busy, left, credits: q.credits.0.get(node) };
        }
        of
    }

    fn router(&self, p: &Params, router: usize) -> Router {
        let (chunk, router) = (&self.chunks[router / (64 * L)], router % (64 * L));
        let mut of = Router::default();
        let lanes = |planes: &[Plane<L>; N]| (0..N).fold(0, |lanes, o| lanes | u64::from(planes[o].get(router)) << o);
        for (i, (to, q)) in of.inputs.iter_mut().zip(&chunk.inputs).enumerate() {
            let (active, asking, wants) = (q.active.get(router), q.asking.get(router), lanes(&chunk.wants[i]));
            let (lanes, taken) =
                (chunk.replication.lanes.get(i).map(lanes), chunk.replication.taken.get(i).map_or(0, lanes));
            *to = InputView {
                count: q.fifo.count.get(router),
                left: chunk.left.get(i, router),
                waiting: q.decoder.waiting.get(router),
                deciding: (0..p.routing_cycles as u32).find(|&age| q.decoder.stages[age as usize].get(router)),
                active,
                asks: if asking { wants } else { 0 },
                owns: lanes.unwrap_or(if active && !asking { wants } else { 0 }),
                taken,
            };
        }
        for (output, (to, q)) in of.outputs.iter_mut().zip(&chunk.outputs).enumerate() {
            let owner = (0..N).find(|&input| of.inputs[input].owns >> output & 1 != 0);
            let heads =
                |of_unicast: Plane<L>, of_tree: &[Plane<L>; M]| of_tree.get(output).unwrap_or(&of_unicast).get(router);
            let input = owner.map(|input| &chunk.inputs[input]);
            let turn = input.map_or([Plane::NONE; 2], |input| [input.first, input.late]);
            *to = OutputView {
                owner: owner.map(|input| input as u8),
                first: owner.is_some() && heads(turn[0], &chunk.replication.first),
                late: owner.is_some() && heads(turn[1], &chunk.replication.late),
                ahead: owner.map_or(0, |input| {
                    let reader = chunk.replication.readers.get(output).filter(|_| reads(p.replication));
                    reader.map_or((of.inputs[input].taken >> output & 1) as u32, |reader| reader.ahead.get(router))
                }),
                credits: q.credits.0.get(router),
                pointer: q.allocator.pointer(router),
                blocked: q.blocked.get(router),
                multiplexer: q.multiplexer.pointer(router),
            };
        }
        of
    }

    fn is_clean(&self, p: &Params, links: &NetworkLinks) -> bool {
        let is_clean = |(at, chunk): (usize, &Chunk<N, V, L, B, M, G>)| {
            let inputs = chunk.inputs.iter().all(|q| !(q.fifo.occupied() | q.active).any());
            let outputs = chunk.outputs.iter().enumerate().all(|(lane, q)| {
                let [to_node, _] = links.of_nodes::<N, V, L, G>(lane, at);
                q.allocator.free == Plane::ALL && q.credits.0 == p.depths(to_node)
            });
            let home = |q: &InjectPlanes<L, B>| q.credits.0.is(p.injection_depth as usize) == Plane::ALL;
            inputs && outputs && chunk.injector.channels.iter().all(home) && !chunk.injector.occupied().any()
        };
        self.chunks.iter().enumerate().all(is_clean)
    }
}
