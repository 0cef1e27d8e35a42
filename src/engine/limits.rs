//! Limits of a run.

wormscope_hw::words!(
    #[derive(Default)]
    /// How a measured run ends.
    Drain {
        /// Traffic goes on until every measured message has arrived. A run in which the source
        /// queues grow steadily through the window ends as saturated. The run looks again after two
        /// windows, four, and so on.
        #[default]
        Measured = "measured",
        /// Traffic stops after the measured window; the run ends when the network is empty.
        Empty = "empty",
        /// Traffic goes on until every measured message has arrived. Beyond saturation this takes
        /// many windows.
        All = "all",
    }
);

/// Limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// First cycle of the window. Messages created before it are not measured.
    pub measure_from: u64,
    /// End of the window. Messages created from this cycle on are not measured.
    pub measure_until: u64,
    /// A run whose worms have all arrived still lasts to this cycle. Endless random traffic is
    /// measured to the end of its window, even if no message comes any more.
    pub at_least: u64,
    /// The condition that ends the run after the window.
    pub drain: Drain,
    /// The run stops before this cycle at the latest.
    pub max_cycles: u64,
    /// Cycles between two searches for a deadlock while flits move.
    pub deadlock_check_cycles: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            measure_from: 0,
            measure_until: u64::MAX,
            at_least: 0,
            drain: Drain::Empty,
            max_cycles: u64::MAX,
            deadlock_check_cycles: 1024,
        }
    }
}
