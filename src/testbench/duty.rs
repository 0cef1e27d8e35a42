//! A property under way: the cycles in which it was asked for, and whether the answer came in time.

use std::collections::VecDeque;

use super::program::Op;
use super::property::{Later, Name, Property, When};
use crate::trace::signal::{Signal, Type};

/// The cycle behind the last one of a silence that never ends.
pub(super) const FOREVER: u64 = u64::MAX;

/// A property that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Cycle in which that was certain.
    pub cycle: u64,
    /// What was seen.
    pub message: String,
}

/// How a property fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyOutcome {
    /// Its first violation.
    pub violation: Option<Violation>,
    /// Whether it was ever asked for: the left side of `|->` held in some cycle.
    pub asked: bool,
    /// Where the run was cut off before an answer was due: the first cycle in which that was asked
    /// for.
    pub open: Option<u64>,
}

/// A property under way.
#[derive(Clone, Debug)]
pub(super) struct Duty {
    pub property: Property,
    pub when: Option<usize>,
    pub then: usize,
    /// Signals it names.
    pub shown: Vec<NamedSignal>,
    /// Cycles in which it was asked for and that are not answered, as ranges.
    pub pending: VecDeque<(u64, u64)>,
    pub outcome: PropertyOutcome,
}

/// A signal that a property names.
#[derive(Clone, Debug)]
pub(super) struct NamedSignal {
    /// As written.
    pub name: Name,
    pub signal: Signal,
    pub values: Type,
    /// Reads what is named of it.
    pub read: Op,
}

impl Duty {
    /// Not asked for yet.
    pub fn new(property: Property, when: Option<usize>, then: usize, shown: Vec<NamedSignal>) -> Self {
        let outcome = PropertyOutcome { violation: None, asked: false, open: None };
        Self { property, when, then, shown, pending: VecDeque::new(), outcome }
    }

    /// Takes the results for the cycles `from..to`, up to [`FOREVER`]; the cycle in which an answer
    /// was asked for and the last in which it could have come, when it did not.
    pub fn judge(&mut self, from: u64, to: u64, asked: bool, holds: bool) -> Option<(u64, u64)> {
        let Later { soonest, latest } = self.property.window;
        if asked {
            self.outcome.asked = true;
            match self.pending.back_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ => self.pending.push_back((from, to)),
            }
        }
        // Whoever could have been answered before this range is gone already. In a silence without
        // an end no answer comes too late.
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

    /// What is said of an answer that did not come, asked for in cycle `start` and due by `end`.
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
