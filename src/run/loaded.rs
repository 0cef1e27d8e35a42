//! Methods of an experiment for users of the library.

use std::fmt::Display;
use std::path::Path;

use super::summary::found;
use crate::config;
use crate::engine::{Clocked as _, Observer};
use crate::experiment::{Experiment, Loaded};
use crate::explain::cures::Watcher;
use crate::explain::no_return::Bounds;
use crate::explain::{Created, Explanation, Stuck, to_the_end};
use crate::input::{ConfigError, Place};
use crate::memory::refuse_beyond_memory;
use crate::report::Report;
use crate::simulation::{Simulation, Site};

/// Reads and validates the experiment in a RON file. It reads traces that come through pipes, so
/// that the experiment can run several times.
///
/// # Errors
/// The first fault, with its line and column.
pub fn load(path: impl AsRef<Path>) -> Result<Loaded, ConfigError> {
    let mut loaded = config::load(path.as_ref(), &[])?;
    loaded.hold_pipes()?;
    Ok(loaded)
}

impl Experiment {
    /// Validates an experiment from code in the same way as an experiment from a file.
    ///
    /// # Errors
    /// The first value that is wrong.
    pub fn validated(self) -> Result<Loaded, ConfigError> {
        config::from_text("experiment", &self.text(), &[])
    }
}

impl Loaded {
    /// The same experiment with another value of one of its fields, as with `--set path=value`.
    /// Write the value as in a file.
    ///
    /// # Errors
    /// There is no such field, with the nearest names, or the value is wrong.
    pub fn set(&self, path: &str, value: impl Display) -> Result<Self, ConfigError> {
        config::under(self, &[format!("{path}={value}")])
    }

    /// Runs the experiment to its end and returns its numbers. A deadlock is an end as well:
    /// [`Report::outcome`] names the end.
    ///
    /// # Errors
    /// The experiment needs more memory than there is. A trace turns out to be wrong on the way. An
    /// algorithm makes no plan. The engines differ, if both run.
    pub fn run(&self) -> Result<Report, ConfigError> {
        self.observed(&mut ())
    }

    /// The same as [`Loaded::run`], with an observer. The observer gets every worm and delivery
    /// and, if it asks for them, every cycle. The observer changes nothing.
    ///
    /// # Errors
    /// The same as for [`Loaded::run`].
    pub fn observed<O: Observer>(&self, observer: &mut O) -> Result<Report, ConfigError> {
        self.fits()?;
        super::told(self, &Site::of(self)?, observer)
    }

    /// Runs to a deadlock and explains it. The explanation has the waits of the worms, the cures,
    /// and the last choice of an arbiter that could have avoided the deadlock.
    ///
    /// # Errors
    /// The same as for [`Loaded::run`].
    pub fn explain(&self) -> Result<Explanation, ConfigError> {
        self.fits()?;
        let loaded = to_the_end(self.clone());
        let site = Site::of(&loaded)?;
        let mut simulation = Simulation::new(&loaded, &site)?;
        let mut created = Created::default();
        let outcome = simulation.run(&mut created, |_| ())?;
        super::refuse_difference(&loaded, &simulation)?;
        let Some(deadlock) = found(&outcome) else {
            return Ok(Explanation::without(&loaded.path, &loaded, (&outcome).into(), simulation.engine.now()));
        };
        let stuck = Stuck { file: &loaded.path, loaded: &loaded, site: &site, deadlock, worms: &created.0 };
        let sought = stuck.seek(Bounds::default(), config::under, &mut Quiet)?;
        Ok(stuck.story(&sought).explanation(&stuck.names(), None))
    }

    fn fits(&self) -> Result<(), ConfigError> {
        refuse_beyond_memory(self).map_err(|why| ConfigError::new(Place::File(self.title()), why))
    }
}

/// A watcher of the search that only limits the memory of its runs.
struct Quiet;

impl Observer for Quiet {}

impl Watcher for Quiet {
    fn admits(loaded: &Loaded) -> bool {
        refuse_beyond_memory(loaded).is_ok()
    }
}
