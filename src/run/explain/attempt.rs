//! Run of a changed experiment, and watchers of such runs.

use crate::engine::{Clocked as _, Observer};
use crate::experiment::Loaded;
use crate::input::ConfigError;
use crate::simulation::{Outcome, Simulation, Site};

/// End of a run in which not all worms arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A deadlock that is final at this cycle.
    Deadlock(u64),
    /// The run was not over after this number of cycles.
    CycleLimit(u64),
}

/// Watches a search, and may stop its runs.
pub trait Watcher: Observer {
    /// Whether an experiment may run. If not, it is skipped.
    fn admits(&self, _loaded: &Loaded) -> bool {
        true
    }

    /// Receives the next action: `trying acquisition atomic`.
    fn begins(&mut self, _what: &str) {}
}

/// Makes an experiment from another under some overrides, or refuses them.
pub type Under = fn(&Loaded, &[String]) -> Result<Loaded, ConfigError>;

/// Result of a changed experiment.
pub(super) enum Attempt {
    /// All worms have arrived after this many cycles.
    Done(u64),
    Failed(Ending),
    /// The network cannot be built, or does not take the worms.
    Refused,
    Stopped,
}

/// Runs an experiment to its end.
pub(super) fn run(loaded: &Loaded, observer: &mut impl Observer) -> Result<Attempt, ConfigError> {
    let mut simulation = Simulation::new(loaded, &Site::of(loaded)?)?;
    let outcome = simulation.run(observer, |_| ())?;
    let cycles = simulation.engine.now();
    Ok(match outcome {
        Outcome::Done => Attempt::Done(cycles),
        Outcome::Saturated | Outcome::CycleLimit => Attempt::Failed(Ending::CycleLimit(cycles)),
        Outcome::Deadlock(deadlock) => Attempt::Failed(Ending::Deadlock(deadlock.final_cycle)),
        Outcome::Stopped => Attempt::Stopped,
    })
}
