//! Failures of a run, with the places of the expectations.

use std::fmt;

use super::cause::WhyLate;
use super::expectations::Item;
use crate::verify::rules::Breach;

/// A result that differs from the expected one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Place of the expectation, as file, line and column. `None` for rules without a line.
    pub place: Option<String>,
    /// Part that failed: the path of the expectation, the name of the checker, or `run`.
    pub what: String,
    /// Expected and observed result.
    pub message: String,
    /// Cycle in which the failure shows.
    pub cycle: Option<u64>,
    /// The worm of the failure.
    pub worm: Option<u32>,
    /// The longest wait of that worm before the failure.
    pub cause: Option<WhyLate>,
}

impl Failure {
    pub(super) fn of(item: &Item, message: String, cycle: Option<u64>) -> Self {
        let worm = item.worms().first().map(|(_, worm)| *worm);
        Self { place: Some(item.place.to_string()), what: item.path.clone(), message, cycle, worm, cause: None }
    }

    pub(super) fn run(message: String, cycle: Option<u64>) -> Self {
        Self { place: None, what: "run".to_owned(), message, cycle, worm: None, cause: None }
    }

    /// The failure of a run that reaches a bin of coverage that is excluded for all runs.
    pub(super) fn coverage(message: String) -> Self {
        Self { what: "coverage".to_owned(), ..Self::run(message, None) }
    }

    pub(super) fn breach(breach: Breach) -> Self {
        let Breach { rule, cycle, message } = breach;
        Self {
            place: None,
            what: format!("checker {rule}"),
            message: format!("{message} (cycle {cycle})"),
            cycle: Some(cycle),
            worm: None,
            cause: None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}: {}", self.what, self.message)
    }
}

/// A fault, and the cycle in which it shows.
pub(super) type Found = (String, Option<u64>);

/// `1, 2, 3`.
pub(super) fn list<T: ToString>(of: impl IntoIterator<Item = T>) -> String {
    let all: Vec<String> = of.into_iter().map(|t| t.to_string()).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}
