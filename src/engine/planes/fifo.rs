//! FIFO of an input lane: the number of its flits, and the places that hold a tail. It keeps no
//! flits. A worm is known by its head, which travels apart.
//!
//! ```text
//!  arrive ──▶┌────────────┐──▶ occupied
//!    tail ──▶│ count      │──▶ front is a tail
//!     pop ──▶│ tails      │
//!            └────────────┘
//! ```
//!
//! Place 0 is the front. A flit that arrives stands at the place that the count names. A pop moves
//! all others one place on (docs/reference/timing.md, R4.1 to R4.4).

use super::counter::Counter;
use super::plane::Plane;

/// Registers for `D` places, counted in `B` bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fifo<const L: usize, const D: usize, const B: usize> {
    /// Flits.
    pub count: Counter<L, B>,
    /// By place, whether a tail stands there.
    pub tails: [Plane<L>; D],
}

impl<const L: usize, const D: usize, const B: usize> Fifo<L, D, B> {
    /// At reset.
    pub fn reset() -> Self {
        Self { count: Counter::all(0), tails: [Plane::NONE; D] }
    }

    /// The clock edge: flits `arrive`, `tails` among them.
    #[inline(always)]
    pub fn arrive(&mut self, arrive: Plane<L>, tails: Plane<L>) {
        for place in 0..D {
            self.tails[place] |= tails & self.count.is(place);
        }
        self.count.up(arrive);
    }

    /// Output: a flit is in front.
    #[inline(always)]
    pub fn occupied(&self) -> Plane<L> {
        self.count.any()
    }

    /// Output: the flit in front is a tail.
    #[inline(always)]
    pub fn front_is_tail(&self) -> Plane<L> {
        self.tails[0]
    }

    /// The front flits of `routers` leave.
    #[inline(always)]
    pub fn pop(&mut self, routers: Plane<L>) {
        for place in 1..D {
            let behind = self.tails[place];
            self.tails[place - 1] ^= (self.tails[place - 1] ^ behind) & routers;
        }
        self.tails[D - 1] &= !routers;
        self.count.down(routers);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn tails_leave_in_the_order_in_which_they_came() {
        let (mut fifo, mut queues) = (Fifo::<1, 4, 3>::reset(), vec![VecDeque::new(); 64]);
        let mut seed = 1_u64;
        for _ in 0..300 {
            seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ 0x55;
            let (mut arrive, mut pop) = (Plane::NONE, Plane::NONE);
            for (router, queue) in queues.iter().enumerate() {
                arrive.set(router, seed >> router & 1 != 0 && queue.len() < 4);
            }
            let tails = arrive & Plane([seed.rotate_left(9)]);
            fifo.arrive(arrive, tails);
            arrive.each(|router| queues[router].push_back(tails.get(router)));
            for (router, queue) in queues.iter().enumerate() {
                assert_eq!(fifo.occupied().get(router), !queue.is_empty());
                assert_eq!(fifo.front_is_tail().get(router), queue.front() == Some(&true));
                pop.set(router, seed.rotate_left(31) >> router & 1 != 0 && !queue.is_empty());
            }
            fifo.pop(pop);
            pop.each(|router| assert!(queues[router].pop_front().is_some()));
        }
    }
}
