//! Lane group: equivalent output lanes (virtual channels of a class, dilated links, consumption
//! channels, the links up of a switch), of which a branch needs one.
//!
//! ```text
//!         free ─▶┌──────────┐
//!                │ priority │─▶ lane
//!  with credit ─▶└──────────┘
//! ```
//!
//! Combinational. Lanes are granted in ascending order within the cycle, those with credit first; a
//! lane without credit is granted all the same when no other is free. An input served drops out
//! (docs/TIMING.md, "Lane groups and arbiters").

use crate::{LaneMask, PortMask};

/// A group of output ports that routing chooses from freely, on the way to where others lead down
/// to the destination: all that leave away from the nodes. A worm with several destinations takes
/// it, with all that it has for that side, as long as one of them is not reached by the ports
/// below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climb {
    /// The ports; the first names the group.
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

/// The lane that is granted next of those that are `free`, at least one: the lowest with credit,
/// else the lowest.
#[must_use]
#[inline(always)]
pub const fn next_lane(free: LaneMask, with_credit: LaneMask) -> u8 {
    let good = free.0 & with_credit.0;
    (if good != 0 { good } else { free.0 }).trailing_zeros() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_with_credit_go_first_then_the_lowest() {
        let next = |free, with_credit| next_lane(LaneMask(free), LaneMask(with_credit));
        assert_eq!(next(0b1110, 0b1000), 3);
        assert_eq!(next(0b1110, 0b0001), 1);
        assert_eq!(next(0b1110, 0b1100), 2);
    }

    #[test]
    fn a_climb_is_named_by_its_first_port() {
        assert_eq!(Climb { ports: PortMask(0b1100), below: PortMask(0b0011) }.first(), 2);
    }
}
