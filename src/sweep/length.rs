//! How long a run is: until the confidence interval of a metric within it is narrow.
//!
//! A pilot without warm-up shows from when on the network is warm, by MSER-5 (White, 1997):
//! observations in batches of 5, cut off where the rest has the least `variance / count`; a cut in
//! the second half means that the pilot was too short, and it is run twice as long. The run itself
//! then begins its window there. Its observations make 20 batches, whose means have an interval
//! after Student (batch means). While that is too wide, or a batch still follows the one before
//! (autocorrelation beyond `2 / sqrt(20)`), the run is made again, twice as long. The last run is
//! the row: a plain run with its own `warmup_cycles` and `measure_cycles`.

use std::collections::HashMap;
use std::ops::Range;

use wormscope_hw::WormId;

use super::SweepError;
use super::metrics::Metric;
use super::runner::Unrun;
use super::stop::Precision;
use crate::engine::{Delivery, Observer, WormInfo};
use crate::experiment::{Experiment, Loaded};
use crate::report::classes::Spread;
use crate::report::{Outcome, Report};
use crate::spelling::suggestion;
use crate::statistics::Estimate;

/// Batches that an interval is drawn from.
const BATCHES: usize = 20;
/// Observations in a batch of the rule that finds the warm-up.
const MSER: usize = 5;
/// Most times that a window is doubled.
const MOST_DOUBLINGS: u32 = 6;
/// Parts of a window that the accepted load is observed in.
const PARTS: usize = 1000;

/// What is observed: a number a worm, or what arrives in a part of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Observed {
    First,
    Mean,
    Last,
    Accepted,
}

/// Metrics that a run has observations of.
const OBSERVED: [(&str, Observed); 4] = [
    ("latency_first_mean", Observed::First),
    ("latency_mean_mean", Observed::Mean),
    ("latency_last_mean", Observed::Last),
    ("accepted", Observed::Accepted),
];

/// When a run is long enough.
pub(crate) struct Until {
    precision: Precision,
    observed: Observed,
}

/// How long a run was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// Cycles before its window.
    pub warmup: u64,
    /// Cycles of its window.
    pub measure: u64,
    /// The metric's 95 % interval to either side, as a share of its mean; `None` when the run has
    /// too few observations.
    pub interval: Option<f64>,
}

impl Until {
    /// Reads `METRIC=PERCENT%` of one of these metrics.
    pub fn parse(text: &str, metrics: &[Metric]) -> Result<Self, SweepError> {
        let precision = Precision::parse("--until", text, metrics)?;
        let name = metrics[precision.metric].name.as_str();
        let observed = OBSERVED.into_iter().find(|of| of.0 == name).map(|of| of.1);
        let observed = observed.ok_or_else(|| {
            let names = OBSERVED.map(|of| of.0);
            let allowed = format!("within a run there are intervals of {}", names.join(", "));
            SweepError::Asked(format!("--until {text}: {allowed}{}", suggestion(name, &names)))
        })?;
        Ok(Self { precision, observed })
    }

    /// Place of the metric among all.
    pub fn metric(&self) -> usize {
        self.precision.metric
    }

    /// Refuses an experiment that has no window to lengthen.
    pub fn check(experiment: &Experiment) -> Result<(), SweepError> {
        if experiment.window().end == u64::MAX {
            let why = "--until: a run without random traffic ends by itself; give its base run.measure_cycles";
            return Err(SweepError::Asked(why.to_owned()));
        }
        Ok(())
    }

