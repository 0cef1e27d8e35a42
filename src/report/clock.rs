//! The clock of a network in words: the time of a cycle and the frequency.

use serde::Serialize;

use super::hardware::row;
use crate::cost::HardwareCost;
use crate::energy::{Coefficients, Technology};
use crate::input::ConfigError;
use crate::network::{Clock, Network};
use crate::statistics::short;

/// The clock of a network.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Clocked {
    /// Time of a cycle in ns.
    pub cycle_ns: f64,
    /// Clock frequency in MHz.
    pub mhz: f64,
    /// Whether the time follows from the depth of logic. If not, the configuration gives it, or it
    /// is the default.
    pub from_depth: bool,
    /// Error of the time in per cent to either side; 0 if the configuration gives it.
    pub error_percent: f64,
    /// Shortest cycle that the depth of logic allows, if delays are known.
    pub shortest_ns: Option<f64>,
    /// Source of the delays.
    pub source: Option<String>,
}

impl Clocked {
    /// The clock of a network of this cost.
    ///
    /// # Errors
    /// `clock_ns` is `from_depth`, and the coefficients have no delays.
    pub fn new(
        network: &Network,
        cost: &HardwareCost,
        coefficients: Option<&Coefficients>,
    ) -> Result<Self, ConfigError> {
        let follows = network.clock_ns == Some(Clock::FromDepth);
        let default = if follows && coefficients.is_none() { Some(Technology::DEFAULT.coefficients()?) } else { None };
        let coefficients = coefficients.or(default.as_ref());
        let Some(of) = coefficients else {
            let cycle_ns = network.given_clock_ns().unwrap_or(Clock::DEFAULT_NS);
            return Ok(Self {
                cycle_ns,
                mhz: 1000.0 / cycle_ns,
                from_depth: false,
                error_percent: 0.0,
                shortest_ns: None,
                source: None,
            });
        };
        let cycle = of.cycle(network, cost)?;
        let computed = Network { clock_ns: Some(Clock::FromDepth), ..network.clone() };
        let shortest = if of.delays.is_some() { Some(of.cycle(&computed, cost)?) } else { None };
        Ok(Self {
            cycle_ns: cycle.ns,
            mhz: 1000.0 / cycle.ns,
            from_depth: shortest.is_some() && !matches!(network.clock_ns, Some(Clock::Ns(_))),
            error_percent: cycle.error_percent,
            shortest_ns: shortest.map(|of| of.ns),
            source: Some(of.source.clone()),
        })
    }

    /// The warning that no network of this depth reaches the given clock.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let shortest = self.shortest_ns.filter(|&shortest| !self.from_depth && shortest > self.cycle_ns)?;
        Some(format!(
            "clock_ns is {}, too short for the depth of logic, which allows {} ns; the times and energies are too small",
            short(self.cycle_ns),
            short(shortest)
        ))
    }

    /// Time of a cycle in ns.
    #[must_use]
    pub fn ns(&self) -> f64 {
        self.cycle_ns
    }

    /// A line about the clock. It is empty without delays.
    #[must_use]
    pub fn text(&self) -> String {
        let Some((shortest, source)) = self.shortest_ns.zip(self.source.as_ref()) else { return String::new() };
        let time = format!("{} ns, {} MHz", short(self.cycle_ns), short(self.mhz));
        let source = source.split([',', ':']).take(2).collect::<Vec<_>>().join(",");
        if self.from_depth {
            let error = self.error_percent;
            return row("clock", &format!("{time}, from the depth, ± {error:.0} %; delays: {source}"));
        }
        let given = if shortest > self.cycle_ns { ", too short for its depth" } else { "" };
        let shortest = short(shortest);
        row("clock", &format!("{time}, as given{given}; the depth allows {shortest} ns; delays: {source}"))
    }
}
