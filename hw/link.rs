//! Link: a lane's credit counter at the sender.
//!
//! A flit that crosses in cycle t is in the next FIFO in `t + crossbar_cycles + link_cycles`; a
//! flit that leaves a FIFO in t gives its sender a credit usable in `t + credit_cycles`.

/// Credits after `returned` credits came back.
#[must_use]
#[inline(always)]
pub const fn refund(credits: u16, returned: u16) -> u16 {
    credits + returned
}

/// Cycles from sending a flit to sending the next one through the same slot of an otherwise
/// unblocked FIFO: full rate needs a depth of at least this many flits.
#[must_use]
pub const fn round_trip(crossbar_cycles: u32, link_cycles: u32, credit_cycles: u32) -> u32 {
    crossbar_cycles + link_cycles + credit_cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_comes_back_after_the_flit_and_its_credit() {
        assert_eq!(round_trip(0, 1, 1), 2);
        assert_eq!(round_trip(1, 5, 4), 10);
    }
}
