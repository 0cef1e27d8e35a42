//! Length of a run from its own observations: their number, the end of the warm-up, and the
//! precision of the mean.

use std::collections::HashMap;
use std::ops::Range;

use wormscope_hw::WormId;

use crate::engine::{Delivery, Observer, WormInfo};
use crate::report::classes::Spread;
use crate::statistics::Estimate;

/// Number of batches for an interval.
const BATCHES: usize = 20;
/// Number of observations in a batch of the rule that finds the warm-up.
const MSER: usize = 5;
/// Number of parts of a window in which the accepted load is observed.
const PARTS: usize = 1000;

/// Observation: a number for each worm, or the arrivals in a part of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Observed {
    First,
    Mean,
    Last,
    Accepted,
}

/// Length that a run was given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// Number of cycles before its window.
    pub warmup: u64,
    /// Number of cycles of its window.
    pub measure: u64,
    /// The metric's 95 % interval to either side, as a share of its mean; `None` when the run has
    /// too few observations.
    pub interval: Option<f64>,
}

/// Index of the first of some observations after the warm-up; `None` when there are too few.
pub(super) fn warm_from(values: &[f64]) -> Option<usize> {
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
        // A few batches at the end may be equal by chance.
        if count as usize >= BATCHES / 2 && error <= best.0 {
            best = (error, at);
        }
    }
    (best.1 <= batches.len() / 2).then_some(best.1 * MSER)
}

/// The mean of some observations by batch means, and whether the batches are independent; `None`
/// when there are too few.
pub(super) fn batch_means(values: &[f64]) -> Option<(Estimate, bool)> {
    let size = values.len() / BATCHES;
    if size == 0 {
        return None;
    }
    // Observations beyond whole batches are left out at the end.
    let means: Vec<f64> =
        values.chunks_exact(size).take(BATCHES).map(|of| of.iter().sum::<f64>() / size as f64).collect();
    let estimate = Estimate::of(&means)?;
    let off: Vec<f64> = means.iter().map(|mean| mean - estimate.mean).collect();
    let squares: f64 = off.iter().map(|off| off * off).sum();
    let products: f64 = off.windows(2).map(|pair| pair[0] * pair[1]).sum();
    Some((estimate, products <= 2.0 / (BATCHES as f64).sqrt() * squares))
}

/// Observes a run: a number for each measured worm that has completely arrived, or for each part of
/// the window.
pub(crate) struct Observations {
    observed: Observed,
    window: Range<u64>,
    /// Cycle and number.
    values: Vec<(u64, f64)>,
    under_way: HashMap<WormId, Spread>,
}

impl Observations {
    pub(super) fn new(observed: Observed, window: Range<u64>) -> Self {
        let parts = if observed == Observed::Accepted { PARTS } else { 0 };
        let cycles = (window.end - window.start).max(1);
        let part = |n| (window.start + (u128::from(cycles) * n as u128 / PARTS as u128) as u64, 0.0);
        let values = (0..parts).map(part).collect();
        Self { observed, window, values, under_way: HashMap::new() }
    }

    /// All observations, in order of the worms' creation.
    pub(super) fn observations(mut self) -> Vec<(u64, f64)> {
        self.values.sort_by_key(|of| of.0);
        self.values
    }
}

impl Observer for Observations {
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

    /// Noise around 100 that forgets a step in `memory`. `extra` is added, and fades over the first
    /// `warm`.
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
            // The noise is still falling at the end.
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
        // The expected number is 95 % of 1000, within three standard deviations. Batches of 200
        // depend a little on each other.
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
