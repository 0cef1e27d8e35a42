//! Time of a cycle of an experiment.

use super::{Coefficients, Technology};
use crate::cost::{Encodings, of};
use crate::experiment::Loaded;
use crate::input::ConfigError;
use crate::network::{Clock, Wiring};

/// Clock period of an experiment in ns. A number of the configuration comes first. With
/// `clock_ns: from_depth` the period follows from the depth of logic, with the delays of the
/// coefficients, or of the default technology. Without either it is the computed period if the
/// coefficients have delays, else 1 ns.
///
/// # Errors
/// A trace cannot be opened, or the coefficients have no delays for `from_depth`.
pub fn clock_ns(loaded: &Loaded, wiring: &Wiring, coefficients: Option<&Coefficients>) -> Result<f64, ConfigError> {
    let network = &loaded.experiment.network;
    let default;
    let coefficients = match (network.clock_ns, coefficients) {
        (Some(Clock::Ns(ns)), _) => return Ok(ns),
        (None, None) => return Ok(Clock::DEFAULT_NS),
        (_, Some(coefficients)) => coefficients,
        (Some(Clock::FromDepth), None) => {
            default = Technology::DEFAULT.coefficients()?;
            &default
        }
    };
    if network.clock_ns.is_none() && coefficients.delays.is_none() {
        return Ok(Clock::DEFAULT_NS);
    }
    let cost = of(network, wiring, Encodings::sent(loaded)?);
    Ok(coefficients.cycle(network, &cost)?.ns)
}
