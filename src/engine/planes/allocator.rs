//! Allocator of an output lane: grants the lane to one of the input lanes that ask.
//!
//! ```text
//!  requests ──▶┌─────────┐──▶ wins, by input
//!      open ──▶│ free    │
//!              │ arbiter │
//!              └─────────┘
//! ```
//!
//! The lane is granted where it is `open`: free, and next in the order of its group
//! (docs/reference/timing.md, R7.2, R7.3, R7.7 to R7.9).

use super::arbiter::RoundRobin;
use super::plane::Plane;

/// Registers of an output lane that `N` input lanes ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocator<const N: usize, const L: usize> {
    /// No input owns the lane.
    pub free: Plane<L>,
    pub arbiter: RoundRobin<N, L>,
}

impl<const N: usize, const L: usize> Allocator<N, L> {
    /// At reset.
    pub const RESET: Self = Self { free: Plane::ALL, arbiter: RoundRobin::RESET };

    /// One cycle: which of the inputs that ask is granted the lane, where it is `open`. `may` leaves
    /// out inputs that never ask.
    #[inline(always)]
    pub fn eval(&mut self, requests: &[Plane<L>; N], open: Plane<L>, may: impl Fn(usize) -> bool) -> [Plane<L>; N] {
        let wins = self.arbiter.eval(&requests.map(|request| request & open), may);
        self.free &= !wins.iter().fold(Plane::NONE, |granted, &win| granted | win);
        wins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_that_is_granted_is_free_no_more() {
        let (mut allocator, one) = (Allocator::<2, 1>::RESET, Plane([0b01]));
        let wins = allocator.eval(&[Plane([0b11]), one], one, |_| true);
        assert_eq!((wins, allocator.free), ([one, Plane::NONE], !one));
        // The second input is next in turn where the first has won.
        let wins = allocator.eval(&[Plane([0b11]), Plane([0b11])], Plane([0b11]), |_| true);
        assert_eq!((wins, allocator.free), ([Plane([0b10]), one], !Plane([0b11])));
    }
}
