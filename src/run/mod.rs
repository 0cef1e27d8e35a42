//! A run told: an experiment in, its numbers out. What the command line and everything that runs
//! many experiments share.
//!
//! [`Loaded::run`] is the shortest way. [`watched`] has whatever can watch a run along: waveforms,
//! deliveries, energy, links and FIFOs. A run that ends in a deadlock is explained by
//! [`explain`].

pub mod explain;
mod loaded;
mod summary;
mod watch;

use std::ops::Range;

use crate::engine::Observer;
use crate::experiment::Loaded;
use crate::input::{ConfigError, Place};
use crate::report::hops::HopCount;
use crate::report::{Collector, Report};
use crate::simulation::{Simulation, Site};

pub use loaded::load;
pub use summary::found;
pub(crate) use summary::summarise;
pub use watch::{RunError, Watch, Watched, watched};

/// Runs an experiment to its end and draws its numbers; `site` is its network's.
///
/// # Errors
/// When a trace cannot be opened or turns out to be wrong on the way, an algorithm makes no plan,
/// or the engines differ, where both run.
pub fn run(loaded: &Loaded, site: &Site) -> Result<Report, ConfigError> {
    told(loaded, site, &mut ())
}

/// As [`run`]; `observer` is told of everything as well.
fn told<O: Observer>(loaded: &Loaded, site: &Site, observer: &mut O) -> Result<Report, ConfigError> {
    let mut hops = HopCount::new(site, false);
    let report = collected(loaded, site, Collector::new, &mut (&mut hops, observer))?;
    Ok(Report { hops: hops.counted(), ..report })
}

/// As [`run`], for whoever reads scalars only: no multicast has a row of its own, and nobody counts
/// hops. `observer` is told of everything as well.
///
/// # Errors
/// As [`run`].
pub(crate) fn scalars<O: Observer>(loaded: &Loaded, site: &Site, observer: &mut O) -> Result<Report, ConfigError> {
    collected(loaded, site, Collector::without_rows, observer)
}

fn collected<O: Observer>(
    loaded: &Loaded,
    site: &Site,
    collect: impl FnOnce(Range<u64>) -> Collector,
    observer: &mut O,
) -> Result<Report, ConfigError> {
    let mut simulation = Simulation::new(loaded, site)?;
    let mut both = (collect(simulation.window()), observer);
    let outcome = simulation.run(&mut both, |_| ())?;
    refuse_difference(loaded, &simulation)?;
    Ok(summarise(loaded, site, &simulation, &both.0, &outcome))
}

/// Refuses a run in which the engines differed.
fn refuse_difference(loaded: &Loaded, simulation: &Simulation) -> Result<(), ConfigError> {
    simulation.difference().map_or(Ok(()), |difference| {
        Err(ConfigError::new(Place::File(loaded.title()), format!("the engines differ in {difference}")))
    })
}

#[cfg(test)]
mod tests;
