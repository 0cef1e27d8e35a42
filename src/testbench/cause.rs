//! What kept a worm before it failed.

use std::fmt;

use super::record::Wait;
use crate::deadlock::Names;

/// A wait that made a worm late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The worm that waited.
    pub worm: u32,
    /// The worm that kept it.
    pub by: u32,
    /// The lane.
    pub lane: String,
    /// First cycle.
    pub from: u64,
    /// The cycle behind the last.
    pub until: u64,
}

impl Cause {
    /// The longest wait of a worm for a lane before a cycle; of equal ones the first. One that has
    /// not ended by then ends there.
    pub(super) fn of(waits: &[Wait], worm: u32, before: u64, names: &impl Names) -> Option<Self> {
        let mine = waits.iter().filter(|wait| wait.worm == worm && wait.from < before);
        let cut = mine.map(|wait| (wait, wait.until.min(before)));
        let longest = cut.min_by_key(|(wait, until)| (std::cmp::Reverse(until - wait.from), wait.from));
        longest.map(|(wait, until)| Self { worm, by: wait.by, lane: names.lane(wait.lane), from: wait.from, until })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { worm, by, lane, from, until } = self;
        write!(f, "cycles {from} to {}: worm {worm} for {lane}, which worm {by} owns", until.saturating_sub(1))
    }
}
