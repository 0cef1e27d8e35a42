//! Failures of a run, with the places of the expectations.

use std::fmt;

use super::cause::WhyLate;
use super::duty::Violation;
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
    /// Text of the property that failed, as written.
    pub property: Option<String>,
    /// The property among those of the testbench, and the cycle that required its answer.
    pub(super) watched: Option<(usize, u64)>,
    /// Fault of a whole run, in one or two words.
    pub(super) about: Option<&'static str>,
}

impl Failure {
    pub(super) fn of(item: &Item, message: String, cycle: Option<u64>) -> Self {
        let worm = item.worms().first().map(|(_, worm)| *worm);
        Self { place: Some(item.place.to_string()), worm, ..Self::unplaced(item.path.clone(), message, cycle) }
    }

    /// A failure without an expectation.
    pub(super) fn unplaced(what: String, message: String, cycle: Option<u64>) -> Self {
        Self { place: None, what, message, cycle, worm: None, cause: None, property: None, watched: None, about: None }
    }

    /// A failure of the whole run: `about` says in one or two words which.
    pub(super) fn run(about: &'static str, message: String, cycle: Option<u64>) -> Self {
        Self { about: Some(about), ..Self::unplaced("run".to_owned(), message, cycle) }
    }

    /// A property that did not hold: number `index` of the testbench.
    pub(super) fn of_property(item: &Item, index: usize, text: &str, violation: Violation) -> Self {
        let Violation { cycle, asked, message } = violation;
        Self { property: Some(text.to_owned()), watched: Some((index, asked)), ..Self::of(item, message, Some(cycle)) }
    }

    /// Part that failed, with the fault of a whole run: `properties[1]`, `run: deadlock`.
    #[must_use]
    pub fn kind(&self) -> String {
        self.about.map_or_else(|| self.what.clone(), |about| format!("{}: {about}", self.what))
    }

    /// Whether it is the failure of this part of a file.
    pub(super) fn is_of(&self, item: &Item) -> bool {
        item.path == self.what && self.place == Some(item.place.to_string())
    }

    /// The failure of a run that reaches a bin of coverage that is excluded for all runs.
    pub(super) fn coverage(message: String) -> Self {
        Self::unplaced("coverage".to_owned(), message, None)
    }

    /// Whether a checker found it.
    pub(super) fn is_breach(&self) -> bool {
        self.what.starts_with("checker ")
    }

    pub(super) fn breach(breach: Breach) -> Self {
        let Breach { rule, cycle, message } = breach;
        Self::unplaced(format!("checker {rule}"), format!("{message} (cycle {cycle})"), Some(cycle))
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
