//! Runner: it makes one run of a sweep, and keeps the network of the run before if it is the same.

use super::SweepError;
use super::length::Observations;
use crate::cost::{self, Encodings, HardwareCost};
use crate::coverage::Coverage;
use crate::energy::{Activity, Coefficients, Energy};
use crate::experiment::{Experiment, Loaded};
use crate::input::ConfigError;
use crate::network::Network;
use crate::report::Report;
use crate::report::gauge::Gauge;
use crate::report::hops::HopCount;
use crate::simulation::{Site, tells_all_by_worm};
use crate::{memory, run};

/// Data that a worker keeps from one run to the next.
#[derive(Default)]
pub(crate) struct Runner(Option<(Network, Site)>);

/// Further measurements, which take time.
#[derive(Clone, Copy, Default)]
pub(crate) struct More<'a> {
    /// Coefficients of the energy estimate, if the sweep has this estimate.
    pub coefficients: Option<&'a Coefficients>,
    /// Whether the energy is counted. If not, the estimate has only the time of a cycle.
    pub counts_energy: bool,
    /// Whether links and FIFOs are watched, and hops counted.
    pub links: bool,
    /// Whether the situations that a run meets are counted.
    pub coverage: bool,
}

/// Reason why there is no run.
pub(crate) enum Unrun {
    /// The configuration of the run is refused, and the row has the reason.
    Refused(String),
    /// The sweep cannot go on.
    Failed(SweepError),
}

impl From<ConfigError> for Unrun {
    fn from(error: ConfigError) -> Self {
        Self::Refused(error.to_string())
    }
}

/// Does work on a pool of `jobs` threads.
pub(crate) fn on_threads<T: Send>(jobs: usize, work: impl FnOnce() -> T + Send) -> Result<T, SweepError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let pool = pool.map_err(|error| SweepError::Asked(format!("the system gives no threads: {error}")))?;
    Ok(pool.install(work))
}

impl Runner {
    /// Runs an experiment. `series` observes its worms.
    pub fn run(&mut self, loaded: &Loaded, more: More, series: &mut Option<Observations>) -> Result<Report, Unrun> {
        let site = self.site(loaded)?;
        let counted = more.coefficients.filter(|_| more.counts_energy);
        let Experiment { network, .. } = &loaded.experiment;
        let window = loaded.experiment.window();
        let mut watched = more.links.then(|| (HopCount::new(site, true), Gauge::new(network, site.wiring(), window)));
        let mut coverage = more.coverage.then(|| Coverage::new(network, site.wiring()));
        let alone = watched.is_none() && coverage.is_none();
        let mut activity = counted.map(|_| Activity::new(network, site.wiring(), alone && tells_all_by_worm(loaded)));
        let mut report = if activity.is_none() && alone {
            run::scalars(loaded, site, series)?
        } else {
            run::scalars(loaded, site, &mut (series, ((&mut activity, &mut coverage), &mut watched)))?
        };
        if let Some((hops, gauge)) = watched {
            report.hops = hops.counted();
            report.gauges = Some(gauge.counted(report.totals.cycles).gauges());
        }
        report.coverage = coverage.map(Coverage::covered);
        if let Some(coefficients) = more.coefficients {
            let counts = activity.map(|activity| activity.counts(&report.totals)).unwrap_or_default();
            let cost = self.cost(loaded)?;
            report.energy_estimate = Some(Energy::new(coefficients, network, counts, &cost, report.totals.cycles)?);
        }
        Ok(report)
    }

    /// Cost of the network of an experiment.
    pub fn cost(&mut self, loaded: &Loaded) -> Result<HardwareCost, Unrun> {
        let encodings = Encodings::sent(loaded)?;
        Ok(cost::of(&loaded.experiment.network, self.site(loaded)?.wiring(), encodings))
    }

    /// The network of an experiment.
    pub fn site(&mut self, loaded: &Loaded) -> Result<&Site, Unrun> {
        let network = &loaded.experiment.network;
        let (_, site) = match self.0.take() {
            Some(same) if same.0 == *network => self.0.insert(same),
            _ => {
                memory::refuse_beyond_memory(loaded).map_err(|why| Unrun::Failed(SweepError::Asked(why)))?;
                self.0.insert((network.clone(), Site::of(loaded)?))
            }
        };
        Ok(site)
    }
}
