//! Lane group: equivalent output lanes, of which a branch needs one. Examples are the virtual
//! channels of a class, dilated links, consumption channels, and the links up of a switch.
//!
//! ```text
//!         free ─▶┌──────────┐
//!                │ priority │─▶ lane
//!  with credit ─▶└──────────┘
//! ```
//!
//! Lanes are granted one after the other within a cycle, first the lanes with credit. A lane
//! without credit is granted only when no free lane has credit. `lowest` grants in ascending order.
//! `round_robin` grants from the pointer on, and each grant moves the pointer to the lane after it.
//! An input that gets a lane drops out (docs/reference/timing.md, R7.3 to R7.5).

use crate::{LaneChoice, LaneMask, PortMask};

/// Registers of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reg {
    /// The lane at which the search for the next lane begins.
    pub pointer: u8,
}

/// A group of output ports that lead away from the nodes, of which routing may choose any. Each
/// reaches a switch from which other ports lead down to the destination. A worm with several
/// destinations takes this group if the ports `below` do not reach all of them. Then it has no
/// branch through the ports `below`: it reaches their destinations from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climb {
    /// The ports. The lowest one names the group.
    pub ports: PortMask,
    /// The ports that lead down where this group leads up.
    pub below: PortMask,
}

impl Climb {
    /// The port that names the group.
    #[must_use]
    #[inline(always)]
    pub const fn first(self) -> u8 {
        self.ports.0.trailing_zeros() as u8
    }
}

/// The next lane to grant, from at least one `free` lane. Lanes with credit go first. Among equals,
/// the first lane at or after the pointer goes first, cyclically.
#[must_use]
#[inline(always)]
pub const fn next_lane(free: LaneMask, with_credit: LaneMask, q: Reg) -> u8 {
    let good = free.0 & with_credit.0;
    let lanes = if good != 0 { good } else { free.0 };
    let behind = lanes >> q.pointer << q.pointer;
    (if behind != 0 { behind } else { lanes }).trailing_zeros() as u8
}

/// The registers of the group after a grant of this lane, one of 64 at most.
#[must_use]
#[inline(always)]
pub const fn grant(choice: LaneChoice, lane: u8) -> Reg {
    match choice {
        LaneChoice::Lowest => Reg { pointer: 0 },
        LaneChoice::RoundRobin => Reg { pointer: (lane + 1) % 64 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_with_credit_go_first_then_the_lowest() {
        let next = |free, with_credit| next_lane(LaneMask(free), LaneMask(with_credit), Reg::default());
        assert_eq!(next(0b1110, 0b1000), 3);
        assert_eq!(next(0b1110, 0b0001), 1);
        assert_eq!(next(0b1110, 0b1100), 2);
    }

    #[test]
    fn lanes_that_take_turns_are_looked_for_behind_the_one_granted_last() {
        let next = |free, with_credit, last| {
            next_lane(LaneMask(free), LaneMask(with_credit), grant(LaneChoice::RoundRobin, last))
        };
        assert_eq!([0, 1, 2, 3].map(|last| next(0b1110, 0b1110, last)), [1, 2, 3, 1]);
        // Lanes with credit come first, at every position.
        assert_eq!([0, 1, 2, 3].map(|last| next(0b1110, 0b0010, last)), [1; 4]);
        assert_eq!(next(0b1110, 0, 2), 3);
        // The first lane follows the last of 64 lanes.
        assert_eq!(next(u64::MAX, u64::MAX, 63), 0);
        assert_eq!(grant(LaneChoice::Lowest, 2), Reg::default());
    }

    #[test]
    fn a_climb_is_named_by_its_first_port() {
        assert_eq!(Climb { ports: PortMask(0b1100), below: PortMask(0b0011) }.first(), 2);
    }
}
