//! Records of lanes and of channels of nodes. A lane names its worms by their slots, so its record
//! is small. An input lane and the output lane straight ahead are half a line of the cache. Most
//! heads go straight on.

/// The worm in service at an input lane, once it is decided, and the output lane that a unicast
/// owns. While it asks, this is the first lane of the group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InService(u32);

impl InService {
    /// Bits of the number of an output lane.
    const BITS: u32 = 4;

    #[inline(always)]
    pub fn new(worm: u32, out: usize) -> Self {
        Self(worm << Self::BITS | out as u32)
    }

    /// Slot of the worm.
    #[inline(always)]
    pub fn worm(self) -> u32 {
        self.0 >> Self::BITS
    }

    /// The output lane.
    #[inline(always)]
    pub fn out(self) -> usize {
        (self.0 & ((1 << Self::BITS) - 1)) as usize
    }
}

/// An input lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct InLane {
    pub service: InService,
    /// Cycle (low 32 bits) in which it asked for its lanes.
    pub asked: u32,
    /// The slots in a short ring, those in front first, else no slot. In a longer one, the numbers
    /// of cells taken and written.
    pub cells: [u32; SHORT],
}

/// Cells of a short ring.
pub(super) const SHORT: usize = 2;

/// An output lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OutLane {
    /// Flits of the worms that have crossed it wholly (low 32 bits).
    pub flits: u32,
    /// Cycle (low 32 bits) in which the owner got it, once its head has had a turn.
    pub granted: u32,
    /// Most cycles for which a worm held it, and this worm; 0 when none did.
    pub top_held: u32,
    pub top_worm: u32,
}

/// An input lane, and the output lane straight ahead.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct LanePair {
    pub input: InLane,
    pub output: OutLane,
}

/// Bytes of a line of the cache.
pub(super) const LINE: usize = 64;

/// A consumption channel of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receiving {
    /// Slot of the worm whose head has crossed, and whose tail has not, or no slot.
    pub worm: u32,
    /// Cycle (low 32 bits) in which the head is at the node.
    pub at_node: u32,
}

impl Receiving {
    /// Cycle in which the head is at the node, about cycle `now`.
    #[inline(always)]
    pub fn head(self, now: u64) -> u64 {
        now.wrapping_add_signed(i64::from(self.at_node.wrapping_sub(now as u32).cast_signed()))
    }
}

/// An injection channel of a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sending {
    /// The worm under way.
    pub worm: u32,
    /// Flits to be sent behind those that the planes count.
    pub beyond: u32,
}
