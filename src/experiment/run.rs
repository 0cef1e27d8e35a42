//! How long an experiment runs and what of it is measured.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::engine::Drain;

/// How long to run and what to measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// Seed of all random streams.
    pub seed: u64,
    /// Cycles before measuring starts; messages created in them are not measured.
    pub warmup_cycles: u64,
    /// Length of the measured window, and of random traffic behind the warm-up. When absent 10,000
    /// cycles under random traffic; without any, everything behind the warm-up is measured, and so
    /// it is where multicasts in software are beside programs ([`Spmd`](super::Spmd)) or some of
    /// them are skipped: the run ends when they are complete.
    pub measure_cycles: Option<u64>,
    /// How the run ends behind the window.
    pub drain: Drain,
    /// The run stops here at the latest.
    pub max_cycles: u64,
    /// Cycles between searches for a deadlock while something still moves (a silent network is
    /// searched at once).
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
    /// Cycles whose messages are measured, in a run with or without random traffic; without end, up
    /// to the last cycle of 64 bits.
    #[must_use]
    pub fn window(&self, random_traffic: bool) -> Range<u64> {
        let cycles = self.measure_cycles.unwrap_or(if random_traffic { 10_000 } else { u64::MAX });
        self.warmup_cycles..self.warmup_cycles.saturating_add(cycles)
    }
}
