//! State of a property in a run: the cycles that required an answer, and whether the answer came in
//! time.

use std::collections::VecDeque;

use super::program::Op;
use super::property::{Later, Name, Property, When};
use crate::trace::signal::{Signal, Type};

/// End of a silence that never ends.
pub(super) const FOREVER: u64 = u64::MAX;

/// A property that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Cycle in which this was certain.
    pub cycle: u64,
    /// Cycle that required the answer.
    pub asked: u64,
    /// The observation.
    pub message: String,
}

/// Result of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyOutcome {
    /// First violation of the property.
    pub violation: Option<Violation>,
    /// Whether the property ever required an answer: the left side of `|->` held in some cycle.
    pub asked: bool,
    /// Cycles that required an answer.
    pub triggered: u64,
    /// Cycles in which the left side of `|->` did not hold.
    pub vacuous: u64,
    /// Cycles that required an answer and got it.
    pub passed: u64,
    /// First cycle of a question without an answer, if the run was cut off before the answer was
    /// due.
    pub open: Option<u64>,
}

/// State of a property in a run.
#[derive(Clone, Debug)]
pub(super) struct Duty {
    pub property: Property,
    pub when: Option<usize>,
    pub then: usize,
    /// Signals that the property names.
    pub shown: Vec<NamedSignal>,
    /// Operations of the values that are sampled with a question.
    pub samples: Vec<usize>,
    /// Operations of the answer that depend on these values, each after its operands.
    pub own: Vec<usize>,
    /// Counts whose values decide about the property.
    pub counts: Vec<usize>,
    /// Whether the property is not judged any more, because such a count grows for ever.
    pub is_left: bool,
    /// Questions that are not answered.
    pub pending: VecDeque<OpenQuestion>,
    pub outcome: PropertyOutcome,
}

/// Cycles of questions that are not answered, with the values that are sampled in all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpenQuestion {
    pub from: u64,
    pub until: u64,
    pub samples: Vec<u64>,
}

/// A signal that a property names.
#[derive(Clone, Debug)]
pub(super) struct NamedSignal {
    /// The name as written.
    pub name: Name,
    pub signal: Signal,
    pub values: Type,
    /// Operation that reads the named bits.
    pub read: Op,
}

impl Duty {
    /// The state before the first cycle that requires an answer.
    pub fn new(property: Property, when: Option<usize>, then: usize, shown: Vec<NamedSignal>) -> Self {
        let outcome =
            PropertyOutcome { violation: None, asked: false, triggered: 0, vacuous: 0, passed: 0, open: None };
        let (samples, own, counts, is_left) = (Vec::new(), Vec::new(), Vec::new(), false);
        Self { property, when, then, shown, samples, own, counts, is_left, pending: VecDeque::new(), outcome }
    }

    /// Takes this number of cycles without a question.
    pub fn pass(&mut self, cycles: u64) {
        if matches!(self.property.when, When::If(_)) {
            self.outcome.vacuous += cycles;
        }
    }

    /// Takes a question in the cycles `from..to`, up to [`FOREVER`]. `counted` of them are cycles
    /// of the run.
    pub fn ask(&mut self, from: u64, to: u64, counted: u64, samples: Vec<u64>) {
        self.outcome.asked = true;
        self.outcome.triggered += if self.property.when == When::Once { 1 } else { counted };
        match self.pending.back_mut() {
            Some(last) if last.until == from && last.samples == samples => last.until = to,
            _ => self.pending.push_back(OpenQuestion { from, until: to, samples }),
        }
    }

    /// Takes the answers of the cycles `from..to`. `holds` tells for some samples whether the
    /// answer
    /// holds. If an answer did not come, returns the cycle of its question, and the last cycle in
    /// which it could have come.
    pub fn judge(&mut self, to: u64, mut holds: impl FnMut(&[u64]) -> bool) -> Option<(u64, u64)> {
        let Later { soonest, latest } = self.property.window;
        // Questions that could be answered before this range are gone already. If no cycle follows,
        // no answer is too late.
        let answered = if to == FOREVER { Some(FOREVER) } else { to.checked_sub(soonest) };
        if let Some(answered) = answered {
            if self.samples.is_empty() {
                // All questions have the same answer.
                if !self.pending.is_empty() && holds(&[]) {
                    while let Some(first) = self.pending.front_mut() {
                        first.from = first.from.max(answered);
                        if first.from < first.until {
                            break;
                        }
                        self.pending.pop_front();
                    }
                }
            } else {
                self.pending.retain_mut(|question| {
                    if question.from < answered && holds(&question.samples) {
                        question.from = question.from.max(answered);
                    }
                    question.from < question.until
                });
            }
        }
        let start = self.pending.front()?.from;
        let end = start.saturating_add(latest?);
        (end < to).then_some((start, end))
    }

    /// Text for an answer that did not come. The question was in cycle `start`, and the answer was
    /// due by `end`.
    pub fn describe(&self, start: u64, end: u64, values: &str) -> String {
        let window = self.property.window;
        match self.property.when {
            When::Once if !window.is_one() => format!("did not hold up to cycle {end}; then {values}"),
            _ if window == Later::AT_ONCE || self.property.when == When::Once => {
                format!("does not hold in cycle {end}: {values}")
            }
            _ if window.is_one() => format!("triggered in cycle {start}, it does not hold in cycle {end}: {values}"),
            _ => {
                format!(
                    "triggered in cycle {start}, it did not hold in cycles {} to {end}; then {values}",
                    start + window.soonest
                )
            }
        }
    }
}
