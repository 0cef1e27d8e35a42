//! Allocator of an output lane: round-robin among the inputs that ask.
//!
//! ```text
//!  requests ──▶┌─────────┐──▶ wins, an input each
//!      free ──▶│ pointer │
//!              └─────────┘
//! ```
//!
//! Where one input asks, it wins whatever the pointer says: that is found for all routers at once.
//! Where several do, the block of `hw` chooses, router by router. The pointer moves behind the
//! winner (docs/reference/timing.md, R7.2, R7.7, R7.9).

use wormscope_hw::arbiter::round_robin;

use super::plane::Plane;

/// Bits of a pointer.
pub(super) const BITS: usize = 3;

/// Registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocator<const L: usize> {
    /// No input owns the lane.
    pub free: Plane<L>,
    /// The input that is first in turn, bit by bit.
    pub pointer: [Plane<L>; BITS],
}

impl<const L: usize> Allocator<L> {
    /// At reset.
    pub const RESET: Self = Self { free: Plane::ALL, pointer: [Plane::NONE; BITS] };

    /// One router's pointer.
    pub fn pointer(&self, router: usize) -> u8 {
        (0..BITS).fold(0, |pointer, k| pointer | u8::from(self.pointer[k].get(router)) << k)
    }

    /// One cycle: who of those that ask is granted the lane.
    #[inline(always)]
    pub fn eval<const P: usize>(&mut self, requests: &[Plane<L>; P]) -> [Plane<L>; P] {
        let (mut any, mut several) = (Plane::NONE, Plane::NONE);
        for &request in requests {
            several |= any & request;
            any |= request;
        }
        let granted = any & self.free;
        self.free &= !granted;
        let alone = granted & !several;
        let mut wins = requests.map(|request| request & alone);
        for k in 0..BITS {
            let mut pointer = self.pointer[k] & !alone;
            for (input, &win) in wins.iter().enumerate() {
                if round_robin::behind(input as u8, P as u8) >> k & 1 != 0 {
                    pointer |= win;
                }
            }
            self.pointer[k] = pointer;
        }
        let contested = granted & several;
        if contested.any() {
            contested.each(|router| {
                let ask = (0..P).fold(0, |ask, input| ask | u64::from(requests[input].get(router)) << input);
                let winner = round_robin::grant(ask, self.pointer(router));
                let pointer = round_robin::behind(winner, P as u8);
                wins[usize::from(winner)].set(router, true);
                (0..BITS).for_each(|k| self.pointer[k].set(router, pointer >> k & 1 != 0));
            });
        }
        wins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_router_has_an_arbiter_of_its_own() {
        let (mut allocator, mut pointers, mut seed) = (Allocator::<2>::RESET, [0; 128], 7_u64);
        for _ in 0..200 {
            let mut draw = || {
                seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x33;
                Plane::<2>([seed & seed >> 17, seed >> 5 & seed.rotate_left(41)])
            };
            let requests: [_; 5] = std::array::from_fn(|_| draw());
            let free = draw();
            allocator.free = free;
            let wins = allocator.eval(&requests);
            for (router, pointer) in pointers.iter_mut().enumerate() {
                let ask = (0..5).fold(0, |ask, input| ask | u64::from(requests[input].get(router)) << input);
                let winner = (ask != 0 && free.get(router)).then(|| round_robin::grant(ask, *pointer));
                for (input, win) in (0..).zip(&wins) {
                    assert_eq!(win.get(router), winner == Some(input));
                }
                if let Some(winner) = winner {
                    *pointer = round_robin::behind(winner, 5);
                }
                assert_eq!(allocator.pointer(router), *pointer);
                assert_eq!(allocator.free.get(router), free.get(router) && winner.is_none());
            }
        }
    }
}
