//! Injector: the channels of a node's injection link. Each sends the flits of one worm after the
//! other, limited by credits. The link carries one flit a cycle.
//!
//! ```text
//!   queued ──▶┌──────────────┐──▶ sent, by channel
//!  returned ─▶│ busy         │──▶ last, by channel
//!             │ left         │
//!             │ credit       │
//!             │ multiplexer  │
//!             └──────────────┘
//! ```
//!
//! The planes count the flits after the next one down, up to [`COUNTED`]. The rest of a longer worm
//! is added in portions, node by node (docs/reference/timing.md, R11.5 to R11.9).

use super::counter::Counter;
use super::credit::Credits;
use super::heads::Heads;
use super::multiplexer::Multiplexer;
use super::plane::Plane;

#[cfg(doc)]
use super::heads::COUNTED;

/// Registers of one channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct InjectPlanes<const L: usize, const B: usize> {
    /// A worm is under way.
    pub busy: Plane<L>,
    /// No flit of the worm under way has left.
    first: Plane<L>,
    /// There are more flits than `left` counts.
    more: Plane<L>,
    /// Flits after the next one.
    pub left: Counter<L, 5>,
    pub credits: Credits<L, B>,
}

/// Registers of the `V` channels of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Injector<const V: usize, const L: usize, const B: usize> {
    /// A worm waits in the queue.
    pub queued: Plane<L>,
    pub channels: [InjectPlanes<L, B>; V],
    pub multiplexer: Multiplexer<V, L>,
}

impl<const V: usize, const L: usize, const B: usize> Injector<V, L, B> {
    /// At reset, before FIFOs of so many flits.
    pub fn reset(depth: u32) -> Self {
        let channel = InjectPlanes {
            busy: Plane::NONE,
            first: Plane::NONE,
            more: Plane::NONE,
            left: Counter::all(0),
            credits: Credits::reset(depth),
        };
        Self { queued: Plane::NONE, channels: [channel; V], multiplexer: Multiplexer::RESET }
    }

    /// Output: nodes with a worm, queued or under way.
    #[inline(always)]
    pub fn occupied(&self) -> Plane<L> {
        self.channels.iter().fold(self.queued, |some, channel| some | channel.busy)
    }

    /// One cycle of the nodes from number `base` on: flits that leave, and the tails among them.
    #[inline(always)]
    pub fn eval<const N: usize>(&mut self, base: usize, now: u64, heads: &mut Heads) -> [[Plane<L>; V]; 2] {
        let begin = self.queued & !self.channels.iter().fold(Plane::ALL, |all, channel| all & channel.busy);
        if begin.any() {
            begin.each(|node| self.start(base, node, heads));
        }
        let offered: [_; V] = std::array::from_fn(|c| self.channels[c].busy & self.channels[c].credits.any());
        let sends = self.multiplexer.eval(&offered);
        let (mut tails, mut departs) = ([Plane::NONE; V], Plane::NONE);
        for (c, (q, &sent)) in self.channels.iter_mut().zip(&sends).enumerate() {
            let first = sent & q.first;
            if first.any() {
                first.each(|node| heads.leaves::<N, V>(base + node, c, now));
                q.first &= !first;
            }
            let counted = sent & !q.left.any();
            q.left.down(sent & !counted);
            if counted.any() {
                tails[c] = counted & !q.more;
                (counted & q.more).each(|node| {
                    let (left, more) = heads.count_on((base + node) * V + c);
                    q.left.set(node, left);
                    q.more.set(node, more);
                });
                q.busy &= !tails[c];
                departs |= tails[c];
            }
            q.credits.spend(sent);
        }
        if departs.any() {
            departs.each(|node| {
                let channel = (0..V).find(|&c| tails[c].get(node)).unwrap_or(0);
                heads.departs((base + node) * V + channel);
            });
        }
        [sends, tails]
    }

    /// Worms in the queue of a node take its idle channels, those with credit first.
    #[inline(always)]
    fn start(&mut self, base: usize, node: usize, heads: &mut Heads) {
        while self.queued.get(node) {
            let idle = |c: &usize| !self.channels[*c].busy.get(node);
            let able = |c: &usize| idle(c) && self.channels[*c].credits.any().get(node);
            let Some(channel) = (0..V).find(able).or_else(|| (0..V).find(idle)) else { return };
            let (left, more, is_empty) = heads.start(base + node, (base + node) * V + channel);
            let q = &mut self.channels[channel];
            q.left.set(node, left);
            q.more.set(node, more);
            q.busy.set(node, true);
            q.first.set(node, true);
            self.queued.set(node, !is_empty);
        }
    }
}
