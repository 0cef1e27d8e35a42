//! A bank of lanes as the checkers know it.

use super::rules::{Breaches, Rule};
use crate::engine::SlicedCounters;

/// Counters of the lanes of a bank up to any number.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    planes: [u64; 32],
    /// Planes in use.
    used: usize,
}

impl Tally {
    #[inline(always)]
    pub fn up(&mut self, lanes: u64) {
        let (mut carry, mut at) = (lanes, 0);
        while carry != 0 && at < self.planes.len() {
            let plane = &mut self.planes[at];
            (*plane, carry) = (*plane ^ carry, *plane & carry);
            at += 1;
        }
        self.used = self.used.max(at);
    }

    pub fn clear(&mut self, lane: usize) {
        self.planes[..self.used].iter_mut().for_each(|plane| *plane &= !(1 << lane));
    }

    pub fn get(&self, lane: usize) -> u32 {
        self.planes[..self.used].iter().rev().fold(0, |n, plane| n << 1 | (plane >> lane & 1) as u32)
    }
}

/// A bank as the checkers know it.
#[derive(Clone, Debug)]
pub(super) struct WatchedBank {
    /// Flits in each FIFO at the last sample, and FIFOs that get a flit before the next one.
    pub told: SlicedCounters,
    pub due: u64,
    /// Credits that each output lane must have, and those at reset.
    pub credits: SlicedCounters,
    pub full: SlicedCounters,
    /// FIFOs behind nodes.
    pub from_nodes: u64,
    /// Output lanes that exist, those that lead to nodes, and those whose credits were wrong.
    pub exist: u64,
    pub to_nodes: u64,
    pub lost: u64,
    /// Output lanes that a worm crosses, and how many of its flits have crossed.
    pub open: u64,
    pub passed: Tally,
}

impl WatchedBank {
    /// Credits come back to these lanes.
    #[inline(always)]
    pub fn returned(&mut self, lanes: u64, cycle: u64, breaches: &mut Breaches) {
        let lanes = lanes & !self.lost;
        let over = lanes & !self.credits.differ(&self.full);
        if over != 0 {
            self.lost |= over;
            breaches.add(Rule::Credits, cycle, || "more credits come back than the lane has sent flits".to_owned());
        }
        self.credits.up(lanes & !over);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_counts_lanes() {
        let mut tally = Tally::default();
        (0..70).for_each(|n| tally.up(1 << 5 | u64::from(n % 2 == 0) << 63));
        assert_eq!((tally.get(5), tally.get(63), tally.get(0)), (70, 35, 0));
        tally.clear(63);
        assert_eq!((tally.get(5), tally.get(63)), (70, 0));
    }
}
