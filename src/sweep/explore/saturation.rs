//! Saturation, read off the loads of a sweep.

use std::collections::{HashMap, HashSet};

use super::outcomes::Flaw;

/// A run of a hardware at a load.
pub(super) struct LoadRun<'a> {
    /// Values that identify the hardware.
    pub hardware: Vec<&'a str>,
    /// Seed of the run among the seeds of the point.
    pub seed: &'a str,
    /// The load.
    pub load: f64,
    /// Outcome of the run.
    pub outcome: &'a str,
    /// Row of the run in the table.
    pub row: usize,
}

/// A run along the loads: its load, whether that was too much, if known, and its row.
type CurveRun = (f64, Option<bool>, usize);

/// The runs of a hardware along its loads.
#[derive(Default)]
struct LoadCurve<'a> {
    /// Runs of each seed.
    seeds: HashMap<&'a str, Vec<CurveRun>>,
    /// Loads that were refused.
    refused: Vec<f64>,
}

/// Greatest load that is not too much, and the smallest that is, if there is one.
pub(super) type SaturationInterval = (f64, Option<f64>);

/// The saturation of hardware and seed, for each of the `rows` rows, if it is known. `asked` has
/// the loads that all hardware ran with; `None` if each hardware has its own loads.
pub(super) fn saturations(rows: usize, runs: Vec<LoadRun>, asked: Option<&[f64]>) -> Vec<Option<SaturationInterval>> {
    let mut found = vec![None; rows];
    for curve in curves(runs).into_values() {
        let run: HashSet<u64> = curve.seeds.values().flatten().map(|(at, ..)| at.to_bits()).collect();
        let own = || run.iter().copied().map(f64::from_bits).collect();
        let mut loads = asked.map_or_else(own, <[f64]>::to_vec);
        loads.retain(|at| run.contains(&at.to_bits()) || !curve.refuses(*at));
        loads.sort_by(f64::total_cmp);
        // Of seeds that did not run with all loads, only seeds with a high saturation would be
        // known.
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
fn curves(runs: Vec<LoadRun<'_>>) -> HashMap<Vec<&str>, LoadCurve<'_>> {
    let mut curves: HashMap<Vec<&str>, LoadCurve> = HashMap::new();
    for LoadRun { hardware, seed, load, outcome, row } in runs {
        let curve = curves.entry(hardware).or_default();
        if outcome == "refused" {
            curve.refused.push(load);
            continue;
        }
        let is_too_much = match Flaw::of(outcome) {
            Some(Flaw::Saturated | Flaw::Deadlocked) => Some(true),
            // The run stopped before its queues showed whether the load is too much.
            Some(Flaw::Stopped) => None,
            None => Some(false),
        };
        curve.seeds.entry(seed).or_default().push((load, is_too_much, row));
    }
    curves
}

impl LoadCurve<'_> {
    /// Whether a load is refused, or is between two that are refused, which counts as refused.
    fn refuses(&self, at: f64) -> bool {
        self.refused.iter().any(|refused| *refused <= at) && self.refused.iter().any(|refused| *refused >= at)
    }
}

/// The largest load up to which no run of a seed was too much. It is known if the next of all loads
/// in order was too much, or if there is none.
fn edge(runs: &[CurveRun], loads: &[f64]) -> Option<SaturationInterval> {
    let known = |wanted: bool| runs.iter().filter(move |(_, of, _)| *of == Some(wanted)).map(|(at, ..)| *at);
    let first = known(true).fold(f64::INFINITY, f64::min);
    let carried = known(false).filter(|at| *at < first).reduce(f64::max);
    let next = loads.iter().copied().find(|at| carried.is_none_or(|carried| *at > carried));
    // Even the smallest load may be too much.
    let high = Some(first).filter(|first| first.is_finite());
    next.is_none_or(|next| next >= first).then(|| (carried.unwrap_or(0.0), high))
}
