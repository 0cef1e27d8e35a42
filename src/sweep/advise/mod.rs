//! Advice: what each change of an experiment by one step gains, and what it costs. Each change is
//! really run, with the seeds of the experiment itself. So a gain is a mean of differences seed by
//! seed.

mod advice;
mod changes;
mod columns;
mod runs;

pub use advice::{Advice, Gain, Tried};
pub use changes::{Change, changes};
pub use columns::Comparison;

use crate::experiment::Loaded;
use crate::sweep::find::Progress;
use crate::sweep::metrics::needs_energy;
use crate::sweep::runner::on_threads;
use crate::sweep::{Base, Study, Sweep, SweepError};
use columns::Columns;
use runs::{Job, run_all};

/// Runs an experiment and all its changes on `jobs` threads, and compares them. `base` is the file
/// of the experiment, and `energy` that of the coefficients.
///
/// # Errors
/// The metric is unknown, or a network is larger than the machine's memory.
pub fn advise(
    loaded: &Loaded,
    base: &Base,
    energy: Option<&Base>,
    question: &Comparison,
    jobs: usize,
    progress: &dyn Progress,
) -> Result<Advice, SweepError> {
    let grid = |sets: &[String], counts_energy: bool| {
        let study = Study {
            bases: vec![base.name.clone()],
            vary: sets.to_vec(),
            seeds: question.seeds,
            saturation: question.saturation.clone(),
            energy: energy.map(|file| file.name.clone()),
            ..Study::default()
        };
        let mut grid = Sweep::new(study, vec![base.clone()], energy.cloned(), true)?;
        if !counts_energy {
            grid.without_energy();
        }
        Ok::<_, SweepError>(grid)
    };
    let schema = grid(&[], false)?.schema();
    let columns = Columns::new(&schema, question, energy.is_some())?;
    let counts_energy = needs_energy(&schema.columns[columns.load.place].name);
    let mut all = vec![Job { change: None, grid: grid(&[], counts_energy)? }];
    for change in changes(&loaded.experiment) {
        // A change that breaks a rule is no change.
        if let Ok(grid) = grid(&change.sets, counts_energy) {
            all.push(Job { change: Some(change), grid });
        }
    }
    let ran = on_threads(jobs, || run_all(&all, question.seeds, progress))??;
    Ok(advice::compared(&all, &ran, &columns, progress.goes_on()))
}
