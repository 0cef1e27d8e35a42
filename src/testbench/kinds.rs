//! Kinds of failures: the part that failed and its place, with the number of failures of each.

use std::collections::HashMap;

use serde::Serialize;

use super::outcome::{BenchRun, WRONG};
use crate::quote;
use crate::table::Table;

/// All failures of one part at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailureKind {
    /// Place of the expectation, or the file of the testbench.
    pub place: String,
    /// Part that failed.
    pub what: String,
    /// Number of failures.
    pub failures: u64,
    /// Number of runs with such a failure.
    pub runs: u64,
    /// Smallest seed of these runs.
    pub seed: Option<u64>,
    /// The command that repeats the run with the smallest seed.
    pub again: Option<String>,
    /// Number of runs whose waveform was kept.
    #[serde(skip)]
    pub waves: u32,
}

/// Kinds of failures in the order of their first failure.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    all: Vec<FailureKind>,
    known: HashMap<(String, String), usize>,
}

impl Kinds {
    /// Adds the failures of a run, and marks those that are the first of their kind. Returns the
    /// numbers of its kinds.
    pub(super) fn take(&mut self, run: &mut BenchRun) -> Vec<usize> {
        let mut kinds: Vec<usize> = Vec::new();
        for failure in &mut run.failures {
            let place = failure.place.clone().unwrap_or_else(|| run.name.clone());
            let key = (place, failure.kind.clone());
            let at = self.known.get(&key).copied().unwrap_or(self.all.len());
            if at == self.all.len() {
                let (place, what) = key.clone();
                self.known.insert(key, at);
                self.all.push(FailureKind { place, what, failures: 0, runs: 0, seed: None, again: None, waves: 0 });
                failure.is_first = true;
            }
            let kind = &mut self.all[at];
            kind.failures += 1;
            if kinds.contains(&at) {
                continue;
            }
            kinds.push(at);
            kind.runs += 1;
            if kind.again.is_none() || run.seed < kind.seed {
                (kind.seed, kind.again) = (run.seed, run.again.clone());
            }
        }
        kinds
    }

    /// Whether the waveform of a run with failures of these kinds is to be kept, with up to `most`
    /// waveforms of a kind.
    pub(super) fn keeps(&mut self, kinds: &[usize], most: u32) -> bool {
        let keeps = kinds.iter().any(|&at| self.all[at].waves < most);
        if keeps {
            for &at in kinds {
                self.all[at].waves += 1;
            }
        }
        keeps
    }

    /// All kinds.
    #[must_use]
    pub fn all(&self) -> &[FailureKind] {
        &self.all
    }

    /// A table of the first `most` kinds; nothing if no run has failed.
    #[must_use]
    pub fn table(&self, most: usize) -> String {
        let all: Vec<&FailureKind> = self.all.iter().filter(|kind| kind.what != WRONG).collect();
        if all.is_empty() {
            return String::new();
        }
        let mut table = Table::new(&["kind of failure", "failures", "runs", "smallest seed", "again"], &[0, 4]);
        for kind in all.iter().take(most) {
            table.row([
                quote::message(&format!("{} {}", kind.place, kind.what)),
                kind.failures.to_string(),
                kind.runs.to_string(),
                kind.seed.map_or_else(|| "-".to_owned(), |seed| seed.to_string()),
                kind.again.clone().unwrap_or_default(),
            ]);
        }
        let more = match all.len().checked_sub(most) {
            Some(more @ 1..) => format!("  ... and {more} more, which --json lists\n"),
            _ => String::new(),
        };
        format!("\n{}{more}", table.text())
    }
}
