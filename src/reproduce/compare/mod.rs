//! Closed forms, tables and figures of the papers, compared with results of the simulator.

mod atbm;
mod kp;
mod parameterised;
mod seidel;
mod tpp;

use thiserror::Error;

pub use self::atbm::atbm;
pub use self::kp::{kp, kp_runs};
pub use self::parameterised::parameterised;
pub use self::seidel::seidel;
pub use self::tpp::tpp;
pub(crate) use self::tpp::tpp_worms;
use crate::config;
use crate::experiment::Loaded;
use crate::input::ConfigError;
use crate::model::tree::TreeError;
use crate::multicast::Plan;
use crate::report::chart::{Chart, Look, Series};
use crate::simulation::{Simulation, Site};

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Tables to read.
    pub text: String,
    /// Charts to look at.
    pub charts: Vec<Chart>,
}

/// The reason why a comparison fails.
#[derive(Debug, Error)]
pub enum CompareError {
    /// An experiment made of the arguments is refused.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A route does not arrive.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The costs are less than the time of the hardware.
    #[error("{what} is {value}; the hardware alone takes {least} cycles, so at least that")]
    TooFast {
        /// The cost.
        what: &'static str,
        /// Value of the cost.
        value: u32,
        /// The least.
        least: u64,
    },
}

fn experiment(network: &str, workload: &str, seed: u64) -> Result<Loaded, CompareError> {
    let text = format!("(network: ({network}), workload: [{workload}], run: (seed: {seed}))");
    Ok(config::from_text("model", &text, &[])?)
}

/// Runs an experiment to its end. Yields the cycles from begin to end of each of its multicasts,
/// and their plans.
fn run(loaded: &Loaded) -> Result<(Vec<u64>, Vec<Plan>), CompareError> {
    let mut simulation = Simulation::new(loaded, &Site::of(loaded)?)?;
    simulation.run(&mut (), |_| ())?;
    let operations = simulation.operations();
    let latency = operations.iter().map(|o| o.end.unwrap_or(u64::MAX) - o.begin).collect();
    Ok((latency, operations.iter().map(|o| (*o.design.plan).clone()).collect()))
}

/// A series of a chart.
fn series(name: &str, look: Look, colour: usize, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
    Series { name: name.to_owned(), points: points.into_iter().collect(), look, colour }
}

/// Numbers as the workload lists them.
fn list(numbers: impl IntoIterator<Item = u32>) -> String {
    numbers.into_iter().map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
