//! When a run ends.

wormscope_hw::words!(
    #[derive(Default)]
    /// How a measured run ends.
    Drain {
        /// Traffic goes on until every measured message has arrived. A run in which the source
        /// queues grow steadily through the window ends as saturated; the run looks again after two
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

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Messages created before this cycle are not measured.
    pub measure_from: u64,
    /// Messages created from this cycle on are not measured.
    pub measure_until: u64,
    /// What ends the run behind the measured window.
    pub drain: Drain,
    /// The run stops before this cycle at the latest.
    pub max_cycles: u64,
    /// Cycles between searches for a deadlock while something moves.
    pub deadlock_check_cycles: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            measure_from: 0,
            measure_until: u64::MAX,
            drain: Drain::Empty,
            max_cycles: u64::MAX,
            deadlock_check_cycles: 1024,
        }
    }
}
