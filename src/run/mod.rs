//! Entry to a run: it takes an experiment and returns its numbers. The command line and everything
//! that runs many experiments share it.
//!
//! [`Loaded::run`] is the shortest way. [`watched`] has all observers of a run: waveforms,
//! deliveries, energy, links and FIFOs. [`explain`] explains a run that ends in a deadlock.

pub mod dependency;
pub mod explain;
mod loaded;
pub mod state_space;
mod summary;
mod watch;

use std::ops::Range;

use crate::energy;
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

/// Runs an experiment to its end and returns its numbers. `site` is the site of its network.
///
/// # Errors
/// A trace cannot be opened or turns out to be wrong on the way. An algorithm makes no plan. The
/// engines differ, if both run.
pub fn run(loaded: &Loaded, site: &Site) -> Result<Report, ConfigError> {
    told(loaded, site, &mut ())
}

/// The same as [`run`], with an observer of the whole run.
fn told<O: Observer>(loaded: &Loaded, site: &Site, observer: &mut O) -> Result<Report, ConfigError> {
    let mut hops = HopCount::new(site, false);
    let report = collected(loaded, site, Collector::new, &mut (&mut hops, observer))?;
    Ok(Report { hops: hops.counted(), ..report })
}

/// The same as [`run`], for callers that read only scalars. Multicasts have no separate rows, and
/// hops are not counted. `observer` still gets all events.
///
/// # Errors
/// The same as for [`run`].
pub(crate) fn scalars<O: Observer>(loaded: &Loaded, site: &Site, observer: &mut O) -> Result<Report, ConfigError> {
    collected(loaded, site, Collector::without_rows, observer)
}

fn collected<O: Observer>(
    loaded: &Loaded,
    site: &Site,
    collect: impl FnOnce(Range<u64>) -> Collector,
    observer: &mut O,
) -> Result<Report, ConfigError> {
    let clock_ns = energy::clock_ns(loaded, site.wiring(), None)?;
    let mut simulation = Simulation::new(loaded, site)?;
    let mut both = (collect(simulation.window()), observer);
    let outcome = simulation.run(&mut both, |_| ())?;
    refuse_difference(loaded, &simulation)?;
    Ok(summarise(loaded, site, &simulation, &both.0, &outcome, clock_ns))
}

/// Refuses a run in which the engines differed.
fn refuse_difference(loaded: &Loaded, simulation: &Simulation) -> Result<(), ConfigError> {
    simulation.difference().map_or(Ok(()), |difference| {
        Err(ConfigError::new(Place::File(loaded.title()), format!("the engines differ in {difference}")))
    })
}

#[cfg(test)]
mod tests;
