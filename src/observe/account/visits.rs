//! The lanes that a worm passes, as a tree.

use wormscope_hw::{NodeId, WormId};

use super::history::{History, Leads};
use crate::engine::{LaneState, WormInfo};

/// A worm in service at an input lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The input lane, by its index.
    pub input: usize,
    /// The visit that its flits come from, by its place among the visits. With it comes the cycle
    /// in which the first flit crossed the channel in between. `None` for the lane that its node
    /// feeds.
    pub from: Option<(usize, u64)>,
    /// States of the lane: from, until, state.
    pub states: Vec<(u64, u64, LaneState)>,
}

impl History<'_> {
    /// The input lanes that have served a worm before `until`, in the order of the visits.
    #[must_use]
    pub fn visits(&self, worm: &WormInfo, until: u64) -> Vec<Visit> {
        let per = usize::from(self.lanes.inject);
        let first = worm.source.index() * per;
        let sends = |&channel: &usize| self.injections[channel].first_of(worm.id, worm.created, until).is_some();
        let fed = (first..first + per).find(sends).map(|channel| self.fed[channel]);
        let mut visits: Vec<Visit> = Vec::new();
        let mut left: Vec<(usize, Option<(usize, u64)>)> = fed.map(|input| (input, None)).into_iter().collect();
        while let Some((input, from)) = left.pop() {
            // A worm that passes a lane twice has only one visit of this lane here.
            if visits.iter().any(|visit| visit.input == input) {
                continue;
            }
            let place = visits.len();
            visits.push(Visit { input, from, states: self.states(input, worm.id, worm.created, until) });
            let outputs = usize::from(self.lanes.outputs.count());
            let switch = self.input_of(input).0;
            for output in (switch * outputs..(switch + 1) * outputs).rev() {
                if let Leads::Input(next) = self.leads[output]
                    && let Some(cycle) = self.outputs[output].first_of(worm.id, worm.created, until)
                    && self.owner(output, cycle) == Some(input)
                {
                    left.push((next, Some((place, cycle))));
                }
            }
        }
        visits
    }

    /// States of an input lane while it served a worm.
    fn states(&self, input: usize, worm: WormId, from: u64, until: u64) -> Vec<(u64, u64, LaneState)> {
        let mut states: Vec<(u64, u64, LaneState)> = Vec::new();
        let mut values = self.inputs[input].since(from).peekable();
        while let Some((begin, shown)) = values.next() {
            let end = values.peek().map_or(until, |(next, _)| *next).min(until);
            if shown.worm != Some(worm) || begin >= until {
                continue;
            }
            match states.last_mut() {
                Some(last) if last.1 == begin && last.2 == shown.state => last.1 = end,
                _ => states.push((begin, end, shown.state)),
            }
        }
        states
    }

    /// Destinations that a worm's tail has not reached.
    pub fn missing(&self, worm: &WormInfo) -> impl Iterator<Item = NodeId> {
        self.worms.get(&worm.id.0).into_iter().flat_map(|of| of.missing.iter().copied())
    }

    /// Whether a worm is still to arrive at one destination alone.
    #[must_use]
    pub fn is_last(&self, worm: WormId) -> bool {
        self.worms.get(&worm.0).is_some_and(|of| of.missing.len() == 1)
    }
}
