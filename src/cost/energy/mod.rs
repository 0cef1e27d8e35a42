//! Energy of a run: an estimate from the counted activity of the hardware and from coefficients
//! that name their source.
//!
//! ```
//! use wormscope::engine::Clocked as _;
//! use wormscope::energy::{Activity, Coefficients, Energy};
//! use wormscope::simulation::{Simulation, Site};
//! use wormscope::{config, cost};
//!
//! let text = "(network: (topology: linear(nodes: 2)), workload: [messages([(cycle: 0, source: 0, destinations: [1], payload_flits: 3)])])";
//! let loaded = config::from_text("line.ron", text, &[])?;
//! let coefficients = Coefficients::load("configs/energy/dsent_45nm.ron".as_ref())?;
//! let site = Site::of(&loaded)?;
//! let mut activity = Activity::new(&loaded.experiment.network, site.wiring(), false);
//! let mut simulation = Simulation::new(&loaded, &site)?;
//! simulation.run(&mut activity, |_| ())?;
//! // Four flits through two routers: an input FIFO each, and the store at the node.
//! let counts = activity.counts(&simulation.engine.totals());
//! assert_eq!((counts.buffer_writes, counts.crossings, counts.link_flits), (12, 8, 4));
//! let cost = cost::of_loaded(&loaded)?;
//! let energy = Energy::new(&coefficients, &loaded.experiment.network, counts, &cost, simulation.engine.now())?;
//! assert!(energy.total_pj > energy.crossbars_pj);
//! # Ok::<(), wormscope::input::ConfigError>(())
//! ```

mod activity;
mod by_flit;
mod by_worm;
mod clock;
mod coefficients;
mod counts;
mod technology;

use serde::Serialize;

pub use activity::Activity;
pub use clock::clock_ns;
pub use coefficients::{Coefficients, Cycle, Delays};
pub use counts::Counts;
pub use technology::Technology;

use crate::cost::HardwareCost;
use crate::input::ConfigError;
use crate::network::Network;

/// The estimated energy of a run, in pJ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Energy {
    /// Source of the coefficients.
    pub source: String,
    /// Time of a cycle, in ns ([`Coefficients::cycle`]).
    pub cycle_ns: f64,
    /// Error of the time of a cycle, in per cent to either side.
    pub cycle_error_percent: f64,
    /// The part of this error that is left between two networks with the same delays.
    pub cycle_formula_percent: f64,
    /// Counted activity.
    pub activity: Counts,
    /// Writes and reads of FIFOs.
    pub buffers_pj: f64,
    /// Crossings.
    pub crossbars_pj: f64,
    /// Grants and turns.
    pub arbiters_pj: f64,
    /// Links between switches.
    pub links_pj: f64,
    /// The clock of all flip-flops.
    pub clock_pj: f64,
    /// Leakage of all gates.
    pub leakage_pj: f64,
    /// Sum of all parts.
    pub total_pj: f64,
    /// The total for each bit that a node took, headers included. `None` when no node took a bit.
    pub pj_per_bit: Option<f64>,
    /// Error of the total, in per cent to either side.
    pub error_percent: f64,
    /// The part of this error that is left between two networks with the same coefficients.
    pub formula_percent: f64,
}

