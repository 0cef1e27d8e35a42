//! Runs with other seeds. They show whether a change that freed the worms of one run also frees the
//! worms of other runs.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::attempt::{Attempt, Ending, Under, Watcher, run};
use crate::engine::Observer;
use crate::experiment::{Loaded, Workload};
use crate::input::ConfigError;
use crate::memory;

/// Number of tried seeds, in addition to the seed of the experiment. They are the next seeds.
const OTHERS: u64 = 5;
/// Time between two questions to the watcher whether to go on.
const ASKED_EVERY: Duration = Duration::from_millis(50);

/// A run of a changed experiment with another seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedRun {
    /// The seed.
    pub seed: u64,
    /// Number of cycles after which all worms had arrived, or another end.
    pub ending: Result<u64, Ending>,
}

/// Ends runs when its flag is set.
struct UntilTold<'a>(&'a AtomicBool);

impl Observer for UntilTold<'_> {
    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whether a part of the workload is drawn from the seed.
pub(super) fn is_random(loaded: &Loaded) -> bool {
    loaded.experiment.workload.iter().any(|entry| match entry {
        Workload::Traffic(_) | Workload::Spmd(_) | Workload::Multicasts(_) => true,
        Workload::Messages(_) | Workload::Trace(_) | Workload::Multicast(_) | Workload::Stalls(_) => false,
    })
}

/// Runs changes, each a list of overrides, with other seeds on all processors. Adds the ends of
/// these runs to the ends of each change. Returns whether the watcher stopped it. Runs that had not
/// ended by then are left out.
///
/// # Errors
/// A trace cannot be read again.
pub(super) fn try_others(
    loaded: &Loaded,
    under: Under,
    mut changes: Vec<(&[String], &mut Vec<SeedRun>)>,
    watcher: &mut impl Watcher,
) -> Result<bool, ConfigError> {
    let own = loaded.experiment.run.seed;
    let seeds = || (1..=OTHERS).map(|on| own.wrapping_add(on));
    let sets: Vec<&[String]> = changes.iter().map(|(sets, _)| *sets).collect();
    let jobs: Vec<(usize, u64)> = (0..sets.len()).flat_map(|at| seeds().map(move |seed| (at, seed))).collect();
    let experiments = sets.iter().map(|sets| under(loaded, sets)).collect::<Result<Vec<_>, _>>()?;
    let fit = experiments.iter().map(memory::side_by_side).min().unwrap_or(1);
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get).min(fit).min(jobs.len());
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = |sender: mpsc::Sender<_>| {
        while let Some(&(at, seed)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let reseeded = under(&experiments[at], &[format!("run.seed={seed}")]);
            let ended = reseeded.and_then(|reseeded| run(&reseeded, &mut UntilTold(&stop)));
            if stop.load(Ordering::Relaxed) || sender.send((at, seed, ended)).is_err() {
                return;
            }
        }
    };
    let told = |ended: usize| format!("trying other seeds, {ended} of {} runs", jobs.len());
    let mut ended = Vec::new();
    watcher.begins(&told(0));
    stop.store(watcher.stop(), Ordering::Relaxed);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..workers {
            let sender = sender.clone();
            let work = &work;
            scope.spawn(move || work(sender));
        }
        drop(sender);
        loop {
            if watcher.stop() {
                stop.store(true, Ordering::Relaxed);
            }
            match receiver.recv_timeout(ASKED_EVERY) {
                Ok(run) => {
                    ended.push(run);
                    watcher.begins(&told(ended.len()));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    ended.sort_by_key(|(at, seed, _)| (*at, seed.wrapping_sub(own)));
    let was_stopped = ended.len() < jobs.len();
    for (at, seed, ended) in ended {
        let ending = match ended {
            Ok(Attempt::Done(cycles)) => Ok(cycles),
            Ok(Attempt::Failed(ending)) => Err(ending),
            // With another seed an algorithm may make no plan.
            Ok(Attempt::Refused | Attempt::Stopped) | Err(ConfigError::Invalid { .. }) => continue,
            Err(error) => return Err(error),
        };
        changes[at].1.push(SeedRun { seed, ending });
    }
    Ok(was_stopped)
}
