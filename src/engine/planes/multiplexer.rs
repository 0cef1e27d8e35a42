//! Channel multiplexer: the virtual channels of one physical link take turns, flit by flit.
//!
//! ```text
//!             ┌──────┐
//!  offered ──▶│ turn │──▶ sent, by channel
//!             └──────┘
//! ```
//!
//! The pointer is a row of planes, as in [`super::allocator`]. A link of one channel has no
//! multiplexer (docs/reference/timing.md, R9.11, R11.8, R11.10).

use super::plane::Plane;

/// Registers of a link of `V` channels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Multiplexer<const V: usize, const L: usize> {
    /// By channel, the pointer is at this channel or at a lower one.
    turn: [Plane<L>; V],
}

impl<const V: usize, const L: usize> Multiplexer<V, L> {
    /// At reset: the pointer is at channel 0.
    pub const RESET: Self = Self { turn: [Plane::ALL; V] };

    /// One router's pointer.
    pub fn pointer(&self, router: usize) -> u8 {
        self.turn.iter().position(|turn| turn.get(router)).unwrap_or(0) as u8
    }

    /// One cycle: of the channels that could send, the one that does.
    #[inline(always)]
    pub fn eval(&mut self, offered: &[Plane<L>; V]) -> [Plane<L>; V] {
        if V == 1 {
            return *offered;
        }
        let (mut sends, mut sent) = ([Plane::NONE; V], Plane::NONE);
        for ((send, &offer), &turn) in sends.iter_mut().zip(offered).zip(&self.turn) {
            *send = offer & turn & !sent;
            sent |= offer & turn;
        }
        for (send, &offer) in sends.iter_mut().zip(offered) {
            *send |= offer & !sent;
            sent |= offer;
        }
        let mut passed = sends[V - 1];
        for (turn, &send) in self.turn.iter_mut().zip(&sends) {
            *turn = *turn & !sent | passed;
            passed |= send;
        }
        sends
    }
}

#[cfg(test)]
mod tests {
    use wormscope_hw::multiplexer;

    use super::*;

    #[test]
    fn channels_take_turns_as_in_the_block() {
        let (mut ours, mut theirs, mut seed) = (Multiplexer::<3, 1>::RESET, [multiplexer::Reg::default(); 64], 5_u64);
        for _ in 0..100 {
            let offered: [_; 3] = std::array::from_fn(|_| {
                seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ 0x55;
                Plane([seed])
            });
            let sends = ours.eval(&offered);
            for (router, theirs) in theirs.iter_mut().enumerate() {
                let candidates = (0..3).fold(0, |all, c| all | u64::from(offered[c].get(router)) << c);
                if candidates == 0 {
                    assert!(sends.iter().all(|sent| !sent.get(router)));
                    continue;
                }
                let (winner, next) = multiplexer::eval(multiplexer::In { candidates, lanes: 3 }, *theirs);
                *theirs = next;
                assert!((0..3).all(|c| sends[c].get(router) == (c == usize::from(winner))));
                assert_eq!(ours.pointer(router), next.pointer);
            }
        }
    }
}
