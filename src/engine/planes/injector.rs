//! Injector: the injection channel of a node, which sends the flits of one worm after the other, at
//! most one a cycle, limited by credits.
//!
//! ```text
//!   queued ──▶┌────────┐──▶ sent
//!  returned ─▶│ busy   │──▶ last
//!             │ left   │
//!             │ credit │
//!             └────────┘
//! ```
//!
//! The flits behind the next one are counted down in the planes up to [`COUNTED`]; of a longer worm
//! the rest is added in portions, node by node (docs/reference/timing.md, R11.5 to R11.9).

use super::counter::Counter;
use super::credit::Credits;
use super::heads::Heads;
use super::plane::Plane;

#[cfg(doc)]
use super::heads::COUNTED;

/// Registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Injector<const L: usize, const B: usize> {
    /// A worm is under way.
    pub busy: Plane<L>,
    /// A worm waits in the queue.
    pub queued: Plane<L>,
    /// No flit of the worm under way has left.
    first: Plane<L>,
    /// There are more flits than `left` says.
    more: Plane<L>,
    /// Flits behind the next one.
    pub left: Counter<L, 5>,
    pub credits: Credits<L, B>,
}

impl<const L: usize, const B: usize> Injector<L, B> {
    /// At reset, in front of FIFOs of so many flits.
    pub fn reset(depth: u32) -> Self {
        Self {
            busy: Plane::NONE,
            queued: Plane::NONE,
            first: Plane::NONE,
            more: Plane::NONE,
            left: Counter::all(0),
            credits: Credits::reset(depth),
        }
    }

    /// One cycle of the nodes from number `base` on: flits that leave, and the tails among them.
    #[inline(always)]
    pub fn eval<const P: usize>(&mut self, base: usize, now: u64, heads: &mut Heads) -> [Plane<L>; 2] {
        let begin = self.queued & !self.busy;
        if begin.any() {
            begin.each(|node| {
                let (left, more, is_empty) = heads.start(base + node);
                self.left.set(node, left);
                self.more.set(node, more);
                self.queued.set(node, !is_empty);
            });
            self.busy |= begin;
            self.first |= begin;
        }
        let sent = self.busy & self.credits.any();
        let first = sent & self.first;
        if first.any() {
            first.each(|node| heads.leaves::<P>(base + node, now));
            self.first &= !first;
        }
        let counted = sent & !self.left.any();
        let last = counted & !self.more;
        self.left.down(sent & !counted);
        if counted.any() {
            (counted & self.more).each(|node| {
                let (left, more) = heads.count_on(base + node);
                self.left.set(node, left);
                self.more.set(node, more);
            });
            last.each(|node| heads.departs(base + node));
            self.busy &= !last;
        }
        self.credits.spend(sent);
        [sent, last]
    }
}
