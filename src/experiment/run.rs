//! Length of a run and its measurement.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::engine::Drain;

/// How long to run and what to measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Cycles before the window. The run does not measure messages that are created in them.
    pub warmup_cycles: u64,
    /// Length of the window. `None` is 10,000 under random traffic; without it, everything after
    /// the warm-up is measured. With multicasts in software beside `spmd`, or with `skip`, the run
    /// ends when they are complete.
    pub measure_cycles: Option<u64>,
    /// How the run ends after the window.
    pub drain: Drain,
    /// The run stops at this cycle at the latest.
    pub max_cycles: u64,
    /// Cycles between two searches for a deadlock while something moves. A network in which nothing
    /// moves is searched at once.
    pub deadlock_check_cycles: u64,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            seed: 1,
            warmup_cycles: 0,
            measure_cycles: None,
            drain: Drain::default(),
            max_cycles: 1_000_000_000_000,
            deadlock_check_cycles: 1024,
        }
    }
}

impl Run {
    /// Cycles whose messages are measured, in a run with or without random traffic. A window
    /// without end goes up to the last cycle of 64 bits.
    #[must_use]
    pub fn window(&self, random_traffic: bool) -> Range<u64> {
        let cycles = self.measure_cycles.unwrap_or(if random_traffic { 10_000 } else { u64::MAX });
        self.warmup_cycles..self.warmup_cycles.saturating_add(cycles)
    }
}
