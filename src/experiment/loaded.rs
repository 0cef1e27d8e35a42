//! An experiment as it was read.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Experiment, Workload};
use crate::input::{ConfigError, Held, Input, Place, beside, title};
use crate::network::{Built, Misfit};

/// A validated experiment and where it came from.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The experiment, overrides included.
    pub experiment: Experiment,
    /// Its [`Experiment::hash`].
    pub hash: String,
    /// The file as given.
    pub path: PathBuf,
    /// What it was read from, traces aside.
    pub files: Vec<Input>,
    /// What came through pipes.
    pub held: Held,
    /// What evaluates it. The results are the same.
    pub engine: Evaluation,
}

/// Which engine evaluates a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evaluation {
    /// The fast one.
    #[default]
    Banked,
    /// The plain one, every instance in every cycle, with the fast one beside: all registers of
    /// both are compared in every cycle, and a run in which they differ ends there.
    Reference,
}

impl Loaded {
    /// Its file in words.
    #[must_use]
    pub fn title(&self) -> String {
        title(&self.path)
    }

    /// Its network, checked, wired and routed.
    ///
    /// # Errors
    /// When the network, changed since it was read, breaks a rule.
    pub fn build(&self) -> Result<Built, ConfigError> {
        let refused = |why: Misfit| ConfigError::new(Place::File(self.title()), why.within("network").to_string());
        self.experiment.network.build().map_err(refused)
    }

    /// Path of a file that the experiment names (a trace), relative to the experiment's own.
    #[must_use]
    pub fn resolve(&self, name: &str) -> PathBuf {
        beside(self.path.parent().unwrap_or(Path::new("")), name)
    }

    /// The traces that it names.
    pub fn traces(&self) -> impl Iterator<Item = &str> {
        self.experiment.workload.iter().filter_map(Workload::trace)
    }

    /// Everything it is read from.
    #[must_use]
    pub fn inputs(&self) -> Vec<Input> {
        self.files.iter().cloned().chain(self.traces().map(|name| ("the trace", self.resolve(name)))).collect()
    }

    /// Reads traces that are pipes, so that they can be read several times.
    ///
    /// # Errors
    /// When one cannot be read, or is too large to be kept.
    pub fn hold_pipes(&mut self) -> Result<(), ConfigError> {
        let traces: Vec<PathBuf> = self.traces().map(|name| self.resolve(name)).collect();
        traces.iter().try_for_each(|path| self.held.take(path))
    }

    /// Opens a trace that the experiment names.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(&self, name: &str) -> Result<Box<dyn Read>, ConfigError> {
        self.held.open(&self.resolve(name))
    }
}
