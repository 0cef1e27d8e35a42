//! Ends of lanes, as banks number them.

/// The far end of a lane, as the engine numbers instances; the switch only hands it back to its
/// pins. Bits 0..6 lane, 6..31 instance, 31 node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Far(u32);

impl Far {
    /// The far end of a lane that is not connected.
    pub(crate) const NOWHERE: Self = Self(u32::MAX);

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

    /// Lane or channel of the end.
    #[must_use]
    #[inline(always)]
    pub const fn lane(self) -> u8 {
        self.0 as u8 & 63
    }

    /// Lane or channel of the end, counted over all instances with 64 each.
    #[must_use]
    #[inline(always)]
    pub const fn number(self) -> usize {
        (self.0 & 0x7fff_ffff) as usize
    }

    /// The far end is a node.
    #[must_use]
    #[inline(always)]
    pub(crate) const fn is_node(self) -> bool {
        self.0 >> 31 != 0
    }
}

/// The line through which the flits or the credits of a lane leave. It is a lane of a bank of
/// switches, counted through all banks with 64 each. All lanes that end at nodes share one line,
/// which no switch reads. So a flit needs no test for them.
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
    pub(crate) const fn bank(self) -> usize {
        (self.0 >> 6) as usize
    }

    /// Lane of the line, as one bit.
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
