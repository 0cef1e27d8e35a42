//! A search as it goes, for a command that shows it and stops it.

/// Hears how far a search is.
pub trait Watch {
    /// Whether to go on.
    fn goes_on(&self) -> bool;
    /// Runs so far.
    fn ran(&mut self, runs: u64);
    /// The best value of the metric so far, or that a bad schedule is shrunk now.
    fn best(&mut self, progress: &HuntProgress);
}

/// How far a search is.
#[derive(Clone, Debug)]
pub struct HuntProgress {
    /// Runs.
    pub runs: u64,
    /// Worms of the best schedule.
    pub worms: usize,
    /// The metric, or the cycles for which worms waited.
    pub value: u64,
    /// Whether the goal is reached, and the schedule is shrunk.
    pub shrinks: bool,
}
