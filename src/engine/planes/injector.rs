//! Injector: the channels of a node's injection link. Each sends the flits of one worm after the
//! other, limited by credits. The link carries one flit a cycle.
//!
//! ```text
//!   queued ──▶┌──────────────┐──▶ sent, by channel
//!  returned ─▶│ busy         │
//!             │ left         │
//!             │ credit       │
//!             │ multiplexer  │
//!             └──────────────┘
//! ```
//!
//! See docs/reference/timing.md, R11.5 to R11.9.

use super::countdown::Countdown;
use super::credit::Credits;
use super::lane::Sending;
use super::multiplexer::Multiplexer;
use super::plane::Plane;
use super::region::Region;

/// Registers of one channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct InjectPlanes<const L: usize, const B: usize> {
    /// A worm is under way.
    pub busy: Plane<L>,
    /// No flit of the worm under way has left.
    first: Plane<L>,
    pub credits: Credits<L, B>,
}

/// Registers of the `V` channels of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Injector<const V: usize, const L: usize, const B: usize> {
    /// A worm waits in the queue.
    pub queued: Plane<L>,
    pub channels: [InjectPlanes<L, B>; V],
    /// By channel, flits of the worm under way after the next one.
    pub left: Countdown<V, L>,
    pub multiplexer: Multiplexer<V, L>,
}

impl<const V: usize, const L: usize, const B: usize> Injector<V, L, B> {
    /// At reset, before FIFOs of so many flits.
    pub fn reset(depth: u32) -> Self {
        let channel = InjectPlanes { busy: Plane::NONE, first: Plane::NONE, credits: Credits::reset(depth) };
        let left = Countdown::RESET;
        Self { queued: Plane::NONE, channels: [channel; V], left, multiplexer: Multiplexer::RESET }
    }

    /// Output: nodes with a worm, queued or under way.
    #[inline(always)]
    pub fn occupied(&self) -> Plane<L> {
        self.channels.iter().fold(self.queued, |some, channel| some | channel.busy)
    }

    /// One cycle of the nodes from number `base` on: flits that leave.
    #[inline(always)]
    pub fn eval<const N: usize>(&mut self, base: usize, now: u64, heads: &mut Region<'_>) -> [Plane<L>; V] {
        let begin = self.queued & !self.channels.iter().fold(Plane::ALL, |all, channel| all & channel.busy);
        if begin.any() {
            begin.each(|node| self.start(base, node, now, heads));
        }
        let offered: [_; V] = std::array::from_fn(|c| self.channels[c].busy & self.channels[c].credits.any());
        let sends = self.multiplexer.eval(&offered);
        let mut tails = self.left.is_last();
        for (c, (q, &sent)) in self.channels.iter_mut().zip(&sends).enumerate() {
            let first = sent & q.first;
            if first.any() {
                first.each(|node| heads.leaves::<N, V>(base + node, c, now));
                q.first &= !first;
            }
            tails[c] &= sent;
            q.busy &= !tails[c];
            q.credits.spend(sent);
        }
        for (c, counted) in self.left.pass(&sends).into_iter().enumerate() {
            counted.each(|node| {
                let beyond = &mut heads.channels[(base + node) * V + c].beyond;
                *beyond = self.left.start(c, node, *beyond - 1);
            });
        }
        let departs = tails.iter().fold(Plane::NONE, |some, &tails| some | tails);
        if departs.any() {
            departs.each(|node| {
                let channel = (0..V).find(|&c| tails[c].get(node)).unwrap_or(0);
                heads.departs((base + node) * V + channel, now);
            });
        }
        sends
    }

    /// Worms in the queue of a node take its idle channels, those with credit first.
    #[inline(always)]
    fn start(&mut self, base: usize, node: usize, now: u64, heads: &mut Region<'_>) {
        while self.queued.get(node) {
            let idle = |c: &usize| !self.channels[*c].busy.get(node);
            let able = |c: &usize| idle(c) && self.channels[*c].credits.any().get(node);
            let Some(channel) = (0..V).find(able).or_else(|| (0..V).find(idle)) else { return };
            let (worm, more) = heads.dequeue(base + node, now);
            let q = &mut self.channels[channel];
            let beyond = self.left.start(channel, node, heads.flits(worm) - 1);
            heads.channels[(base + node) * V + channel] = Sending { worm, beyond };
            q.busy.set(node, true);
            q.first.set(node, true);
            self.queued.set(node, more);
        }
    }
}