    /// Makes the run of an experiment: the configuration that it came to, its report and its
    /// length. `run` makes one.
    pub fn run(
        &self,
        mut loaded: Loaded,
        mut run: impl FnMut(&Loaded, &mut Option<Series>) -> Result<Report, Unrun>,
    ) -> Result<(Loaded, Report, Length), Unrun> {
        let of_base = loaded.experiment.window();
        let mut observe = |window: Range<u64>| {
            set(&mut loaded, &window);
            let mut series = Some(Series::new(self.observed, window));
            let report = run(&loaded, &mut series)?;
            let observations = series.map(Series::observations).unwrap_or_default();
            Ok::<_, Unrun>((report, observations))
        };
        let measure = of_base.end - of_base.start;
        let mut warmup = of_base.start;
        for doublings in 0..=MOST_DOUBLINGS {
            let (report, observations) = observe(0..of_base.end.saturating_mul(1 << doublings))?;
            let values: Vec<f64> = observations.iter().map(|of| of.1).collect();
            if let Some(first) = warm_from(&values) {
                warmup = observations[first].0;
                break;
            }
            if report.outcome != Outcome::Done {
                break;
            }
        }
        let mut doublings = 0;
        let (report, length) = loop {
            let measure = measure.saturating_mul(1 << doublings);
            let (report, observations) = observe(warmup..warmup.saturating_add(measure))?;
            let values: Vec<f64> = observations.iter().map(|of| of.1).collect();
            let found = batch_means(&values);
            let interval = found.and_then(|(of, _)| Some(of.half_width? / of.mean.abs()));
            let met = found.is_some_and(|(of, apart)| apart && self.precision.is_met_by(&of));
            if met || doublings == MOST_DOUBLINGS || report.outcome != Outcome::Done {
                break (report, Length { warmup, measure, interval: interval.filter(|of| of.is_finite()) });
            }
            doublings += 1;
        };
        Ok((loaded, report, length))
    }
}

/// Gives an experiment a window.
fn set(loaded: &mut Loaded, window: &Range<u64>) {
    loaded.experiment.run.warmup_cycles = window.start;
    loaded.experiment.run.measure_cycles = Some(window.end - window.start);
    loaded.hash = loaded.experiment.hash();
}

/// The first of some observations behind the warm-up; `None` when there are too few to tell.
fn warm_from(values: &[f64]) -> Option<usize> {
    let batches: Vec<f64> = values.chunks_exact(MSER).map(|batch| batch.iter().sum::<f64>() / MSER as f64).collect();
    if batches.len() < BATCHES {
        return None;
    }
    // From the end on, the sum of squares of the rest grows batch by batch (Welford).
    let (mut mean, mut squares, mut best) = (0.0, 0.0, (f64::INFINITY, 0));
    for (count, (at, value)) in (1_u32..).zip(batches.iter().enumerate().rev()) {
        let (n, difference) = (f64::from(count), value - mean);
        mean += difference / n;
        squares += difference * (value - mean);
        let error = squares / n.powi(2);
        // A few batches at the end are alike by chance.
        if count as usize >= BATCHES / 2 && error <= best.0 {
            best = (error, at);
        }
    }
    (best.1 <= batches.len() / 2).then_some(best.1 * MSER)
}

/// The mean of some observations by batch means, and whether the batches know nothing of each
/// other; `None` when there are too few.
fn batch_means(values: &[f64]) -> Option<(Estimate, bool)> {
    let size = values.len() / BATCHES;
    if size == 0 {
        return None;
    }
    // What is left over is left out at the end.
    let means: Vec<f64> =
        values.chunks_exact(size).take(BATCHES).map(|of| of.iter().sum::<f64>() / size as f64).collect();
    let estimate = Estimate::of(&means)?;
    let off: Vec<f64> = means.iter().map(|mean| mean - estimate.mean).collect();
    let squares: f64 = off.iter().map(|off| off * off).sum();
    let products: f64 = off.windows(2).map(|pair| pair[0] * pair[1]).sum();
    Some((estimate, products <= 2.0 / (BATCHES as f64).sqrt() * squares))
}

/// Observes a run: a number for each measured worm that has wholly arrived, or for each part of the
/// window.
pub(crate) struct Series {
    observed: Observed,
    window: Range<u64>,
    /// Cycle and number.
    values: Vec<(u64, f64)>,
    under_way: HashMap<WormId, Spread>,
}

