//! Saturation read off the loads of a sweep.

use std::collections::{HashMap, HashSet};

use super::sweep::Sweep;
use crate::sweep;

/// A run along the loads: its load, whether that was too much, where it is known, and its row.
type CurveRun = (f64, Option<bool>, usize);

/// The runs of a hardware along its loads.
#[derive(Default)]
struct Curve<'a> {
    /// Those of each seed.
    seeds: HashMap<&'a str, Vec<CurveRun>>,
    /// Loads that were refused.
    refused: Vec<f64>,
}

/// Of each row of a sweep with this column of loads the saturation of its seed, where it is known.
pub(super) fn saturations(sweep: &Sweep, load: usize) -> Vec<Option<f64>> {
    let asked = asked(sweep, load);
    let mut found = vec![None; sweep.len()];
    for curve in curves(sweep, load).into_values() {
        let run: HashSet<u64> = curve.seeds.values().flatten().map(|(at, ..)| at.to_bits()).collect();
        let own = || run.iter().copied().map(f64::from_bits).collect();
        let mut loads = asked.clone().unwrap_or_else(own);
        loads.retain(|at| run.contains(&at.to_bits()) || !curve.refuses(*at));
        loads.sort_by(f64::total_cmp);
        // Of seeds that not all loads were run with, those that saturate late would be known alone.
        for runs in curve.seeds.values().filter(|runs| runs.len() == run.len()) {
            let edge = edge(runs, &loads);
            for &(_, _, row) in runs {
                found[row] = edge;
            }
        }
    }
    found
}

/// The runs of each hardware.
fn curves(sweep: &Sweep, load: usize) -> HashMap<Vec<&str>, Curve<'_>> {
    let mut curves: HashMap<Vec<&str>, Curve> = HashMap::new();
    for row in 0..sweep.len() {
        let Some(at) = sweep.number(row, load) else { continue };
        let curve = curves.entry(sweep.hardware(row)).or_default();
        match sweep.outcome(row) {
            "refused" => curve.refused.push(at),
            outcome => {
                let too_much = match outcome {
                    "saturated" | "deadlock" => Some(true),
                    // It was not waited for what the queues would have come to.
                    "cycle_limit" => None,
                    _ => Some(false),
                };
                curve.seeds.entry(sweep.seed_index(row)).or_default().push((at, too_much, row));
            }
        }
    }
    curves
}

/// The loads that each hardware of a sweep is asked for; `None` where each has its own, which
/// follows from its other fields or is varied together with them.
fn asked(sweep: &Sweep, load: usize) -> Option<Vec<f64>> {
    let column = &sweep.schema.columns[load];
    if column.derived {
        return None;
    }
    match sweep::axis(&sweep.directory, &column.name).as_deref() {
        Some([(_, values)]) => Some(values.iter().filter_map(|value| value.parse().ok()).collect()),
        Some(_) => None,
        // Who has copied the table alone has no more than what is in it.
        None => {
            let loads = (0..sweep.len()).filter_map(|row| sweep.number(row, load));
            let loads: HashSet<u64> = loads.map(f64::to_bits).collect();
            Some(loads.into_iter().map(f64::from_bits).collect())
        }
    }
}

impl Curve<'_> {
    /// Whether a load is refused, or is between two that are and so is held to be.
    fn refuses(&self, at: f64) -> bool {
        self.refused.iter().any(|refused| *refused <= at) && self.refused.iter().any(|refused| *refused >= at)
    }
}

/// The greatest load up to which no run of a seed was too much, where it is known that the next of
/// all loads in order is, or there is none.
fn edge(runs: &[CurveRun], loads: &[f64]) -> Option<f64> {
    let known = |wanted: bool| runs.iter().filter(move |(_, of, _)| *of == Some(wanted)).map(|(at, ..)| *at);
    let first = known(true).fold(f64::INFINITY, f64::min);
    let carried = known(false).filter(|at| *at < first).reduce(f64::max);
    let next = loads.iter().copied().find(|at| carried.is_none_or(|carried| *at > carried));
    // Even the least load may be too much.
    next.is_none_or(|next| next >= first).then(|| carried.unwrap_or(0.0))
}
