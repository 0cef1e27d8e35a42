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

use super::plane::Plane;

/// Most flits after the next one that the planes count.
const COUNTED: u32 = (1 << BITS) - 1;

/// Flits of the longest worm that the planes count alone.
pub(super) const LONGEST: u32 = COUNTED + 1;

/// Bits of their number.
const BITS: usize = 5;

/// Registers of `K` lanes. Bit by bit, the lanes stand side by side, so that a vector has several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Countdown<const K: usize, const L: usize> {
    /// Flits after the next one.
    left: [[Plane<L>; K]; BITS],
    /// There are more flits than `left` counts.
    more: [Plane<L>; K],
}

impl<const K: usize, const L: usize> Countdown<K, L> {
    /// At reset.
    pub const RESET: Self = Self { left: [[Plane::NONE; K]; BITS], more: [Plane::NONE; K] };

    /// A lane of a router begins to count flits after the next one. Returns the number of those
    /// that it does not count yet.
    #[inline(always)]
    pub fn start(&mut self, lane: usize, router: usize, flits: u32) -> u32 {
        let counted = flits.min(COUNTED);
        for (k, planes) in self.left.iter_mut().enumerate() {
            planes[lane].set(router, counted >> k & 1 != 0);
        }
        self.more[lane].set(router, flits > counted);
        flits - counted
    }

    /// Output: the next flit is the last, by lane.
    #[inline(always)]
    pub fn is_last(&self) -> [Plane<L>; K] {
        let mut some = self.more;
        for planes in &self.left {
            for (some, &plane) in some.iter_mut().zip(planes) {
                *some |= plane;
            }
        }
        for some in &mut some {
            *some = !*some;
        }
        some
    }

    /// A flit passes at `routers`, by lane. Returns those that have counted to 0 and have more to
    /// count.
    #[inline(always)]
    pub fn pass(&mut self, routers: &[Plane<L>; K]) -> [Plane<L>; K] {
        let mut borrow = *routers;
        for planes in &mut self.left {
            for (plane, borrow) in planes.iter_mut().zip(&mut borrow) {
                (*plane, *borrow) = (*plane ^ *borrow, !*plane & *borrow);
            }
        }
        for (borrow, &more) in borrow.iter_mut().zip(&self.more) {
            *borrow &= more;
        }
        borrow
    }

    /// Flits after the next one at a lane of a router, of those that are counted.
    pub fn get(&self, lane: usize, router: usize) -> u32 {
        self.left.iter().enumerate().fold(0, |left, (k, planes)| left | u32::from(planes[lane].get(router)) << k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_flit_of_any_worm_is_found() {
        for flits in [1, 2, 31, 32, 33, 64, 65, 200] {
            let (mut countdown, router) = (Countdown::<2, 2>::RESET, [Plane::NONE, Plane([0, 4])]);
            let mut beyond = countdown.start(1, 66, flits - 1);
            for n in 1..flits {
                assert!(!countdown.is_last()[1].get(66), "{n} of {flits}");
                assert_eq!(countdown.get(1, 66) + beyond, flits - n);
                countdown.pass(&router)[1].each(|router| beyond = countdown.start(1, router, beyond - 1));
            }
            assert!(countdown.is_last()[1].get(66) && beyond == 0);
            assert!(!countdown.pass(&router)[1].any());
        }
    }
}
