//! Run of a changed experiment, and watchers of such runs.

use crate::engine::{Clocked as _, Observer};
use crate::experiment::Loaded;
use crate::input::ConfigError;
use crate::simulation::{Outcome, Simulation, Site};

/// End of a run without a deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoDeadlock {
    /// All worms had arrived after this number of cycles.
    Done(u64),
    /// There was no deadlock up to this cycle, and by the bound of the search the run went no
    /// further.
    SoFar(u64),
}

impl NoDeadlock {
    /// Number of cycles of the run.
    #[must_use]
    pub const fn cycles(self) -> u64 {
        match self {
            Self::Done(cycles) | Self::SoFar(cycles) => cycles,
        }
    }

    /// `done at 59`, `no deadlock up to 2288`.
    #[must_use]
    pub fn told(self) -> String {
        match self {
            Self::Done(cycles) => format!("done at {cycles}"),
            Self::SoFar(cycles) => format!("no deadlock up to {cycles}"),
        }
    }
}

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
    #[must_use]
    fn admits(_loaded: &Loaded) -> bool {
        true
    }

    /// Receives the next action: `trying acquisition atomic`.
    fn begins(&mut self, _what: &str) {}
}

/// Makes an experiment from another under some overrides, or refuses them.
pub type Under = fn(&Loaded, &[String]) -> Result<Loaded, ConfigError>;

/// Result of a changed experiment.
pub(super) enum Attempt {
    /// There is no deadlock.
    Held(NoDeadlock),
    Failed(Ending),
    /// The network cannot be built, or does not take the worms.
    Refused,
    Stopped,
}

/// Runs an experiment to its end, or up to cycle `until`.
pub(super) fn run(
    mut loaded: Loaded,
    until: Option<u64>,
    observer: &mut impl Observer,
) -> Result<Attempt, ConfigError> {
    let of_run = &mut loaded.experiment.run;
    let until = until.filter(|&until| until < of_run.max_cycles);
    of_run.max_cycles = until.unwrap_or(of_run.max_cycles);
    let mut simulation = Simulation::new(&loaded, &Site::of(&loaded)?)?;
    let outcome = simulation.run(observer, |_| ())?;
    let cycles = simulation.engine.now();
    Ok(match outcome {
        Outcome::Done => Attempt::Held(NoDeadlock::Done(cycles)),
        Outcome::CycleLimit if until.is_some() => Attempt::Held(NoDeadlock::SoFar(cycles)),
        Outcome::Saturated | Outcome::CycleLimit => Attempt::Failed(Ending::CycleLimit(cycles)),
        Outcome::Deadlock(deadlock) => Attempt::Failed(Ending::Deadlock(deadlock.final_cycle)),
        Outcome::Stopped => Attempt::Stopped,
    })
}
