//! Allocators of the output lanes: each grants its lane to one of the input lanes that ask, in
//! round-robin order.
//!
//! ```text
//!  requests ──▶┌─────────┐──▶ wins, by input and output
//!      open ──▶│ free    │
//!              │ turn    │
//!              └─────────┘
//! ```
//!
//! A lane is granted where it is `open`: free, and next in the order of its group. The pointer of a
//! lane is a row of planes: input `i` has a bit where the pointer is at `i` or below it. The first
//! request that has such a bit wins. Where none has one, the first request wins. So the lanes of all
//! routers choose at once (docs/reference/timing.md, R7.2, R7.3, R7.7 to R7.9).

use std::ops::Range;

use super::plane::Plane;

/// A fact of each pair of an input lane and an output lane.
pub(super) type Pairs<const N: usize, const L: usize> = [[Plane<L>; N]; N];

/// Registers of the allocators of `N` output lanes, for which `N` input lanes ask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocators<const N: usize, const L: usize> {
    /// By output, no input owns the lane.
    pub free: [Plane<L>; N],
    /// By input and output, the pointer of the output is at this input or at a lower one.
    turn: Pairs<N, L>,
}

impl<const N: usize, const L: usize> Allocators<N, L> {
    /// At reset: the lanes are free, and the pointers are at input 0.
    pub const RESET: Self = Self { free: [Plane::ALL; N], turn: [[Plane::ALL; N]; N] };

    /// One router's pointer of an output.
    pub fn pointer(&self, output: usize, router: usize) -> u8 {
        self.turn.iter().position(|turn| turn[output].get(router)).unwrap_or(0) as u8
    }

    /// One cycle of some outputs: by input and output, where the input is granted the lane. `may`
    /// leaves out pairs of an input and an output that never meet.
    #[inline(always)]
    pub fn eval(
        &mut self,
        requests: &Pairs<N, L>,
        outputs: Range<usize>,
        may: impl Fn(usize, usize) -> bool,
    ) -> Pairs<N, L> {
        let (mut wins, mut granted) = ([[Plane::NONE; N]; N], [Plane::NONE; N]);
        for input in 0..N {
            for output in outputs.clone().filter(|&output| may(input, output)) {
                let asks = requests[input][output] & self.turn[input][output];
                wins[input][output] = asks & !granted[output];
                granted[output] |= asks;
            }
        }
        for input in 0..N {
            for output in outputs.clone().filter(|&output| may(input, output)) {
                wins[input][output] |= requests[input][output] & !granted[output];
                granted[output] |= requests[input][output];
            }
        }
        // The pointer moves to the input after the winner.
        let mut passed = wins[N - 1];
        for input in 0..N {
            for output in outputs.clone() {
                self.turn[input][output] = self.turn[input][output] & !granted[output] | passed[output];
                passed[output] |= wins[input][output];
            }
        }
        for output in outputs {
            self.free[output] &= !granted[output];
        }
        wins
    }
}

#[cfg(test)]
mod tests {
    use wormscope_hw::arbiter::round_robin;

    use super::*;

    #[test]
    fn every_router_has_arbiters_of_its_own() {
        let (mut allocators, mut pointers, mut seed) = (Allocators::<5, 2>::RESET, [[0; 5]; 128], 7_u64);
        for _ in 0..200 {
            let mut requests = [[Plane::<2>::NONE; 5]; 5];
            for request in requests.iter_mut().flatten() {
                seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 0x33;
                *request = Plane([seed & seed >> 17, seed >> 5 & seed.rotate_left(41)]);
            }
            allocators.free = [Plane::ALL; 5];
            let wins = allocators.eval(&requests, 0..5, |_, _| true);
            for (router, pointers) in pointers.iter_mut().enumerate() {
                for (output, pointer) in pointers.iter_mut().enumerate() {
                    let asks = |input: usize| u64::from(requests[input][output].get(router)) << input;
                    let ask = (0..5).fold(0, |ask, input| ask | asks(input));
                    let winner = (ask != 0).then(|| round_robin::grant(ask, *pointer));
                    for (input, wins) in (0..).zip(&wins) {
                        assert_eq!(wins[output].get(router), winner == Some(input));
                    }
                    if let Some(winner) = winner {
                        *pointer = round_robin::behind(winner, 5);
                    }
                    assert_eq!(allocators.pointer(output, router), *pointer);
                    assert_eq!(allocators.free[output].get(router), winner.is_none());
                }
            }
        }
    }
}
