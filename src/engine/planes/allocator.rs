//! Allocator of an output lane: grants the lane to one of the input lanes that ask, in round-robin
//! order.
//!
//! ```text
//!  requests ──▶┌──────┐──▶ wins, by input
//!              │ free │
//!              │ turn │
//!              └──────┘
//! ```
//!
//! Inputs ask only where the lane is open: it is free, and next in the order of its group. The
//! pointer is a row of planes. Input `i` has a bit if the pointer is at `i` or at a lower input.
//! The first request with such a bit wins. If no request has one, the first request wins. So all
//! routers choose at once (docs/reference/timing.md, R7.2, R7.3, R7.7 to R7.9).

use super::plane::Plane;

/// Registers of an output lane for which `N` input lanes ask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocator<const N: usize, const L: usize> {
    /// No input owns the lane.
    pub free: Plane<L>,
    /// By input, the pointer is at this input or at a lower one.
    turn: [Plane<L>; N],
}

impl<const N: usize, const L: usize> Allocator<N, L> {
    /// At reset: the lane is free, and the pointer is at input 0.
    pub const RESET: Self = Self { free: Plane::ALL, turn: [Plane::ALL; N] };

    /// One router's pointer.
    pub fn pointer(&self, router: usize) -> u8 {
        self.turn.iter().position(|turn| turn.get(router)).unwrap_or(0) as u8
    }

    /// One cycle: the input that is granted the lane, of those that ask.
    #[inline(always)]
    pub fn eval(&mut self, requests: &[Plane<L>; N]) -> [Plane<L>; N] {
        let (mut wins, mut granted) = ([Plane::NONE; N], Plane::NONE);
        for ((win, &request), &turn) in wins.iter_mut().zip(requests).zip(&self.turn) {
            let asks = request & turn;
            *win = asks & !granted;
            granted |= asks;
        }
        for (win, &request) in wins.iter_mut().zip(requests) {
            *win |= request & !granted;
            granted |= request;
        }
        // The pointer moves to the input after the winner.
        let mut passed = wins[N - 1];
        for (turn, &win) in self.turn.iter_mut().zip(&wins) {
            *turn = *turn & !granted | passed;
            passed |= win;
        }
        self.free &= !granted;
        wins
    }
}

#[cfg(test)]
mod tests {
    use wormscope_hw::arbiter::round_robin;

    use super::*;

    #[test]
    fn every_router_has_an_arbiter_of_its_own() {
        let (mut allocator, mut pointers, mut seed) = (Allocator::<5, 2>::RESET, [0; 128], 7_u64);
        for _ in 0..200 {
            let requests: [_; 5] = std::array::from_fn(|_| {
                seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x33;
                Plane::<2>([seed & seed >> 17, seed >> 5 & seed.rotate_left(41)])
            });
            allocator.free = Plane::ALL;
            let wins = allocator.eval(&requests);
            for (router, pointer) in pointers.iter_mut().enumerate() {
                let ask = (0..5).fold(0, |ask, input| ask | u64::from(requests[input].get(router)) << input);
                let winner = (ask != 0).then(|| round_robin::grant(ask, *pointer));
                for (input, win) in (0..).zip(&wins) {
                    assert_eq!(win.get(router), winner == Some(input));
                }
                if let Some(winner) = winner {
                    *pointer = round_robin::behind(winner, 5);
                }
                assert_eq!(allocator.pointer(router), *pointer);
                assert_eq!(allocator.free.get(router), winner.is_none());
            }
        }
    }
}
