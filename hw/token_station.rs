//! Station of a token ring: of the switches of a group, one at a time copies a worm (\[ATBM\]
//! section 4.1).
//!
//! A worm whose header names several branches waits for the token before it asks for its lanes. The
//! token is captured in the cycle in which it is here and wanted, decisions of that cycle included;
//! of several inputs the round-robin pointer chooses. It is released, one service a visit, as soon
//! as the heads must have reached the nodes: when every branch has taken more flits than the hops
//! to come can hold ([`bound`]), or has taken the tail. A token that is released, or not wanted,
//! moves on: what a station does in a cycle is seen by the next one `token_hop_cycles` later. A
//! ring of one switch has no wires: its token is here in every cycle but those from the capture to
//! the release.

use crate::arbiter::round_robin;

/// Registers of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reg {
    /// Inputs whose worm waits for the token.
    pub request: u64,
    /// Flits that all branches of the holder's worm have taken.
    pub forwarded: u32,
    /// Input whose worm holds the token.
    pub holder: Option<u8>,
    /// Round-robin pointer over the inputs.
    pub pointer: u8,
}

impl Reg {
    /// A station without requests.
    pub const IDLE: Self = Self { request: 0, forwarded: 0, holder: None, pointer: 0 };
}

/// What a station does to its ring's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// An input has begun to wait for it.
    Wanted,
    /// An input has captured it.
    Captured,
    /// This input's worm lets go of it: it moves on.
    Released(u8),
}

/// The input that captures the token, if it is `here` and wanted, and the next registers.
#[must_use]
pub const fn capture(q: Reg, here: bool, inputs: u8) -> (Option<u8>, Reg) {
    if !here || q.request == 0 {
        return (None, q);
    }
    let winner = round_robin::grant(q.request, q.pointer);
    let request = q.request & !(1 << winner);
    (Some(winner), Reg { request, forwarded: 0, holder: Some(winner), pointer: round_robin::behind(winner, inputs) })
}

/// All branches of the holder's worm have taken one more flit, the `tail` perhaps: whether the
/// token is released, and the next registers.
#[must_use]
pub const fn forward(q: Reg, bound: u32, tail: bool) -> (bool, Reg) {
    let forwarded = q.forwarded + 1;
    let released = tail || forwarded > bound;
    (released, Reg { forwarded, holder: if released { None } else { q.holder }, ..q })
}

/// Flits that the hops from a switch to the nodes can hold when `to_come` switches are still to come: credits limit each hop to the
/// depth of the FIFO behind it, the last one to that of the consumption channel; every switch still to come strips `stripped`
/// flits (\[ATBM\] prints B * (n - j), for UNI-MINs and depths that are all B).
#[must_use]
pub const fn bound(to_come: u32, fifo_depth: u32, consumption_depth: u32, stripped: u32) -> u32 {
    to_come * (fifo_depth + stripped) + consumption_depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_is_served_within_as_many_visits_as_there_are_inputs() {
        for request in 1..(1u64 << 6) {
            for pointer in 0..6 {
                let mut q = Reg { request, pointer, ..Reg::IDLE };
                let mut served = 0u64;
                for _ in 0..request.count_ones() {
                    assert_eq!(capture(q, false, 6), (None, q));
                    let (winner, held) = capture(q, true, 6);
                    let winner = winner.unwrap();
                    assert_eq!((held.holder, held.forwarded), (Some(winner), 0));
                    served |= 1 << winner;
                    // The one served wants it again at once.
                    q = Reg { request: held.request | 1 << winner, holder: None, ..held };
                }
                assert_eq!(served, request);
            }
        }
    }

    #[test]
    fn the_token_is_released_by_the_flit_beyond_the_bound_or_by_the_tail() {
        for bound in 0..6 {
            for flits in 1..9 {
                let mut q = Reg { holder: Some(3), ..Reg::IDLE };
                let mut taken = 0;
                while q.holder.is_some() {
                    taken += 1;
                    let (released, next) = forward(q, bound, taken == flits);
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