impl Series {
    fn new(observed: Observed, window: Range<u64>) -> Self {
        let parts = if observed == Observed::Accepted { PARTS } else { 0 };
        let cycles = (window.end - window.start).max(1);
        let part = |n| (window.start + (u128::from(cycles) * n as u128 / PARTS as u128) as u64, 0.0);
        let values = (0..parts).map(part).collect();
        Self { observed, window, values, under_way: HashMap::new() }
    }

    /// All of it, in order of the worms' creation.
    fn observations(mut self) -> Vec<(u64, f64)> {
        self.values.sort_by_key(|of| of.0);
        self.values
    }
}

impl Observer for Series {
    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        let destinations = worm.destinations.len();
        if self.observed == Observed::Accepted {
            if self.window.contains(&delivery.tail) {
                let cycles = u128::from(self.window.end - self.window.start);
                let part = u128::from(delivery.tail - self.window.start) * PARTS as u128 / cycles;
                let flits = f64::from(worm.header_flits) + f64::from(worm.payload_flits);
                self.values[part as usize].1 += flits / destinations as f64;
            }
            return;
        }
        if !worm.measured {
            return;
        }
        let spread = self.under_way.entry(worm.id).or_default();
        spread.add(delivery.tail - worm.created);
        if spread.arrived as usize == destinations {
            let value = match self.observed {
                Observed::First => spread.first as f64,
                Observed::Mean => spread.mean(),
                Observed::Last | Observed::Accepted => spread.last as f64,
            };
            self.values.push((worm.created, value));
            self.under_way.remove(&worm.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::SplitMix64;
    use rand_xoshiro::rand_core::{RngCore as _, SeedableRng as _};

    use super::*;

    /// Noise around 100 that forgets a step in `memory`, with `extra` added that fades over the
    /// first `warm`.
    fn noise(seed: u64, count: usize, memory: f64, extra: f64, warm: f64) -> Vec<f64> {
        let mut random = SplitMix64::seed_from_u64(seed);
        let mut state = 0.0;
        let step = |n: usize| {
            state = state * memory + f64::from(random.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0;
            100.0 + state + extra * (-(n as f64) / warm).exp()
        };
        (0..count).map(step).collect()
    }

    #[test]
    fn the_warm_up_is_where_the_rest_is_steady() {
        for seed in 0..20 {
            let from = warm_from(&noise(seed, 10_000, 0.5, -50.0, 300.0)).unwrap();
            assert!((800..4000).contains(&from), "{from}");
            assert!(warm_from(&noise(seed, 10_000, 0.5, 0.0, 1.0)).unwrap() < 5000);
            // It is still falling at the end.
            assert_eq!(warm_from(&noise(seed, 1_000, 0.5, -50.0, 2000.0)), None);
        }
        assert_eq!(warm_from(&[1.0; 99]), None);
    }

    #[test]
    fn intervals_of_batch_means_hold_the_mean_as_often_as_they_say() {
        let holds = |seed| {
            let (estimate, _) = batch_means(&noise(seed, 4000, 0.8, 0.0, 1.0)).unwrap();
            estimate.low() <= 100.0 && 100.0 <= estimate.high()
        };
        let held = (0..1000).filter(|&seed| holds(seed)).count();
        // 95 % of 1000 give or take three standard deviations; batches of 200 know a little of each
        // other.
        assert!((920..=971).contains(&held), "{held}");
    }

    #[test]
    fn batches_that_follow_each_other_are_too_short() {
        let apart =
            |memory| (0..100).filter(|&seed| batch_means(&noise(seed, 400, memory, 0.0, 1.0)).unwrap().1).count();
        assert!(apart(0.0) >= 90 && apart(0.99) <= 30, "{} {}", apart(0.0), apart(0.99));
        assert_eq!(batch_means(&[1.0; 19]), None);
    }
}
