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
    /// Cycles of questions that are not answered, as ranges.
    pub pending: VecDeque<(u64, u64)>,
    pub outcome: PropertyOutcome,
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
        Self { property, when, then, shown, pending: VecDeque::new(), outcome }
    }

    /// Takes the results for the cycles `from..to`, up to [`FOREVER`]. If an answer did not come,
    /// returns the cycle of its question, and the last cycle in which it could have come.
    pub fn judge(&mut self, from: u64, to: u64, asked: bool, holds: bool) -> Option<(u64, u64)> {
        let Later { soonest, latest } = self.property.window;
        // A silence without an end counts as one cycle.
        let cycles = |from: u64, to: u64| if to == FOREVER { 1 } else { to - from };
        if !asked && matches!(self.property.when, When::If(_)) {
            self.outcome.vacuous += cycles(from, to);
        }
        if asked {
            self.outcome.asked = true;
            self.outcome.triggered += if self.property.when == When::Once { 1 } else { cycles(from, to) };
            match self.pending.back_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ => self.pending.push_back((from, to)),
            }
        }
        // Questions that could be answered before this range are gone already. If no cycle follows,
        // no answer is too late.
        let answered = if to == FOREVER { Some(FOREVER) } else { to.checked_sub(soonest) };
        if holds && let Some(answered) = answered {
            while let Some(first) = self.pending.front_mut() {
                first.0 = first.0.max(answered);
                if first.0 < first.1 {
                    break;
                }
                self.pending.pop_front();
            }
        }
        let &(start, _) = self.pending.front()?;
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
            _ if window.is_one() => format!("asked for in cycle {start}, it does not hold in cycle {end}: {values}"),
            _ => {
                format!(
                    "asked for in cycle {start}, it did not hold in cycles {} to {end}; then {values}",
                    start + window.soonest
                )
            }
        }
    }
}
