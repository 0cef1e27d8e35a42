//! Arbiter of an output lane, or of a switch's allocator: which of several requests is granted
//! (docs/reference/timing.md, R7.9 to R7.19). One kind a file.
//!
//! ```text
//!             ┌─────────┐
//!  requests ─▶│ pointer │─▶ winner
//!      ages ─▶│ ahead   │
//!             └─────────┘
//! ```
//!
//! The winner is combinational, from requests and registers ([`Arbiter::grant`]); the registers
//! turn at the clock edge behind a grant ([`next`]), and hold without one. [`eval`] is both; an
//! allocator that may have to pass a winner over takes them apart. The drawing holds for all kinds:
//! inputs are numbered as the arbiter sees them, a kind says which registers it has, and the others
//! stay as they are.

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
    /// How many inputs there are.
    pub inputs: u8,
}

/// Pins: number of the worm that asks at an input, the lower, the older. Looked up where a kind
/// compares them, so that for all others nobody collects the numbers of 64 worms.
pub type Age<'a> = &'a dyn Fn(u8) -> u32;

/// Registers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reg {
    /// An input.
    pub pointer: u8,
    /// For each input those that go before it; none where the kind keeps no order.
    pub ahead: Vec<u64>,
}

impl Reg {
    /// At reset.
    #[must_use]
    pub fn reset(kind: Arbiter, inputs: u8) -> Self {
        Self { pointer: 0, ahead: kind.order(inputs).collect() }
    }
}

/// Who is granted, and the next registers.
#[must_use]
pub fn eval(kind: Arbiter, i: In, age: Age, q: Reg) -> (u8, Reg) {
    let winner = kind.grant(i, age, q.pointer, &q.ahead);
    (winner, next(kind, i, winner, q))
}

/// The next registers, behind a grant to `winner`.
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

    /// Who is granted.
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

    /// Which of the requests it could grant, each of them in some state of its registers.
    #[must_use]
    pub fn could_grant(self, i: In, age: Age) -> u64 {
        match self {
            Self::RoundRobin | Self::RrTree | Self::Matrix => i.requests,
            Self::FixedPriority | Self::OldestFirst => 1 << self.grant(i, age, 0, &[]),
        }
    }

    /// The next pointer, behind a grant to `winner`.
    #[must_use]
    #[inline(always)]
    pub const fn pointer(self, i: In, winner: u8, pointer: u8) -> u8 {
        match self {
            Self::RoundRobin => round_robin::behind(winner, i.inputs),
            Self::FixedPriority | Self::Matrix | Self::OldestFirst => pointer,
            Self::RrTree => rr_tree::next(i.requests, pointer),
        }
    }

    /// The next row of the order: those that go before `input`, behind a grant to `winner`.
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

    /// The requests that are granted in some state that requests of all kinds lead to.
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
