//! An experiment as it was read.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Experiment, Workload};
use crate::input::{ConfigError, Held, Input, Place, beside, title};
use crate::network::{Built, Misfit};

/// A valid experiment and its source.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The experiment, overrides included.
    pub experiment: Experiment,
    /// [`Experiment::hash`] of the experiment.
    pub hash: String,
    /// The file as given.
    pub path: PathBuf,
    /// Files from which the experiment was read, without traces.
    pub files: Vec<Input>,
    /// Contents of pipes.
    pub held: Held,
    /// Engine that evaluates the experiment. The results are the same for all engines.
    pub engine: Evaluation,
    /// Threads that evaluate a large mesh at most. The results are the same for any number.
    pub threads: usize,
}

/// Choice of the engine for a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// The fast one: bit planes where they cover the run, else banks of registers.
    #[default]
    Fast,
    /// Banks of registers.
    Banked,
    /// The plain engine, which evaluates every instance in every cycle, beside the fast one. All
    /// registers of both are compared in every cycle, and a run ends at the first difference.
    Reference,
}

impl Loaded {
    /// The name of its file.
    #[must_use]
    pub fn title(&self) -> String {
        title(&self.path)
    }

    /// Builds its network: checked, wired and routed.
    ///
    /// # Errors
    /// The network was changed since it was read and breaks a rule.
    pub fn build(&self) -> Result<Built, ConfigError> {
        let refused = |why: Misfit| ConfigError::new(Place::File(self.title()), why.within("network").to_string());
        self.experiment.network.build().map_err(refused)
    }

    /// Path of a file that the experiment names (a trace), relative to the experiment's own file.
    #[must_use]
    pub fn resolve(&self, name: &str) -> PathBuf {
        beside(self.path.parent().unwrap_or(Path::new("")), name)
    }

    /// The traces that the experiment names.
    pub fn traces(&self) -> impl Iterator<Item = &str> {
        self.experiment.workload.iter().filter_map(Workload::trace)
    }

    /// All files from which the experiment was read.
    #[must_use]
    pub fn inputs(&self) -> Vec<Input> {
        self.files.iter().cloned().chain(self.traces().map(|name| ("the trace", self.resolve(name)))).collect()
    }

    /// Reads traces that are pipes, so that they can be read several times.
    ///
    /// # Errors
    /// A pipe cannot be read, or is too large to be kept.
    pub fn hold_pipes(&mut self) -> Result<(), ConfigError> {
        let traces: Vec<PathBuf> = self.traces().map(|name| self.resolve(name)).collect();
        traces.iter().try_for_each(|path| self.held.take(path))
    }

    /// Opens a trace that the experiment names.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn open(&self, name: &str) -> Result<Box<dyn Read>, ConfigError> {
        self.held.open(&self.resolve(name))
    }
}
