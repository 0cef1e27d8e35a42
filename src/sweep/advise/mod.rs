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

use crate::experiment::{Loaded, Workload};
use crate::sweep::find::Progress;
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
    let saturation = question.saturation.then(|| load_of(loaded)).flatten();
    let grid = |sets: &[String]| {
        let study = Study {
            bases: vec![base.name.clone()],
            vary: sets.to_vec(),
            seeds: question.seeds,
            saturation: saturation.clone(),
            energy: energy.map(|file| file.name.clone()),
            ..Study::default()
        };
        let mut grid = Sweep::new(study, vec![base.clone()], energy.cloned(), true)?;
        let metric = question.metric.as_deref().unwrap_or_default();
        if !metric.contains("energy") {
            grid.without_energy();
        }
        Ok::<_, SweepError>(grid)
    };
    let mut all = vec![Job { change: None, grid: grid(&[])? }];
    for change in changes(&loaded.experiment) {
        // A change that breaks a rule is no change.
        if let Ok(grid) = grid(&change.sets) {
            all.push(Job { change: Some(change), grid });
        }
    }
    let schema = all[0].grid.schema();
    let columns = Columns::new(&schema, question, energy.is_some(), saturation.is_some())?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let pool = pool.map_err(|error| SweepError::Asked(format!("the system gives no threads: {error}")))?;
    let ran = pool.install(|| run_all(&all, question.seeds, progress))?;
    Ok(advice::compared(&all, &ran, &columns, progress.goes_on()))
}

/// Path of the load whose saturation can be searched, if there is exactly one.
fn load_of(loaded: &Loaded) -> Option<String> {
    let loads = loaded.experiment.workload.iter().enumerate().filter_map(|(at, entry)| match entry {
        Workload::Traffic(traffic) if traffic.load.is_some() => Some(format!("workload[{at}].traffic.load")),
        _ => None,
    });
    let mut loads = loads.collect::<Vec<_>>();
    (loads.len() == 1).then(|| loads.remove(0))
}
