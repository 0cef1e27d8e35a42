//! What is wrong with a run, and where it was expected otherwise.

use std::fmt;

use super::cause::WhyLate;
use super::expectations::Item;
use crate::verify::rules::Breach;

/// Something that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Where the expectation stands, as file, line and column; `None` where nothing was said.
    pub place: Option<String>,
    /// What failed: the path of the expectation, the name of the checker, `run`.
    pub what: String,
    /// Expected and seen.
    pub message: String,
    /// Cycle in which it shows.
    pub cycle: Option<u64>,
    /// The worm it is about.
    pub worm: Option<u32>,
    /// What kept that worm longest before.
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

/// What is wrong, and in which cycle that shows.
pub(super) type Found = (String, Option<u64>);

/// `1, 2, 3`.
pub(super) fn list<T: ToString>(of: impl IntoIterator<Item = T>) -> String {
    let all: Vec<String> = of.into_iter().map(|t| t.to_string()).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}