impl Energy {
    /// The energy of a run of `cycles` cycles with this activity, in a network of this cost.
    ///
    /// # Errors
    /// The same as for [`Coefficients::cycle`].
    pub fn new(
        c: &Coefficients,
        network: &Network,
        activity: Counts,
        cost: &HardwareCost,
        cycles: u64,
    ) -> Result<Self, ConfigError> {
        const FJ: f64 = 1e-3;
        // One nW during one ns is 1e-18 J.
        const NW_NS: f64 = 1e-6;
        let bits = |flits: u64| flits as f64 * f64::from(network.switch.flit_bits);
        let written = bits(activity.buffer_writes) * c.buffer_write_fj_per_bit;
        let buffers_pj = (written + bits(activity.buffer_reads) * c.buffer_read_fj_per_bit) * FJ;
        let crossbars_pj = bits(activity.crossings) * c.crossbar_fj_per_bit * FJ;
        let arbiters_pj = (activity.grants + activity.turns) as f64 * c.arbitration_fj * FJ;
        let Cycle { ns: cycle_ns, error_percent: cycle_error_percent, formula_percent: cycle_formula_percent } =
            c.cycle(network, cost)?;
        let links_pj = activity.link_toggle_pitches as f64 * c.link_fj_per_toggle_mm * c.link_mm * FJ;
        let clock_pj = cost.network.flip_flops as f64 * c.clock_fj_per_flip_flop * cycles as f64 * FJ;
        let leakage_pj = cost.network.ge * c.leakage_nw_per_ge * cycles as f64 * cycle_ns * NW_NS;
        let total_pj = buffers_pj + crossbars_pj + arbiters_pj + links_pj + clock_pj + leakage_pj;
        // The counts of a run are exact. Areas and the time of a cycle are not.
        let by_area = cost.area_error_percent * (clock_pj + leakage_pj);
        let by_formulas = by_area + cycle_formula_percent * leakage_pj;
        let formula_percent = if total_pj > 0.0 { by_formulas / total_pj } else { 0.0 };
        let by_delays = (cycle_error_percent - cycle_formula_percent) * leakage_pj;
        let by_delays = if total_pj > 0.0 { by_delays / total_pj } else { 0.0 };
        Ok(Self {
            source: c.source.clone(),
            cycle_ns,
            cycle_error_percent,
            cycle_formula_percent,
            activity,
            buffers_pj,
            crossbars_pj,
            arbiters_pj,
            links_pj,
            clock_pj,
            leakage_pj,
            total_pj,
            pj_per_bit: (activity.consumed_flits > 0).then(|| total_pj / bits(activity.consumed_flits)),
            error_percent: c.error_percent + by_delays + formula_percent,
            formula_percent,
        })
    }

    /// The energy of no run, which gives the names of the scalars.
    #[must_use]
    pub(crate) fn of_nothing() -> Self {
        Self {
            source: String::new(),
            cycle_ns: 0.0,
            cycle_error_percent: 0.0,
            cycle_formula_percent: 0.0,
            activity: Counts::default(),
            buffers_pj: 0.0,
            crossbars_pj: 0.0,
            arbiters_pj: 0.0,
            links_pj: 0.0,
            clock_pj: 0.0,
            leakage_pj: 0.0,
            total_pj: 0.0,
            pj_per_bit: None,
            error_percent: 0.0,
            formula_percent: 0.0,
        }
    }

    /// The parts of the total, by name.
    #[must_use]
    pub fn parts(&self) -> [(&'static str, f64); 6] {
        [
            ("buffers", self.buffers_pj),
            ("crossbars", self.crossbars_pj),
            ("arbiters", self.arbiters_pj),
            ("links", self.links_pj),
            ("clock", self.clock_pj),
            ("leakage", self.leakage_pj),
        ]
    }

    /// The energy as columns of a table: name, unit and value. `energy_pj_per_bit` is not a number
    /// when no node took a bit.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = (&'static str, &'static str, f64)> + '_ {
        const PERCENT: &str = "% to either side";
        let counts = &self.activity;
        [
            ("energy_pj", "pJ", self.total_pj),
            ("energy_pj_per_bit", "pJ/bit", self.pj_per_bit.unwrap_or(f64::NAN)),
            ("energy_pj.buffers", "pJ", self.buffers_pj),
            ("energy_pj.crossbars", "pJ", self.crossbars_pj),
            ("energy_pj.arbiters", "pJ", self.arbiters_pj),
            ("energy_pj.links", "pJ", self.links_pj),
            ("energy_pj.clock", "pJ", self.clock_pj),
            ("energy_pj.leakage", "pJ", self.leakage_pj),
            ("buffer_writes", "flits", counts.buffer_writes as f64),
            ("buffer_reads", "flits", counts.buffer_reads as f64),
            ("crossings", "flits", counts.crossings as f64),
            ("grants", "grants", counts.grants as f64),
            ("channel_turns", "flits", counts.turns as f64),
            ("link_flits", "flits", counts.link_flits as f64),
            ("link_toggles", "toggles", counts.link_toggles as f64),
            ("link_toggle_pitches", "toggles", counts.link_toggle_pitches as f64),
            ("cycle_ns", "ns", self.cycle_ns),
            ("energy_error_percent", PERCENT, self.error_percent),
            ("energy_formula_percent", PERCENT, self.formula_percent),
            ("cycle_error_percent", PERCENT, self.cycle_error_percent),
            ("cycle_formula_percent", PERCENT, self.cycle_formula_percent),
        ]
        .into_iter()
    }
}

#[cfg(test)]
mod tests;
