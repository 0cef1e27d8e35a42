//! Arbiter of an output lane, or of a switch's allocator: which of several requests is granted. One
//! kind a file.
//!
//! ```text
//!             ┌─────────┐
//!  requests ─▶│ pointer │─▶ winner       grant:  combinational, from requests and registers
//!      ages ─▶│ ahead   │                update: the clock edge behind a grant; without one all registers hold
//!             └─────────┘
//! ```
//!
//! Inputs are numbered as the arbiter sees them. A kind says which registers it has; the others
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

/// Number of the worm that asks at an input: the lower, the older.
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

    /// Who is granted.
    #[must_use]
    pub fn grant(&self, kind: Arbiter, i: In, age: Age) -> u8 {
        kind.grant(i, age, self.pointer, &self.ahead)
    }

    /// The clock edge behind a grant to `winner`.
    pub fn update(&mut self, kind: Arbiter, i: In, winner: u8) {
        kind.update(i, winner, &mut self.pointer, &mut self.ahead);
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

    /// The next registers, behind a grant to `winner`.
    #[inline(always)]
    pub fn update(self, i: In, winner: u8, pointer: &mut u8, ahead: &mut [u64]) {
        match self {
            Self::RoundRobin => *pointer = round_robin::behind(winner, i.inputs),
            Self::FixedPriority | Self::OldestFirst => {}
            Self::RrTree => *pointer = rr_tree::next(i.requests, *pointer),
            Self::Matrix => matrix::update(winner, ahead),
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
                let winner = q.grant(kind, i, age);
                q.update(kind, i, winner);
            }
            found |= 1 << q.grant(kind, In { requests, inputs: 4 }, age);
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
}
