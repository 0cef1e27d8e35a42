//! Round-robin arbiter: among the inputs that ask, each router chooses the one that is next in turn.
//!
//! ```text
//!  requests ──▶┌─────────┐──▶ wins, by input
//!              │ pointer │
//!              └─────────┘
//! ```
//!
//! The pointer is kept as a row of planes: input `i` has a bit where the pointer is at `i` or below
//! it. The first request that has such a bit wins. Where none has one, the first request wins. So
//! all routers choose at once, without a loop over routers (docs/reference/timing.md, R7.9, R9.11).

use super::plane::Plane;

/// Registers of an arbiter of `N` inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundRobin<const N: usize, const L: usize> {
    /// By input, the pointer is at this input or at a lower one.
    turn: [Plane<L>; N],
}

impl<const N: usize, const L: usize> RoundRobin<N, L> {
    /// At reset: the pointer is at input 0.
    pub const RESET: Self = Self { turn: [Plane::ALL; N] };

    /// One router's pointer.
    pub fn pointer(&self, router: usize) -> u8 {
        self.turn.iter().position(|turn| turn.get(router)).unwrap_or(0) as u8
    }

    /// One cycle: the input that wins at each router where one asks. `may` leaves out pairs that
    /// never meet.
    #[inline(always)]
    pub fn eval(&mut self, requests: &[Plane<L>; N], may: impl Fn(usize) -> bool) -> [Plane<L>; N] {
        let (mut wins, mut in_turn) = ([Plane::NONE; N], Plane::NONE);
        for input in (0..N).filter(|&input| may(input)) {
            let asks = requests[input] & self.turn[input];
            wins[input] = asks & !in_turn;
            in_turn |= asks;
        }
        let mut granted = in_turn;
        for input in (0..N).filter(|&input| may(input)) {
            wins[input] |= requests[input] & !granted;
            granted |= requests[input];
        }
        // The pointer moves to the input after the winner.
        let mut passed = wins[N - 1];
        for (turn, &win) in self.turn.iter_mut().zip(&wins) {
            *turn = *turn & !granted | passed;
            passed |= win;
        }
        wins
    }
}

#[cfg(test)]
mod tests {
    use wormscope_hw::arbiter::round_robin;

    use super::*;

    #[test]
    fn every_router_has_an_arbiter_of_its_own() {
        let (mut arbiter, mut pointers, mut seed) = (RoundRobin::<5, 2>::RESET, [0; 128], 7_u64);
        for _ in 0..200 {
            let requests: [_; 5] = std::array::from_fn(|_| {
                seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x33;
                Plane::<2>([seed & seed >> 17, seed >> 5 & seed.rotate_left(41)])
            });
            let wins = arbiter.eval(&requests, |_| true);
            for (router, pointer) in pointers.iter_mut().enumerate() {
                let ask = (0..5).fold(0, |ask, input| ask | u64::from(requests[input].get(router)) << input);
                let winner = (ask != 0).then(|| round_robin::grant(ask, *pointer));
                for (input, win) in (0..).zip(&wins) {
                    assert_eq!(win.get(router), winner == Some(input));
                }
                if let Some(winner) = winner {
                    *pointer = round_robin::behind(winner, 5);
                }
                assert_eq!(arbiter.pointer(router), *pointer);
            }
        }
    }
}
