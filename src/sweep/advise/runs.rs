//! Runs of an experiment and its changes.

use rayon::prelude::*;

use super::changes::Change;
use crate::sweep::find::{Progress, Watched};
use crate::sweep::runner::Runner;
use crate::sweep::{Sweep, SweepError};

/// Rows of one experiment, seed by seed.
pub(super) struct Ran {
    pub rows: Vec<Vec<String>>,
    /// Number of fields that the change sets. They are columns before all that are compared.
    pub fields: usize,
}

/// One experiment to run.
pub(super) struct Job {
    /// The change; `None` for the experiment itself.
    pub change: Option<Change>,
    pub grid: Sweep,
}

/// Runs all jobs with all seeds. Jobs that the progress stops have fewer rows.
pub(super) fn run_all(all: &[Job], seeds: u32, progress: &dyn Progress) -> Result<Vec<Ran>, SweepError> {
    let runs: Vec<(usize, u64)> =
        (0..all.len()).flat_map(|at| (0..u64::from(seeds)).map(move |seed| (at, seed))).collect();
    let step = Watched(progress).begins("runs", runs.len() as u64);
    let run = |runner: &mut Runner, &(at, seed): &(usize, u64)| {
        step.part(|| all[at].grid.row(seed, runner).map(|row| (at, row))).transpose()
    };
    let rows: Vec<Option<(usize, Vec<String>)>> =
        runs.par_iter().map_init(Runner::default, run).collect::<Result<_, _>>()?;
    let mut ran: Vec<Ran> = all
        .iter()
        .map(|job| Ran { rows: Vec::new(), fields: job.change.as_ref().map_or(0, |change| change.sets.len()) })
        .collect();
    for (at, row) in rows.into_iter().flatten() {
        ran[at].rows.push(row);
    }
    Ok(ran)
}
