//! Link: a lane's credit counter at the sender.
//!
//! A flit that crosses in cycle t is in the next FIFO in `t + crossbar_cycles + link_cycles`; a flit that leaves a FIFO in t
//! gives its sender a credit usable in `t + credit_cycles`.

/// The far end of a lane, as the engine numbers instances; the switch only hands it back to its pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Far {
    /// Switch, or node when `is_node`.
    pub instance: u32,
    /// Its lane, or channel of the node.
    pub lane: u8,
    /// The far end is a node.
    pub is_node: bool,
}

impl Far {
    /// The far end of a lane that is not connected.
    pub const NOWHERE: Self = Self { instance: u32::MAX, lane: 0, is_node: true };
}

/// Credits after one flit was sent.
#[must_use]
#[inline(always)]
pub const fn spend(credits: u16) -> u16 {
    credits - 1
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
