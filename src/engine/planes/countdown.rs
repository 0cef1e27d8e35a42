//! Countdown of the flits of a worm at a lane, or at an injection channel. It says which flit is
//! the tail, so that no flit carries a mark.
//!
//! ```text
//!     start ──▶┌──────┐──▶ the next flit is the last
//!    passes ──▶│ left │
//!              │ more │──▶ counted to 0, and there are more
//!              └──────┘
//! ```
//!
//! The planes count up to [`COUNTED`] flits after the next one. The rest of a longer worm is added
//! in portions, router by router.

use super::counter::Counter;
use super::plane::Plane;

/// Most flits after the next one that the planes count.
const COUNTED: u32 = 31;

/// Registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Countdown<const L: usize> {
    /// Flits after the next one.
    left: Counter<L, 5>,
    /// There are more flits than `left` counts.
    more: Plane<L>,
}

impl<const L: usize> Countdown<L> {
    /// At reset.
    pub fn reset() -> Self {
        Self { left: Counter::all(0), more: Plane::NONE }
    }

    /// A router begins to count flits after the next one. Returns the number of those that it does
    /// not count yet.
    #[inline(always)]
    pub fn start(&mut self, router: usize, flits: u32) -> u32 {
        let counted = flits.min(COUNTED);
        self.left.set(router, counted);
        self.more.set(router, flits > counted);
        flits - counted
    }

    /// Output: the next flit is the last.
    #[inline(always)]
    pub fn is_last(&self) -> Plane<L> {
        !(self.left.any() | self.more)
    }

    /// A flit passes at `routers`. Returns those that have counted to 0 and have more to count.
    #[inline(always)]
    pub fn pass(&mut self, routers: Plane<L>) -> Plane<L> {
        self.left.down(routers) & self.more
    }

    /// Flits after the next one at a router, of those that are counted.
    pub fn get(&self, router: usize) -> u32 {
        self.left.get(router)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_flit_of_any_worm_is_found() {
        for flits in [1, 2, 31, 32, 33, 64, 65, 200] {
            let (mut countdown, router) = (Countdown::<2>::reset(), Plane([0, 4]));
            let mut beyond = countdown.start(66, flits - 1);
            for n in 1..flits {
                assert!(!countdown.is_last().get(66), "{n} of {flits}");
                assert_eq!(countdown.get(66) + beyond, flits - n);
                countdown.pass(router).each(|router| beyond = countdown.start(router, beyond - 1));
            }
            assert!(countdown.is_last().get(66) && beyond == 0);
            assert!(!countdown.pass(router).any());
        }
    }
}
