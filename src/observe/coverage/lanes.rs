//! The lanes, as the observer knows them.

use super::groups::acquisition::LaneOrder;
use crate::engine::{InSample, LinkWaits};
use wormscope_hw::PortMask;

/// Number of a worm that is none.
pub(super) const NO_WORM: u32 = u32::MAX;
/// Number of a lane that is none.
pub(super) const NO_LANE: u8 = u8::MAX;

/// The part of an input lane that every sample needs. Two of them fit into a cache line.
#[derive(Clone, Debug)]
pub(super) struct SeenInput {
    /// The features of the last sample, packed.
    pub key: u64,
    pub waits: LinkWaits,
    /// Flits in the FIFO, and those that it holds.
    pub count: u16,
    pub depth: u16,
}

impl SeenInput {
    /// At reset.
    pub const fn idle(depth: u16) -> Self {
        Self { key: pack(NO_WORM, 0, 0, false, false), waits: NO_WAITS, count: 0, depth }
    }
}

const NO_WAITS: LinkWaits = LinkWaits { no_credit: PortMask::NONE, lane_wait: PortMask::NONE };

/// The part of an input lane that events need.
#[derive(Clone, Debug)]
pub(super) struct WatchedInput {
    pub state: u8,
    pub encoding: u8,
    /// Branches of the worm, none before the decision.
    pub branches: PortMask,
    pub worm: u32,
    /// Index of the first flit of the worm that came here.
    pub first: u32,
    /// First cycle without the worm before, if there was one.
    pub left: Option<u64>,
    pub order: LaneOrder,
}

impl WatchedInput {
    /// At reset.
    pub const IDLE: Self = Self {
        state: 0,
        encoding: 0,
        branches: PortMask::NONE,
        worm: NO_WORM,
        first: 0,
        left: None,
        order: LaneOrder::NONE,
    };
}

/// Fill of a FIFO: empty, part, full.
#[inline(always)]
pub(super) const fn fill(count: u16, depth: u16) -> usize {
    (count > 0) as usize + (count >= depth) as usize
}

const fn pack(worm: u32, state: u8, fill: usize, some_took: bool, decided: bool) -> u64 {
    worm as u64 | (state as u64) << 32 | (fill as u64) << 40 | (some_took as u64) << 42 | (decided as u64) << 43
}

/// The features of a sample whose change is an event, packed.
#[inline(always)]
pub(super) fn features(s: &InSample, depth: u16) -> u64 {
    let worm = s.worm.map_or(NO_WORM, |worm| worm.0);
    // Fill and flags count only where a worm has several branches.
    let several = s.branches.0 & s.branches.0.wrapping_sub(1) != 0;
    let fill = if several { fill(s.fifo_count, depth) } else { 0 };
    pack(worm, s.state as u8, fill, several && !s.taken.is_empty(), !s.branches.is_empty())
}

/// An output lane.
#[derive(Clone, Debug)]
pub(super) struct WatchedOutput {
    /// The input lane that owns it.
    pub owner: u8,
    /// The owners before, of the last grant and of the last worm that crossed.
    pub winner: u8,
    pub from: u8,
    /// The virtual channel that crossed last; kept at the first channel of a link.
    pub channel: u8,
    /// The worm whose flits cross, and the index of its last flit.
    pub worm: u32,
    pub tail: u32,
    /// First cycle after the tail of the worm before, or [`NEVER`].
    pub silent: u64,
    /// Credits when nothing is under way.
    pub credits: u16,
    /// Kind of its end: switch, stage above, node; or none.
    pub lead: u8,
    /// Lanes of its group that lead somewhere.
    pub lanes: u8,
}

/// A cycle that does not come.
pub(super) const NEVER: u64 = u64::MAX;

/// An injection or consumption channel.
#[derive(Clone, Debug)]
pub(super) struct NodeChannel {
    pub key: u64,
    pub worm: u32,
    /// First cycle after the last flit.
    pub silent: u64,
    /// Whether a worm is under way.
    pub owned: bool,
    /// The virtual channel that sent last; kept at the first channel of a link.
    pub turn: u8,
}

impl NodeChannel {
    /// At reset.
    pub const IDLE: Self = Self { key: u64::MAX, worm: NO_WORM, silent: 0, owned: false, turn: NO_LANE };
}

/// An output lane at a place of a bank.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlacedLane {
    /// Its number in the network, and at its switch.
    pub at: u32,
    pub lane: u8,
}
