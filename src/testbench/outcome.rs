//! Runs of testbenches as reports have them.

use std::path::PathBuf;

use serde::Serialize;

use super::failure::Failure;
use super::samples::Samples;
use crate::coverage::RunCoverage;
use crate::input::ConfigError;
use crate::quote;
use crate::table::Table;

/// Name of a failure of the testbench's own file, where other failures have an expectation.
pub const WRONG: &str = "testbench";

/// Result of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything was as expected.
    Passed,
    /// A result differs from the expected one.
    Failed,
    /// The testbench itself is wrong.
    Bad,
}

/// One run of one testbench.
#[derive(Clone, Debug, Serialize)]
pub struct BenchRun {
    /// The file.
    pub name: String,
    /// Purpose of the testbench, if the file could be read.
    pub purpose: Option<String>,
    /// Tags of the testbench.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Result of the testbench.
    pub status: Status,
    /// Seed, if the testbench ran.
    pub seed: Option<u64>,
    /// The command that repeats a failure.
    pub again: Option<String>,
    /// Number of simulated cycles.
    pub cycles: u64,
    /// Number of created worms.
    pub worms: u64,
    /// Seconds of the run.
    pub seconds: f64,
    /// Failures, or the reason why the testbench is wrong.
    pub failures: Vec<Failed>,
    /// Notes for the reader that are no failures.
    pub notes: Vec<String>,
    /// Files of the run, the view first.
    pub files: Vec<PathBuf>,
    /// Situations that the run has met, if they were counted.
    #[serde(skip)]
    pub coverage: Option<RunCoverage>,
}

impl BenchRun {
    /// A run of the testbench in this file that has no results yet.
    pub(super) fn of(name: String) -> Self {
        Self {
            name,
            purpose: None,
            tags: Vec::new(),
            status: Status::Bad,
            seed: None,
            again: None,
            cycles: 0,
            worms: 0,
            seconds: 0.0,
            failures: Vec::new(),
            notes: Vec::new(),
            files: Vec::new(),
            coverage: None,
        }
    }
}

/// A failure in reports.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    /// Place of the expectation.
    pub place: Option<String>,
    /// Part that failed.
    pub what: String,
    /// Expected and observed result.
    pub message: String,
    /// The part, with the fault of a whole run, as in `run: deadlock`.
    pub kind: String,
    /// Text of the property that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// Values of the signals of the property around the failure, if it is the first of its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<Samples>,
    /// Cycle in which the failure shows.
    pub cycle: Option<u64>,
    /// The longest wait of the worm before the failure, and the account of the worm's cycles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether an earlier failure of the run has the same wait.
    #[serde(skip)]
    pub repeats: bool,
    /// Whether it is the first failure of its kind.
    #[serde(skip)]
    pub is_first: bool,
}

impl From<&Failure> for Failed {
    fn from(failure: &Failure) -> Self {
        let Failure { place, what, message, cycle, cause, property, .. } = failure.clone();
        let repeats = cause.as_ref().is_some_and(|cause| cause.repeats);
        Self {
            place,
            what,
            message,
            kind: failure.kind(),
            property,
            samples: None,
            cycle,
            why: cause.map(|cause| cause.to_string()),
            repeats,
            is_first: false,
        }
    }
}

impl From<ConfigError> for Failed {
    fn from(error: ConfigError) -> Self {
        let (place, message) = match error {
            ConfigError::Invalid { place, message } => (Some(place.to_string()), message),
            ConfigError::Read { file, source } => (Some(file), format!("cannot be read: {source}")),
            error @ (ConfigError::NoExample(_) | ConfigError::UnknownName(_)) => (None, error.to_string()),
        };
        Self::bad(place, message)
    }
}

impl Failed {
    /// Failure of a testbench that is wrong.
    pub(super) fn bad(place: Option<String>, message: String) -> Self {
        Self { place, ..Self::from(&Failure::unplaced(WRONG.to_owned(), message, None)) }
    }
}

/// A table of the runs that took the longest time.
#[must_use]
pub fn slowest(runs: &[BenchRun], most: usize) -> String {
    let mut all: Vec<&BenchRun> = runs.iter().filter(|run| run.status != Status::Bad).collect();
    if all.is_empty() {
        return String::new();
    }
    all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let mut table = Table::new(&["slowest", "seconds", "cycles", "worms", "seed"], &[0]);
    for run in all.into_iter().take(most) {
        table.row([
            quote::name(&run.name),
            format!("{:.3}", run.seconds),
            run.cycles.to_string(),
            run.worms.to_string(),
            run.seed.map(|seed| seed.to_string()).unwrap_or_default(),
        ]);
    }
    format!("\n{}", table.text())
}
