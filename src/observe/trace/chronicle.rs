//! Facts about a run for a saved view: names of worms, times of the worm in the title, and busy
//! lanes.

use std::collections::{BTreeMap, BTreeSet};

use bitvec::vec::BitVec;
use wormscope_hw::{SwitchId, WormId};

use super::Windows;
use crate::engine::{Delivery, InjectSample, WormInfo};

/// Largest number of worms with a name, because a viewer reads them all into one list.
const NAMED: usize = 1 << 16;
/// Number of lanes that are kept for each [`Rank`].
const LANES: usize = 64;

/// A lane of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    /// The switch.
    pub switch: SwitchId,
    /// Whether the lane is an output lane; if not, it is an input lane.
    pub output: bool,
    /// Number of the lane, port-major.
    pub number: u8,
}

/// Kind of the worm whose passage makes a lane worth showing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Subject,
    Multicast,
    Any,
}

/// Story of a run, as a saved view needs it.
#[derive(Debug, Default)]
pub struct Chronicle {
    windows: Windows,
    worms: BTreeMap<u32, (WormInfo, usize)>,
    subject: Option<WormInfo>,
    followed: bool,
    /// Cycle in which the subject's first flit left its source.
    pub injected: Option<u64>,
    /// Cycle of the subject's first complete arrival.
    pub first_arrival: Option<u64>,
    /// Cycle of its last arrival so far.
    pub last_arrival: Option<u64>,
    /// Worms with several destinations, one bit for each.
    multicasts: BitVec<u64>,
    lanes: [Vec<Lane>; 3],
    /// Switches with multicasts that came when [`LANES`] lanes were kept.
    more: BTreeSet<SwitchId>,
}

impl Chronicle {
    /// Begins the story. There may be a worm to follow.
    #[must_use]
    pub fn new(windows: Windows, followed: Option<&WormInfo>) -> Self {
        Self { windows, subject: followed.cloned(), followed: followed.is_some(), ..Self::default() }
    }

    /// The worm of title and markers. It is the followed one, else the first multicast, else the
    /// first worm.
    #[must_use]
    pub(crate) fn subject(&self) -> Option<&WormInfo> {
        self.subject.as_ref()
    }

    /// Worms that get a name.
    pub fn worms(&self) -> impl Iterator<Item = &WormInfo> {
        self.worms.values().map(|(worm, _)| worm)
    }

    /// Lanes that the subject and other multicasts passed, in the order of their first passage.
    /// Without any, lanes that any worm passed.
    pub fn lanes(&self) -> impl Iterator<Item = Lane> {
        let [subject, multicast, any] = &self.lanes;
        let (first, second) =
            if subject.is_empty() && multicast.is_empty() { (any, multicast) } else { (subject, multicast) };
        first.iter().chain(second.iter().filter(|l| !first.contains(l))).copied()
    }

    /// Number of switches that multicasts passed, without the switches of [`Chronicle::lanes`].
    #[must_use]
    pub fn more_switches(&self) -> usize {
        self.more.iter().filter(|&&switch| self.lanes().all(|lane| lane.switch != switch)).count()
    }

    /// Records that a worm was created.
    pub fn created(&mut self, worm: &WormInfo) {
        if self.windows.are_over(worm.created) {
            return;
        }
        if self.worms.len() < NAMED {
            self.worms.insert(worm.id.0, (worm.clone(), worm.destinations.len()));
        }
        if worm.destinations.len() > 1 {
            let number = worm.id.index();
            self.multicasts.resize(self.multicasts.len().max(number + 1), false);
            self.multicasts.set(number, true);
        }
        let better = self.subject.as_ref().is_none_or(|s| s.destinations.len() < 2 && worm.destinations.len() > 1);
        if better && !self.followed {
            self.choose(Some(worm.clone()));
        }
    }

    /// Records that a worm arrived at one destination.
    pub fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        let subject = self.is_subject(worm.id);
        if subject {
            self.injected.get_or_insert(delivery.injected);
            self.first_arrival.get_or_insert(delivery.tail);
            self.last_arrival = Some(delivery.tail);
        }
        if delivery.tail < self.windows.start() {
            let Some((_, left)) = self.worms.get_mut(&worm.id.0) else { return };
            *left -= 1;
            if *left == 0 {
                self.worms.remove(&worm.id.0);
                if subject && !self.followed {
                    self.choose(None);
                }
            }
        }
    }

    /// Records that a flit left its source.
    #[inline]
    pub fn injection(&mut self, sample: &InjectSample, cycle: u64) {
        if sample.flit.is_some_and(|flit| self.is_subject(flit.worm)) {
            self.injected.get_or_insert(cycle);
        }
    }

    /// Records that another worm appears in a lane.
    pub fn passes(&mut self, worm: WormId, lane: Lane) {
        let multicast = self.multicasts.get(worm.index()).is_some_and(|is_one| *is_one);
        if multicast {
            let subject = self.is_subject(worm);
            self.keep(if subject { Rank::Subject } else { Rank::Multicast }, lane);
        } else if self.lanes[Rank::Any as usize].len() < LANES {
            self.keep(Rank::Any, lane);
        }
    }

    fn keep(&mut self, rank: Rank, lane: Lane) {
        let lanes = &mut self.lanes[rank as usize];
        if lanes.contains(&lane) {
            return;
        }
        if lanes.len() < LANES {
            lanes.push(lane);
        } else {
            self.more.insert(lane.switch);
        }
    }

    fn is_subject(&self, worm: WormId) -> bool {
        self.subject.as_ref().is_some_and(|s| s.id == worm)
    }

    fn choose(&mut self, subject: Option<WormInfo>) {
        self.subject = subject;
        (self.injected, self.first_arrival, self.last_arrival) = (None, None, None);
        self.lanes[Rank::Subject as usize].clear();
    }
}
