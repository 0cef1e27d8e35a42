//! Channel multiplexer: the virtual channels of one physical link share it flit by flit. It serves
//! the lanes that have a flit and a credit in round-robin order.
//!
//! ```text
//!               ┌─────────┐
//!  candidates ─▶│ pointer │─▶ winner
//!               └─────────┘
//! ```
//!
//! Lanes are numbered within the link. A node has a multiplexer for each of its injection links
//! (docs/reference/timing.md, R9.11, R11.8, R11.10).

use crate::arbiter::round_robin;

/// Registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// The lane that goes first.
    pub pointer: u8,
}

/// Pins.
#[derive(Clone, Copy, Debug)]
pub struct In {
    /// Lanes that can send, one bit for each; not 0.
    pub candidates: u64,
    /// Number of lanes of the link.
    pub lanes: u8,
}

/// The lane that sends in this cycle, and the next registers.
#[must_use]
#[inline(always)]
pub const fn eval(i: In, q: Reg) -> (u8, Reg) {
    let winner = round_robin::grant(i.candidates, q.pointer);
    (winner, Reg { pointer: round_robin::behind(winner, i.lanes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_that_can_send_take_turns() {
        let mut q = Reg::default();
        let mut winner = |candidates| {
            let (winner, next) = eval(In { candidates, lanes: 3 }, q);
            q = next;
            winner
        };
        assert_eq!([0b111, 0b111, 0b111, 0b111, 0b101, 0b001, 0b110].map(&mut winner), [0, 1, 2, 0, 2, 0, 1]);
    }
}
