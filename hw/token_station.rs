//! Station of a token ring. In a group of switches, only the switch with the token copies a worm
//! (\[ATBM\] section 4.1).
//!
//! ```text
//!             ┌───────────┐
//!   wanted ──▶│ request   │──▶ captured (input)
//!     here ──▶│ holder    │
//!             │ pointer   │
//!  leaving ──▶│ forwarded │──▶ released
//!             └───────────┘
//! ```
//!
//! A worm whose header names several branches waits for the token before it asks for its lanes. The
//! station captures the token in a cycle in which the token is here and wanted. Requests of this
//! cycle count. The round-robin pointer chooses one of several inputs.
//!
//! A visit of the token gives one service. The token is released when the heads must have reached
//! the nodes. Then every branch has taken more flits than the hops to come can hold ([`bound`]), or
//! has taken the tail. Capture and release can happen in one cycle. So there are two steps, in
//! dataflow order: [`capture`] before lanes are granted, and [`forward`] after the replication unit
//! (docs/reference/timing.md, R6.7 to R6.14).

use crate::InputMask;
use crate::arbiter::round_robin;

/// Registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reg {
    /// Inputs whose worm waits for the token.
    pub request: InputMask,
    /// Flits that all branches of the holder's worm have taken.
    pub forwarded: u32,
    /// Input whose worm holds the token.
    pub holder: Option<u8>,
    /// Round-robin pointer over the inputs.
    pub pointer: u8,
}

impl Reg {
    /// At reset.
    pub const IDLE: Self = Self { request: InputMask::NONE, forwarded: 0, holder: None, pointer: 0 };

    /// The registers after further inputs begin to wait.
    #[must_use]
    #[inline(always)]
    pub const fn requested(self, wanted: InputMask) -> Self {
        Self { request: InputMask(self.request.0 | wanted.0), ..self }
    }
}

/// An act of a station on the token of its ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An input begins to wait for the token.
    Wanted,
    /// This input captures the token.
    Captured(u8),
    /// The worm of this input releases the token, which moves on.
    Released(u8),
}

/// Pins before the allocator.
#[derive(Clone, Copy, Debug)]
pub struct Wanting {
    /// Inputs whose worm is decided in this cycle and begins to wait for the token.
    pub wanted: InputMask,
    /// The token is at this station.
    pub here: bool,
    /// Number of inputs of the switch.
    pub inputs: u8,
}

/// The input that captures the token, and the next registers.
#[must_use]
pub const fn capture(i: Wanting, q: Reg) -> (Option<u8>, Reg) {
    let q = q.requested(i.wanted);
    if !i.here || q.request.is_empty() {
        return (None, q);
    }
    let winner = round_robin::grant(q.request.0, q.pointer);
    let request = q.request.without(InputMask::only(winner));
    (Some(winner), Reg { request, forwarded: 0, holder: Some(winner), pointer: round_robin::behind(winner, i.inputs) })
}

/// Pins after the replication unit: a flit leaves the FIFO of the holder's input.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// The flit is the tail.
    pub tail: bool,
    /// Number of flits after which the token may be released; see [`bound`].
    pub bound: u32,
}

/// Whether the token is released, and the next registers.
#[must_use]
pub const fn forward(i: Leaving, q: Reg) -> (bool, Reg) {
    let forwarded = q.forwarded + 1;
    let released = i.tail || forwarded > i.bound;
    (released, Reg { forwarded, holder: if released { None } else { q.holder }, ..q })
}

/// Flits that the hops from a switch to the nodes can hold when `to_come` switches are still to
/// come. Credits limit each hop to the depth of the FIFO at its end. The last hop ends in a
/// consumption channel. Every switch still to come strips `stripped` flits. \[ATBM\] prints
/// `B * (n - j)`, for UNI-MINs and depths that are all B.
#[must_use]
pub const fn bound(to_come: u32, fifo_depth: u32, consumption_depth: u32, stripped: u32) -> u32 {
    to_come * (fifo_depth + stripped) + consumption_depth
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Wanting = Wanting { wanted: InputMask::NONE, here: true, inputs: 6 };

    #[test]
    fn every_input_is_served_within_as_many_visits_as_there_are_inputs() {
        for request in (1..(1u64 << 6)).map(InputMask) {
            for pointer in 0..6 {
                let mut q = Reg { request, pointer, ..Reg::IDLE };
                let mut served = InputMask::NONE;
                for _ in 0..request.count() {
                    assert_eq!(capture(Wanting { here: false, ..HERE }, q), (None, q));
                    let (winner, held) = capture(HERE, q);
                    let winner = winner.unwrap();
                    assert_eq!((held.holder, held.forwarded), (Some(winner), 0));
                    served |= InputMask::only(winner);
                    // The input that was served wants the token again at once.
                    let again = Wanting { wanted: InputMask::only(winner), here: false, ..HERE };
                    q = Reg { holder: None, ..capture(again, held).1 };
                }
                assert_eq!(served, request);
            }
        }
    }

    #[test]
    fn a_token_that_nobody_wants_passes_by() {
        assert_eq!(capture(HERE, Reg::IDLE), (None, Reg::IDLE));
    }

    #[test]
    fn a_token_is_captured_in_the_cycle_in_which_it_is_wanted() {
        let wanted = InputMask(0b1010);
        let (winner, q) = capture(Wanting { wanted, ..HERE }, Reg::IDLE);
        assert_eq!((winner, q.request, q.holder, q.pointer), (Some(1), InputMask::only(3), Some(1), 2));
    }

    #[test]
    fn the_token_is_released_by_the_flit_beyond_the_bound_or_by_the_tail() {
        for bound in 0..6 {
            for flits in 1..9 {
                let mut q = Reg { holder: Some(3), ..Reg::IDLE };
                let mut taken = 0;
                while q.holder.is_some() {
                    taken += 1;
                    let (released, next) = forward(Leaving { tail: taken == flits, bound }, q);
                    assert_eq!(released, next.holder.is_none());
                    q = next;
                }
                assert_eq!(taken, flits.min(bound + 1));
            }
        }
    }

    #[test]
    fn with_equal_depths_and_nothing_stripped_the_bound_is_the_published_one() {
        let (n, b) = (6, 4);
        for j in 0..n {
            assert_eq!(bound(n - 1 - j, b, b, 0), b * (n - j));
        }
    }
}
