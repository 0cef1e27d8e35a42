//! How the runs of a point, or of a whole sweep, ended.

use std::collections::BTreeMap;
use std::fmt::Write as _;

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
