//! Link: a lane's credit counter at the sender.
//!
//! A flit that crosses in cycle t is in the next FIFO in `t + crossbar_cycles + link_cycles`; a flit that leaves a FIFO in t
//! gives its sender a credit usable in `t + credit_cycles`.

/// The far end of a lane, as the engine numbers instances; the switch only hands it back to its pins. Bits 0..6 lane, 6..31 instance,
/// 31 node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Far(u32);

impl Far {
    /// The far end of a lane that is not connected.
    pub const NOWHERE: Self = Self(u32::MAX);

    /// Lane of a switch or of a bank of switches.
    #[must_use]
    pub const fn switch(bank: u32, lane: u8) -> Self {
        Self(bank << 6 | lane as u32)
    }

    /// Channel of a node.
    #[must_use]
    pub const fn node(node: u32, channel: u8) -> Self {
        Self(1 << 31 | node << 6 | channel as u32)
    }

    /// The bank of switches, or the node.
    #[must_use]
    #[inline(always)]
    pub const fn instance(self) -> u32 {
        (self.0 & 0x7fff_ffff) >> 6
    }

    /// Its lane or channel.
    #[must_use]
    #[inline(always)]
    pub const fn lane(self) -> u8 {
        self.0 as u8 & 63
    }

    /// Its lane or channel, counted over all instances with 64 each.
    #[must_use]
    #[inline(always)]
    pub const fn number(self) -> usize {
        (self.0 & 0x7fff_ffff) as usize
    }

    /// The far end is a node.
    #[must_use]
    #[inline(always)]
    pub const fn is_node(self) -> bool {
        self.0 >> 31 != 0
    }
}

/// What the flits or the credits of a lane leave through: a lane of a bank of switches, counted through all banks with 64 each. Lanes that
/// end at nodes share one behind them that nobody looks at, so that it does not matter to a flit which ones do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line(u32);

impl Line {
    /// The line into a lane of a bank of switches.
    #[must_use]
    pub const fn new(bank: u32, lane: u8) -> Self {
        Self(bank << 6 | lane as u32)
    }

    /// The bank.
    #[must_use]
    #[inline(always)]
    pub const fn bank(self) -> usize {
        (self.0 >> 6) as usize
    }

    /// Its lane, one bit.
    #[must_use]
    #[inline(always)]
    pub const fn bit(self) -> u64 {
        1 << (self.0 & 63)
    }

    /// The lane, counted through all banks.
    #[must_use]
    #[inline(always)]
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

/// Credits after `returned` credits came back.
#[must_use]
#[inline(always)]
pub const fn refund(credits: u16, returned: u16) -> u16 {
    credits + returned
}

/// Cycles from sending a flit to sending the next one through the same slot of an otherwise unblocked FIFO: full rate needs a
/// depth of at least this many flits.
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
