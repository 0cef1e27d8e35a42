//! The space: the points of a grid that are networks, with all that is known without a run.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::watch::Watched;
use crate::cost::{self, HardwareCost};
use crate::sweep::Sweep;

/// A network of the space.
#[derive(Clone, Debug)]
pub(super) struct Design {
    /// Number of its point in the grid.
    pub point: u64,
    /// Values of the metrics of the question that are known without a run.
    pub known: Vec<Option<f64>>,
}

/// All networks of a space.
#[derive(Debug, Default)]
pub(super) struct DesignSpace {
    /// Networks in the order of the grid.
    pub networks: Vec<Design>,
    /// Number of combinations that break a rule.
    pub illegal: u64,
    /// Reason of the first of them.
    pub first_illegal: Option<String>,
    /// Number of combinations that are the same experiment as another.
    pub same: u64,
}

/// Where the value of a metric comes from that needs no run.
#[derive(Clone, Debug)]
pub(super) enum KnownFrom {
    /// A varied or derived field: the place of its cell in a row.
    Field(usize),
    /// A scalar of the cost, by name.
    Cost(String),
    /// The time of a cycle.
    Cycle,
}

impl KnownFrom {
    fn value(&self, cost: &HardwareCost, cells: &[String], cycle_ns: Option<f64>) -> Option<f64> {
        match self {
            Self::Field(at) => cells.get(*at)?.parse().ok(),
            Self::Cost(name) => cost.scalars().find(|of| of.0 == name).map(|of| of.2),
            Self::Cycle => cycle_ns,
        }
    }
}

impl DesignSpace {
    /// Builds and prices all points, on all threads of the pool. `sources` are those of the metrics
    /// of the question. `None` if the watcher stops it.
    pub(super) fn of(grid: &Sweep, sources: &[Option<KnownFrom>], watch: &Watched) -> Option<Self> {
        let points: Vec<u64> = (0..grid.points()).collect();
        let step = watch.begins("networks priced", grid.points());
        let price = |&point: &u64| step.part(|| priced(grid, point, sources));
        let found: Option<Vec<_>> = points.par_iter().map(price).collect();
        let (mut space, mut hashes) = (Self::default(), BTreeSet::new());
        for (point, priced) in points.iter().zip(found?) {
            match priced {
                Ok((hash, known)) if hashes.insert(hash.clone()) => {
                    space.networks.push(Design { point: *point, known });
                }
                Ok(_) => space.same += 1,
                Err(why) => {
                    space.illegal += 1;
                    space.first_illegal.get_or_insert(why);
                }
            }
        }
        Some(space)
    }
}

/// Hash of the experiment of a point, and the values that need no run. The error is the rule that
/// the point breaks.
fn priced(grid: &Sweep, point: u64, sources: &[Option<KnownFrom>]) -> Result<(String, Vec<Option<f64>>), String> {
    let loaded = grid.experiment(point, 0)?;
    let cells = grid.head(point * u64::from(grid.study.seeds));
    let cost = cost::of_loaded(&loaded).map_err(|error| error.to_string())?;
    let cycle = grid.coefficients().map(|of| of.cycle(&loaded.experiment.network, &cost)).transpose();
    let cycle_ns = cycle.map_err(|error| error.to_string())?.map(|cycle| cycle.ns);
    let value = |source: &Option<KnownFrom>| source.as_ref()?.value(&cost, &cells, cycle_ns);
    Ok((loaded.hash, sources.iter().map(value).collect()))
}
