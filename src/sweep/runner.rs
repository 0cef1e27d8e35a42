//! One run of a sweep, on the network of the run before where that is the same.

use super::SweepError;
use super::length::Observations;
use crate::cost::{self, Encodings, HardwareCost};
use crate::energy::{Activity, Coefficients, Energy};
use crate::experiment::Loaded;
use crate::input::ConfigError;
use crate::network::Network;
use crate::report::Report;
use crate::simulation::Site;
use crate::{memory, run};

/// What a worker keeps from one run to the next.
#[derive(Default)]
pub(crate) struct Runner(Option<(Network, Site)>);

/// Why there is no run.
pub(crate) enum Unrun {
    /// Its configuration is refused: the row says so.
    Refused(String),
    /// The sweep cannot go on.
    Failed(SweepError),
}

impl From<ConfigError> for Unrun {
    fn from(error: ConfigError) -> Self {
        Self::Refused(error.to_string())
    }
}

impl Runner {
    /// Runs an experiment; `series` is told of its worms, its energy is estimated where there are
    /// coefficients.
    pub fn run(
        &mut self,
        loaded: &Loaded,
        coefficients: Option<&Coefficients>,
        series: &mut Option<Observations>,
    ) -> Result<Report, Unrun> {
        let site = self.site(loaded)?;
        let Some(coefficients) = coefficients else { return Ok(run::scalars(loaded, site, series)?) };
        let network = &loaded.experiment.network;
        let mut activity = Activity::new(network, site.wiring());
        let mut report = run::scalars(loaded, site, &mut (series, &mut activity))?;
        let counts = activity.counts;
        let cost = self.cost(loaded)?;
        report.energy_estimate = Some(Energy::new(coefficients, network, counts, &cost, report.totals.cycles));
        Ok(report)
    }

    /// What the network of an experiment costs.
    pub fn cost(&mut self, loaded: &Loaded) -> Result<HardwareCost, Unrun> {
        let encodings = Encodings::sent(loaded)?;
        Ok(cost::of(&loaded.experiment.network, self.site(loaded)?.wiring(), encodings))
    }

    fn site(&mut self, loaded: &Loaded) -> Result<&Site, Unrun> {
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
