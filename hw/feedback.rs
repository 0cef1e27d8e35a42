//! Feedback of a synchronous worm (\[ATBM\] section 1, after Chiang and Ni). Wires along its tree
//! let its heads go on to the next stage together.
//!
//! ```text
//!              ┌───────┐
//!     ready ──▶│ depth │──▶ depth (heads)
//!  advanced ──▶│ heads │──▶ go
//!              │ left  │──▶ since
//!              └───────┘
//! ```
//!
//! The first switch at which a worm branches is the root, at depth 0. Its branches go on as soon as
//! all of them can. The heads at depth d are at switches of one stage. In every cycle they say
//! whether they are ready.
//!
//! In hardware these are wires with a register a hop. In every cycle, each switch of the tree
//! stores the AND of the signals from its branches, and sends the stored bit towards the root. So
//! the root has the signal of depth d after d cycles. Its `go`, one for each stage, is back after d
//! more cycles. On its way, `go` clears the signals that the switches have stored, so no signal of
//! this stage counts for the next.
//!
//! Only the round trip of 2d cycles is visible. The wires take one cycle for each hop, for every
//! length of the links. So this block counts the ready heads of a worm and then 2d cycles, which
//! gives equal results in every cycle. It needs no registers where no worm is
//! (docs/reference/timing.md, R8.10 to R8.13). feedback.sv has the wires.

use crate::LaneMask;

/// Registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reg {
    /// Hops from the root to the heads; 0 while the worm has one head.
    pub depth: u32,
    /// Heads that go on together; 0 where all are at their nodes, or there is one head.
    pub heads: u32,
    /// Cycles until the heads go, this one included. Set once all heads were ready.
    pub left: Option<u32>,
    /// Output: the cycle (low 32 bits) in which the worm got the lanes that its heads came through,
    /// or left its node. It travels with the heads and decides the order.
    pub since: u32,
}

/// Pins: acts of the heads of the worm in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct In {
    /// The cycle (low 32 bits).
    pub now: u32,
    /// Heads that are ready.
    pub ready: u32,
    /// Branches that got their lanes.
    pub branches: u32,
    /// Number of these branches that lead to another switch.
    pub onward: u32,
}

/// Message of a switch to the feedback of a worm in service at an input, with the number of the
/// worm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadEvent {
    /// A head is ready.
    Ready(u32),
    /// A head has got these lanes.
    Advanced(u32, LaneMask),
}

/// Output: signals of the worm that a switch sees at one of its inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Hops from the root; 0 for a worm with one head.
    pub depth: u32,
    /// The head takes the lanes that it has reserved.
    pub go: bool,
    /// See [`Reg::since`].
    pub since: u32,
}

impl Reg {
    /// A worm that leaves its node in cycle `now`.
    #[must_use]
    pub const fn injected(now: u32) -> Self {
        Self { depth: 0, heads: 0, left: None, since: now }
    }

    /// Outputs.
    #[must_use]
    pub const fn head(self) -> Head {
        Head { depth: self.depth, go: matches!(self.left, Some(0)), since: self.since }
    }
}

/// Cycles from the cycle in which the last head is ready to the cycle in which all heads go.
#[must_use]
pub const fn round_trip(depth: u32) -> u32 {
    2 * depth
}

/// Place in the order, as one number: the lower, the earlier. A worm that came in an earlier cycle
/// `since` goes first. If worms came in the same cycle, the lower number goes first.
#[must_use]
pub const fn order(now: u32, since: u32, worm: u32) -> u64 {
    (!now.wrapping_sub(since) as u64) << 32 | worm as u64
}

/// The next registers.
#[must_use]
pub const fn eval(i: In, q: Reg) -> Reg {
    if i.branches > 0 {
        let grows = q.depth > 0 || i.branches > 1;
        let (depth, heads) = if grows { (q.depth + 1, i.onward) } else { (0, 0) };
        return Reg { depth, heads, left: None, since: i.now };
    }
    let left = match q.left {
        Some(left) => Some(left.saturating_sub(1)),
        None if q.heads > 0 && i.ready == q.heads => Some(round_trip(q.depth) - 1),
        None => None,
    };
    Reg { left, ..q }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: In = In { now: 0, ready: 0, branches: 0, onward: 0 };

    /// A model of the wires: shift registers up the tree and down again, one register a hop.
    #[test]
    fn the_count_is_that_of_a_register_a_hop_up_and_down() {
        for depth in 1..5 {
            for pattern in 0..64_u32 {
                let mut q = Reg { depth, heads: 3, left: None, since: 0 };
                let mut wires = [false; 8];
                for cycle in 0..32 {
                    let length = 2 * depth as usize;
                    assert_eq!(q.head().go, wires[length - 1], "{depth} {pattern:b} {cycle}");
                    if wires[length - 1] {
                        break;
                    }
                    let ready = if pattern >> (cycle % 6) & 1 != 0 { 3 } else { 2 };
                    wires.rotate_right(1);
                    wires[0] = ready == 3;
                    q = eval(In { ready, ..NOTHING }, q);
                }
            }
        }
    }

    #[test]
    fn a_worm_of_one_head_has_no_tree_and_the_root_is_where_it_branches() {
        let q = eval(In { now: 9, branches: 1, onward: 1, ..NOTHING }, Reg::injected(4));
        assert_eq!(q, Reg::injected(9));
        let q = eval(In { now: 12, branches: 2, onward: 2, ..NOTHING }, q);
        assert_eq!(q, Reg { depth: 1, heads: 2, left: None, since: 12 });
        // Three branches with two heads that lead on, then all branches lead to nodes.
        let q = eval(In { now: 20, branches: 3, onward: 3, ..NOTHING }, q);
        assert_eq!((q.depth, q.heads), (2, 3));
        assert_eq!(eval(In { now: 30, branches: 4, onward: 0, ..NOTHING }, q).heads, 0);
    }

    #[test]
    fn who_came_first_goes_first_and_of_two_the_one_created_first() {
        assert!(order(100, 90, 7) < order(100, 91, 3) && order(100, 90, 3) < order(100, 90, 7));
        assert!(order(2, u32::MAX, 9) < order(2, 1, 0), "across the end of the count");
    }
}
