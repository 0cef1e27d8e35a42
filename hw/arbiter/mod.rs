//! Arbiter of an output lane, or of the allocator of a switch: it grants one of several requests
//! (docs/reference/timing.md, R7.9 to R7.19). Each kind has a file.
//!
//! ```text
//!             ┌─────────┐
//!  requests ─▶│ pointer │─▶ winner
//!      ages ─▶│ ahead   │
//!             └─────────┘
//! ```
//!
//! The winner is combinational, from requests and registers ([`Arbiter::grant`]). The registers
//! change at the clock edge after a grant ([`next`]), and hold without one. [`eval`] does both. An
//! allocator that may skip a winner calls `grant` and [`next`] separately.
//!
//! The drawing holds for all kinds. Inputs are numbered as the arbiter sees them. A kind uses some
//! of the registers, and the others keep their values.

pub mod fixed_priority;
pub mod matrix;
pub mod oldest_first;
pub mod round_robin;
pub mod rr_tree;

use alloc::vec::Vec;

use crate::Arbiter;

/// Pins.
#[derive(Clone, Copy, Debug)]
pub struct In {
    /// Inputs that ask; not 0.
    pub requests: u64,
    /// Number of inputs.
    pub inputs: u8,
}

/// Pins: number of the worm that asks at an input. The lower the number, the older the worm. This
/// is a function, so the kinds that compare no ages do not collect the numbers of 64 worms.
pub type Age<'a> = &'a dyn Fn(u8) -> u32;

/// Registers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reg {
    /// An input.
    pub pointer: u8,
    /// For each input, the inputs that win against it. Empty for an arbiter that keeps no order.
    pub ahead: Vec<u64>,
}

impl Reg {
    /// At reset.
    #[must_use]
    pub fn reset(kind: Arbiter, inputs: u8) -> Self {
        Self { pointer: 0, ahead: kind.order(inputs).collect() }
    }
}

/// The winner, and the next registers.
#[must_use]
pub fn eval(kind: Arbiter, i: In, age: Age, q: Reg) -> (u8, Reg) {
    let winner = kind.grant(i, age, q.pointer, &q.ahead);
    (winner, next(kind, i, winner, q))
}

/// The registers after a grant to `winner`.
#[must_use]
pub fn next(kind: Arbiter, i: In, winner: u8, q: Reg) -> Reg {
    let rows = (0..).zip(q.ahead);
    Reg {
        pointer: kind.pointer(i, winner, q.pointer),
        ahead: rows.map(|(input, ahead)| kind.ahead(i, winner, input, ahead)).collect(),
    }
}

impl Arbiter {
    /// [`Reg::ahead`] at reset.
    pub fn order(self, inputs: u8) -> impl Iterator<Item = u64> {
        let kept = match self {
            Self::RoundRobin | Self::FixedPriority | Self::RrTree | Self::OldestFirst => 0,
            Self::Matrix => inputs,
        };
        (0..kept).map(|input| (1 << input) - 1)
    }

    /// The winner.
    #[must_use]
    #[inline(always)]
    pub fn grant(self, i: In, age: Age, pointer: u8, ahead: &[u64]) -> u8 {
        match self {
            Self::RoundRobin => round_robin::grant(i.requests, pointer),
            Self::FixedPriority => fixed_priority::grant(i.requests),
            Self::RrTree => rr_tree::grant(i.requests, pointer),
            Self::Matrix => matrix::grant(i.requests, ahead),
            Self::OldestFirst => oldest_first::grant(i.requests, age),
        }
    }

    /// The requests that could win, each in some state of the registers.
    #[must_use]
    pub fn could_grant(self, i: In, age: Age) -> u64 {
        match self {
            Self::RoundRobin | Self::RrTree | Self::Matrix => i.requests,
            Self::FixedPriority | Self::OldestFirst => 1 << self.grant(i, age, 0, &[]),
        }
    }

    /// The pointer after a grant to `winner`.
    #[must_use]
    #[inline(always)]
    pub const fn pointer(self, i: In, winner: u8, pointer: u8) -> u8 {
        match self {
            Self::RoundRobin => round_robin::behind(winner, i.inputs),
            Self::FixedPriority | Self::Matrix | Self::OldestFirst => pointer,
            Self::RrTree => rr_tree::next(i.requests, pointer),
        }
    }

    /// The row of the order after a grant to `winner`: the inputs that go before `input`.
    #[must_use]
    #[inline(always)]
    pub const fn ahead(self, i: In, winner: u8, input: u8, ahead: u64) -> u64 {
        match self {
            Self::RoundRobin | Self::FixedPriority | Self::RrTree | Self::OldestFirst => ahead,
            Self::Matrix => matrix::row(i.inputs, winner, input, ahead),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The requests that win in some state. The states come from sequences of requests of all
    /// kinds.
    fn granted(kind: Arbiter, requests: u64, age: Age) -> u64 {
        let mut found = 0;
        for history in 0..512_u64 {
            let mut q = Reg::reset(kind, 4);
            for step in 0..3 {
                let i = In { requests: (history >> (3 * step) & 7) + 1, inputs: 4 };
                q = eval(kind, i, age, q).1;
            }
            found |= 1 << eval(kind, In { requests, inputs: 4 }, age, q).0;
        }
        found
    }

    #[test]
    fn what_could_be_granted_is_what_some_state_grants() {
        let age = |input: u8| [7, 3, 9, 1][usize::from(input)];
        for (kind, requests) in Arbiter::ALL.into_iter().flat_map(|kind| (1..16).map(move |requests| (kind, requests)))
        {
            let could = kind.could_grant(In { requests, inputs: 4 }, &age);
            assert_eq!(could, granted(kind, requests, &age), "{kind}: {requests:04b}");
        }
    }

    #[test]
    fn registers_turn_behind_the_winner_alone() {
        let age = |_: u8| 0;
        let i = In { requests: 0b1010, inputs: 4 };
        let turned = |kind| {
            let (winner, q) = eval(kind, i, &age, Reg::reset(kind, 4));
            (winner, q.pointer, q.ahead)
        };
        assert_eq!(turned(Arbiter::RoundRobin), (1, 2, Vec::new()));
        assert_eq!(turned(Arbiter::FixedPriority), (1, 0, Vec::new()));
        assert_eq!(turned(Arbiter::RrTree), (1, 1, Vec::new()));
        assert_eq!(turned(Arbiter::Matrix), (1, 0, [0b0000, 0b1101, 0b0001, 0b0101].to_vec()));
        assert_eq!(turned(Arbiter::OldestFirst), (1, 0, Vec::new()));
        let passed_over = next(Arbiter::RoundRobin, i, 3, Reg::reset(Arbiter::RoundRobin, 4));
        assert_eq!(passed_over.pointer, 0, "the winner need not be the first");
    }
}
