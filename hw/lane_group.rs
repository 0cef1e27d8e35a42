//! Lane group: equivalent output lanes (virtual channels of a class, dilated links, consumption
//! channels), of which a branch needs one.
//!
//! Lanes are granted in ascending order within the cycle, those with credit first; a lane without
//! credit is granted all the same when no other is free. An input served drops out (docs/TIMING.md,
//! "Lane groups and arbiters").

/// A group of output ports that routing chooses from freely, on the way to where others lead down
/// to the destination: all that leave away from the nodes. A worm with several destinations takes
/// it, with all that it has for that side, as long as one of them is not reached by the ports
/// below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Climb {
    /// The ports, a bit each; the first names the group.
    pub ports: u64,
    /// The ports that lead down where this group leads up.
    pub below: u64,
}

impl Climb {
    /// The port that names the group.
    #[must_use]
    #[inline(always)]
    pub const fn first(self) -> u8 {
        self.ports.trailing_zeros() as u8
    }
}

/// The free lane that is granted next: the lowest with credit, else the lowest. `free` is not 0.
#[must_use]
#[inline(always)]
pub const fn next_lane(free: u64, with_credit: u64) -> u8 {
    let good = free & with_credit;
    (if good != 0 { good } else { free }).trailing_zeros() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_with_credit_go_first_then_the_lowest() {
        assert_eq!(next_lane(0b1110, 0b1000), 3);
        assert_eq!(next_lane(0b1110, 0b0001), 1);
        assert_eq!(next_lane(0b1110, 0b1100), 2);
    }
}
