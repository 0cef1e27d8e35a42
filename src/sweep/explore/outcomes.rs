//! Outcomes of the runs of a point, or of a whole sweep.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::quote::{counted, form};
use crate::sweep::Column;
use crate::sweep::metrics::is_measured;

/// Numbers of runs by outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes(BTreeMap<String, usize>);

impl Outcomes {
    /// Number of runs with this outcome.
    #[must_use]
    pub fn count(&self, outcome: &str) -> usize {
        self.0.get(outcome).copied().unwrap_or(0)
    }

    /// Number of all runs.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.0.values().sum()
    }

    /// Adds a run.
    pub fn add(&mut self, outcome: &str) {
        *self.0.entry(outcome.to_owned()).or_default() += 1;
    }

    /// Adds the runs of another.
    pub fn merge(&mut self, other: &Self) {
        for (outcome, count) in &other.0 {
            *self.0.entry(outcome.clone()).or_default() += count;
        }
    }

    /// `done`, or `done 3, saturated 2`.
    #[must_use]
    pub fn text(&self) -> String {
        if let (1, Some((outcome, _))) = (self.0.len(), self.0.first_key_value()) {
            return outcome.clone();
        }
        let mut text = String::new();
        for (outcome, count) in &self.0 {
            let comma = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{comma}{outcome} {count}");
        }
        text
    }
}

/// Reason why the measurements of a run are not sound, the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// `max_cycles` stopped the run, so its times leave out messages that still wait.
    Stopped,
    /// The network was saturated, so its times depend only on the length of the run.
    Saturated,
    /// The run deadlocked, so its measurements cover only the cycles before the deadlock.
    Deadlocked,
}

/// Smallest accepted share of the offered load with which a run carries its load.
pub(crate) const CARRIED: f64 = 0.95;

impl Flaw {
    /// All flaws, the gravest first.
    pub(crate) const ALL: [Self; 3] = [Self::Deadlocked, Self::Saturated, Self::Stopped];

    /// The flaw of a run with this outcome, for any question.
    pub(crate) fn of(outcome: &str) -> Option<Self> {
        match outcome {
            "saturated" => Some(Self::Saturated),
            "cycle_limit" => Some(Self::Stopped),
            "deadlock" => Some(Self::Deadlocked),
            _ => None,
        }
    }

    /// Whether a column of a run with this flaw is not sound. A time is not sound in a run with a
    /// flaw. Other measurements are not sound only in a run that deadlocked. The cost of the
    /// network and its saturation are always sound.
    pub(crate) fn touches(self, column: &Column) -> bool {
        column.is_time() || self == Self::Deadlocked && is_measured(column)
    }

    /// Text for one run or more: `was saturated`, `were saturated`.
    pub(crate) fn text(self, count: usize) -> String {
        match self {
            Self::Stopped => format!("{} stopped by max_cycles", form(count, "was", "were")),
            Self::Saturated => format!("{} saturated", form(count, "was", "were")),
            Self::Deadlocked => "deadlocked".to_owned(),
        }
    }

    /// Name of the flaw in a legend.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stopped => "stopped by max_cycles",
            Self::Saturated => "saturated",
            Self::Deadlocked => "a run deadlocks",
        }
    }

    /// Numbers of runs by flaw: `2 were saturated, 1 was stopped by max_cycles`.
    pub(crate) fn counts(flaws: &[Self]) -> String {
        let count = |flaw: &Self| flaws.iter().filter(|of| *of == flaw).count();
        let present = Self::ALL.iter().filter(|flaw| count(flaw) > 0);
        present.map(|flaw| format!("{} {}", count(flaw), flaw.text(count(flaw)))).collect::<Vec<_>>().join(", ")
    }

    /// Note that some of `all` points or runs have no valid metric with this name, and why. `None`
    /// if all points have a sound value.
    pub(crate) fn note(flaws: &[Self], all: usize, what: &str, name: &str) -> Option<String> {
        let told =
            || format!("{} of {} have no valid {name}: {}", flaws.len(), counted(all, what), Self::counts(flaws));
        (!flaws.is_empty()).then(told)
    }
}
