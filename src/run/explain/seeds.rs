//! Runs with other seeds. They show whether a change that freed the worms of one run also frees the
//! worms of other runs.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::attempt::{Attempt, Ending, NoDeadlock, Under, Watcher, run};
use super::workers::side_by_side;
use crate::experiment::{Loaded, Workload};
use crate::input::ConfigError;
use crate::memory;

/// Number of tried seeds, in addition to the seed of the experiment. They are the next seeds.
const OTHERS: u64 = 5;

/// A run of a changed experiment with another seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedRun {
    /// The seed.
    pub seed: u64,
    /// End of the run.
    pub ending: Result<NoDeadlock, Ending>,
}

/// Whether a part of the workload is drawn from the seed.
pub(super) fn is_random(loaded: &Loaded) -> bool {
    loaded.experiment.workload.iter().any(|entry| match entry {
        Workload::Traffic(_) | Workload::Spmd(_) | Workload::Multicasts(_) => true,
        Workload::Messages(_) | Workload::Trace(_) | Workload::Multicast(_) | Workload::Stalls(_) => false,
    })
}

/// Runs changes, each a list of overrides, with other seeds on all processors, each run up to cycle
/// `until`. Adds the ends of these runs to the ends of each change. Returns whether the watcher
/// stopped it. Runs that had not ended by then are left out.
///
/// # Errors
/// A trace cannot be read again.
pub(super) fn try_others<W: Watcher>(
    loaded: &Loaded,
    under: Under,
    until: Option<u64>,
    mut changes: Vec<(&[String], &mut Vec<SeedRun>)>,
    watcher: &mut W,
) -> Result<bool, ConfigError> {
    let own = loaded.experiment.run.seed;
    let seeds = || (1..=OTHERS).map(|on| own.wrapping_add(on));
    let jobs: Vec<(usize, u64)> = (0..changes.len()).flat_map(|at| seeds().map(move |seed| (at, seed))).collect();
    let experiments = changes.iter().map(|(sets, _)| under(loaded, sets)).collect::<Result<Vec<_>, _>>()?;
    let fit = experiments.iter().map(memory::side_by_side).min().unwrap_or(1);
    let done = AtomicUsize::new(0);
    let told = |ended: usize| format!("trying other seeds, {ended} of {} runs", jobs.len());
    watcher.begins(&told(0));
    let ended = side_by_side(jobs.len(), fit, watcher, |worker, job| {
        let (at, seed) = jobs[job];
        let reseeded = under(&experiments[at], &[format!("run.seed={seed}")]);
        let ended = reseeded.and_then(|reseeded| run(reseeded, until, worker));
        worker.begins(told(done.fetch_add(1, Ordering::Relaxed) + 1));
        ended
    });
    let mut was_stopped = false;
    for ((at, seed), ended) in jobs.into_iter().zip(ended) {
        let ending = match ended {
            Some(Ok(Attempt::Held(held))) => Ok(held),
            Some(Ok(Attempt::Failed(ending))) => Err(ending),
            // With another seed an algorithm may make no plan.
            Some(Ok(Attempt::Refused) | Err(ConfigError::Invalid { .. })) => continue,
            Some(Err(error)) => return Err(error),
            Some(Ok(Attempt::Stopped)) | None => {
                was_stopped = true;
                continue;
            }
        };
        changes[at].1.push(SeedRun { seed, ending });
    }
    Ok(was_stopped)
}
