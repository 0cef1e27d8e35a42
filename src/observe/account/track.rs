//! Values of lanes, channels and stations over time.

use std::collections::VecDeque;

use wormscope_hw::{InputMask, PortMask, WormId};

use crate::engine::{FlitId, InjectWait, LaneState};

/// Values of an instance over time. A value holds from its cycle to the cycle of the next value.
#[derive(Clone, Debug)]
pub(super) struct Track<T>(VecDeque<(u64, T)>);

impl<T> Default for Track<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Copy + PartialEq> Track<T> {
    /// The value in `cycle`, with the cycle since which it holds.
    pub fn at(&self, cycle: u64) -> Option<(u64, T)> {
        let after = self.0.partition_point(|(from, _)| *from <= cycle);
        after.checked_sub(1).and_then(|i| self.0.get(i)).copied()
    }

    /// Values that hold before `cycle`, the last one first.
    pub fn before(&self, cycle: u64) -> impl Iterator<Item = (u64, T)> {
        let after = self.0.partition_point(|(from, _)| *from < cycle);
        self.0.range(..after).rev().copied()
    }

    /// Values with their cycles, from the value of `cycle` on.
    pub fn since(&self, cycle: u64) -> impl Iterator<Item = (u64, T)> {
        let after = self.0.partition_point(|(from, _)| *from <= cycle);
        self.0.range(after.saturating_sub(1)..).copied()
    }

    pub fn push(&mut self, cycle: u64, value: T) {
        if self.0.back().is_none_or(|(_, last)| *last != value) {
            self.0.push_back((cycle, value));
        }
    }

    /// Forgets the values that ended before `cycle`.
    pub fn forget(&mut self, cycle: u64) {
        let gone = self.0.partition_point(|(from, _)| *from <= cycle).saturating_sub(1);
        self.0.drain(..gone);
    }
}

/// An input lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AtInput {
    pub state: LaneState,
    /// In service or at the front.
    pub worm: Option<WormId>,
    pub is_empty: bool,
    /// The flit at the front, while no flit moves.
    pub front: Option<u32>,
    pub branches: PortMask,
    pub no_credit: PortMask,
    pub lane_wait: PortMask,
}

/// An output lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AtOutput {
    /// Input lane of the switch.
    pub owner: Option<u8>,
    /// The flit that crosses in the cycle of the track; later flits follow, one in each cycle.
    pub first: Option<FlitId>,
}

/// An injection channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AtInjection {
    pub first: Option<FlitId>,
    pub waits: Option<InjectWait>,
}

/// A station of a token ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AtStation {
    pub here: bool,
    pub holder: Option<u8>,
    pub request: InputMask,
}

/// Flits that crossed a channel one after the other: of one worm, from index `first` on, from cycle
/// `from` to before `until`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    pub worm: WormId,
    pub first: u32,
    pub from: u64,
    pub until: u64,
}

impl Stream {
    /// Whether its last flit comes directly before `flit`. A worm that passes a channel twice may
    /// cross it with its tail, and in the next cycle with its head.
    pub fn leads_to(&self, flit: FlitId) -> bool {
        self.worm == flit.worm && u64::from(self.first) + (self.until - self.from) == u64::from(flit.index)
    }
}

/// A channel that flits cross.
pub(super) trait Channel {
    fn first(self) -> Option<FlitId>;
    /// The same sample with another flit, or with none.
    fn with(self, first: Option<FlitId>) -> Self;
}

impl Channel for AtOutput {
    fn first(self) -> Option<FlitId> {
        self.first
    }
    fn with(self, first: Option<FlitId>) -> Self {
        Self { first, ..self }
    }
}

impl Channel for AtInjection {
    fn first(self) -> Option<FlitId> {
        self.first
    }
    fn with(self, first: Option<FlitId>) -> Self {
        Self { first, ..self }
    }
}

impl<T: Channel + Copy + PartialEq> Track<T> {
    /// Takes the sample of a crossing in `cycle`. A flit that follows the previous flit continues
    /// its stream.
    pub fn cross(&mut self, cycle: u64, value: T) {
        if let Some((from, last)) = self.0.back()
            && let (Some(first), Some(flit)) = (last.first(), value.first())
            && flit.worm == first.worm
            && u64::from(flit.index) == u64::from(first.index) + (cycle - from)
            && value.with(Some(first)) == *last
        {
            return;
        }
        self.push(cycle, value);
    }

    /// Streams that began before `cycle`, the last one first, cut at `cycle`.
    pub fn streams(&self, cycle: u64) -> impl Iterator<Item = Stream> {
        let mut until = cycle;
        self.before(cycle).filter_map(move |(from, value)| {
            let end = std::mem::replace(&mut until, from);
            value.first().map(|flit| Stream { worm: flit.worm, first: flit.index, from, until: end })
        })
    }

    /// The last cycle from `from` up to `cycle` in which a worm's flit crossed, and which.
    pub fn last_of(&self, worm: WormId, from: u64, cycle: u64) -> Option<(u64, u32)> {
        let mut streams = self.streams(cycle + 1).take_while(|s| s.until > from);
        let stream = streams.find(|s| s.worm == worm)?;
        Some((stream.until - 1, stream.first + (stream.until - 1 - stream.from) as u32))
    }

    /// The first cycle in `from <= t < until` in which a worm's flit crossed.
    pub fn first_of(&self, worm: WormId, from: u64, until: u64) -> Option<u64> {
        let streams = self.streams(until).take_while(|s| s.until > from).filter(|s| s.worm == worm);
        streams.last().map(|s| s.from)
    }

    /// The worm whose flit crosses in `cycle`.
    pub fn crosses(&self, cycle: u64) -> Option<WormId> {
        self.at(cycle)?.1.first().map(|flit| flit.worm)
    }

    /// The last cycle before `cycle` in which a flit of a worm crossed.
    pub fn crossed(&self, flit: FlitId, cycle: u64) -> Option<u64> {
        let has = |s: &Stream| {
            s.worm == flit.worm && s.first <= flit.index && u64::from(flit.index - s.first) < s.until - s.from
        };
        self.streams(cycle).find(has).map(|s| s.from + u64::from(flit.index - s.first))
    }
}
