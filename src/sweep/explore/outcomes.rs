//! How the runs of a point, or of a whole sweep, ended.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::quote::{counted, form};
use crate::sweep::Column;
use crate::sweep::metrics::is_measured;

/// How often runs ended in which way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes(BTreeMap<String, usize>);

impl Outcomes {
    /// How many ended so.
    #[must_use]
    pub fn count(&self, outcome: &str) -> usize {
        self.0.get(outcome).copied().unwrap_or(0)
    }

    /// How many runs there were.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.0.values().sum()
    }

    /// One more run.
    pub fn add(&mut self, outcome: &str) {
        *self.0.entry(outcome.to_owned()).or_default() += 1;
    }

    /// The runs of another as well.
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

/// Why what a run measured is not sound, the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    /// `max_cycles` stopped it: its times leave out what still waits.
    Stopped,
    /// The network was saturated: its times say how long the run was.
    Saturated,
    /// It deadlocked: all that it measured is of the part before.
    Deadlocked,
}

impl Flaw {
    /// All of them, the gravest first.
    pub(crate) const ALL: [Self; 3] = [Self::Deadlocked, Self::Saturated, Self::Stopped];

    /// That of a run that ended so, whatever is asked of it.
    pub(super) fn of(outcome: &str) -> Option<Self> {
        match outcome {
            "saturated" => Some(Self::Saturated),
            "cycle_limit" => Some(Self::Stopped),
            "deadlock" => Some(Self::Deadlocked),
            _ => None,
        }
    }

    /// Whether a column of such a run is not sound: a time always, all else that is measured only
    /// of a run that deadlocked. What the network costs and where it saturates are no matter of it.
    pub(super) fn touches(self, column: &Column) -> bool {
        column.is_time() || self == Self::Deadlocked && is_measured(column)
    }

    /// What became of one or more: `was saturated`, `were saturated`.
    fn text(self, count: usize) -> String {
        match self {
            Self::Stopped => format!("{} stopped by max_cycles", form(count, "was", "were")),
            Self::Saturated => format!("{} saturated", form(count, "was", "were")),
            Self::Deadlocked => "deadlocked".to_owned(),
        }
    }

    /// In a word, as a legend has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stopped => "stopped by max_cycles",
            Self::Saturated => "saturated",
            Self::Deadlocked => "a run deadlocks",
        }
    }

    /// How many have which: `2 were saturated, 1 was stopped by max_cycles`.
    pub(crate) fn counts(flaws: &[Self]) -> String {
        let count = |flaw: &Self| flaws.iter().filter(|of| *of == flaw).count();
        let present = Self::ALL.iter().filter(|flaw| count(flaw) > 0);
        present.map(|flaw| format!("{} {}", count(flaw), flaw.text(count(flaw)))).collect::<Vec<_>>().join(", ")
    }

    /// That some of so many points or runs have no sound metric of a name, and why; `None` where
    /// all have.
    pub(crate) fn note(flaws: &[Self], all: usize, what: &str, name: &str) -> Option<String> {
        let told =
            || format!("{} of {} have no sound {name}: {}", flaws.len(), counted(all, what), Self::counts(flaws));
        (!flaws.is_empty()).then(told)
    }
}
