//! Means over seeds, and conclusions from them and their noise.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Probability with which an interval has the true value.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// A metric of a point over its seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Mean over the runs that have the metric.
    pub mean: f64,
    /// Half the width of the 95 % interval after Student; `None` for a single run.
    pub half_width: Option<f64>,
    /// Number of the runs with this metric.
    pub runs: usize,
    /// Squared standard error of the mean.
    error: f64,
}

impl Estimate {
    /// The estimate from the values of some runs; `None` when no run has one.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let runs = values.len();
        let n = runs as f64;
        let first = *values.first()?;
        // The mean of equal values is exact, even if their sum is rounded.
        if values.iter().all(|value| value.to_bits() == first.to_bits()) {
            let half_width = (runs > 1).then_some(0.0);
            return Some(Self { mean: first, half_width, runs, error: 0.0 });
        }
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let error = variance / n;
        Some(Self { mean, half_width: Some(student(n - 1.0) * error.sqrt()), runs, error })
    }

    /// Lower end of the interval, or the mean.
    #[must_use]
    pub fn low(&self) -> f64 {
        self.mean - self.half_width.unwrap_or(0.0)
    }

    /// Upper end of the interval, or the mean.
    #[must_use]
    pub fn high(&self) -> f64 {
        self.mean + self.half_width.unwrap_or(0.0)
    }

    /// Mean and half the interval's width, with as many digits as the interval makes certain.
    #[must_use]
    pub(crate) fn text(&self) -> String {
        match self.half_width {
            Some(half) if half > 0.0 => {
                // Two digits of the half-width.
                let decimals = decimals(half, 2).min(9);
                format!("{:.decimals$} ± {half:.decimals$}", self.mean)
            }
            _ => short(self.mean),
        }
    }

    /// The smallest number of runs whose interval is at most this share of the mean to either side.
    /// New values scatter like the values of these runs. `None` for a single run, for a mean of 0,
    /// and beyond a million.
    #[must_use]
    pub fn runs_for(&self, share: f64) -> Option<u64> {
        self.half_width?;
        let variance = self.error * self.runs as f64;
        let is_enough = |&n: &u64| student(n as f64 - 1.0) * (variance / n as f64).sqrt() <= share * self.mean.abs();
        let most = 1 << 20;
        let enough = Some(most).filter(is_enough).filter(|_| self.mean != 0.0)?;
        let (mut few, mut enough) = (1, enough);
        while enough - few > 1 {
            let middle = few.midpoint(enough);
            if is_enough(&middle) { enough = middle } else { few = middle }
        }
        Some(enough)
    }

    /// Square of the standard error of the mean.
    #[must_use]
    pub(crate) fn squared_error(&self) -> f64 {
        self.error
    }

    /// Whether the two differ beyond their noise, by Welch's test at 5 %. Single runs count as
    /// exact.
    #[must_use]
    pub fn differs(&self, other: &Self) -> bool {
        let error = self.error + other.error;
        let difference = (self.mean - other.mean).abs();
        if error == 0.0 {
            return difference > 0.0;
        }
        // The quantile is at least the normal distribution's 1.96, which settles most pairs.
        if difference <= 1.95 * error.sqrt() {
            return false;
        }
        let part = |estimate: &Self| estimate.error.powi(2) / (estimate.runs.max(2) as f64 - 1.0);
        let degrees = error.powi(2) / (part(self) + part(other));
        difference > student(degrees) * error.sqrt()
    }
}

impl Estimate {
    /// Change to another mean in per cent of this one, with half the width of its 95 % interval.
    /// The runs of both are independent. `None` if this mean is 0.
    #[must_use]
    pub(crate) fn change_to(&self, other: &Self) -> Option<(f64, Option<f64>)> {
        let ratio = other.mean / self.mean;
        if !ratio.is_finite() {
            return None;
        }
        let percent = 100.0 * (ratio - 1.0);
        if self.runs < 2 || other.runs < 2 {
            return Some((percent, None));
        }
        // Errors of a quotient, to first order, with the degrees of freedom of Welch.
        let parts = [(ratio.powi(2) * self.error, self.runs), (other.error, other.runs)];
        let error: f64 = parts.iter().map(|(error, _)| error).sum();
        let degrees =
            error.powi(2) / parts.iter().map(|(error, runs)| error.powi(2) / (*runs as f64 - 1.0)).sum::<f64>();
        let half = if error == 0.0 { 0.0 } else { 100.0 * student(degrees) * error.sqrt() / self.mean.abs() };
        Some((percent, Some(half)))
    }
}

/// A number with at most six digits.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let decimals = decimals(value.abs(), 6);
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Number of decimals that show `digits` digits of a positive value.
fn decimals(value: f64, digits: i32) -> usize {
    usize::try_from(digits - 1 - value.log10().floor() as i32).unwrap_or(0)
}

/// Student's quantile for a two-sided interval of [`CONFIDENCE`].
fn student(degrees: f64) -> f64 {
    // Degrees of freedom of samples are positive, so the distribution exists.
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::INFINITY, |t| t.inverse_cdf(f64::midpoint(CONFIDENCE, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_runs_as_an_interval_takes() {
        // Mean 10, variance 2: 12.706 and 4.303 times the standard error, and so on.
        let of = |values: &[f64], share| Estimate::of(values).unwrap().runs_for(share);
        assert_eq!([2.0, 1.3, 0.36, 0.05].map(|share| of(&[9.0, 11.0], share)), [2, 2, 3, 34].map(Some));
        assert_eq!([of(&[9.0], 0.05), of(&[-1.0, 1.0], 0.05), of(&[9.0, 11.0], 1e-9)], [None; 3]);
        assert_eq!(of(&[9.0, 9.0], 0.05), Some(2));
    }

    #[test]
    fn quantiles_are_those_of_printed_tables() {
        for (degrees, quantile) in
            [(1.0, 12.706), (2.0, 4.303), (4.0, 2.776), (9.0, 2.262), (30.0, 2.042), (120.0, 1.980)]
        {
            assert!((student(degrees) - quantile).abs() < 5e-4, "{degrees}: {}", student(degrees));
        }
    }

    #[test]
    fn the_interval_is_the_one_computed_by_hand() {
        // Mean 12 and standard deviation 2 give 2 / sqrt(3) x 4.3027 to either side.
        let estimate = Estimate::of(&[10.0, 12.0, 14.0]).unwrap();
        assert!((estimate.mean - 12.0).abs() < 1e-12 && (estimate.half_width.unwrap() - 4.9683).abs() < 1e-3);
        assert_eq!(Estimate::of(&[]), None);
        assert_eq!(Estimate::of(&[5.0]).unwrap().half_width, None);
        assert_eq!(
            Estimate::of(&[0.1; 7]).unwrap(),
            Estimate { mean: 0.1, half_width: Some(0.0), runs: 7, error: 0.0 }
        );
    }

    #[test]
    fn the_interval_of_a_change_is_the_one_computed_by_hand() {
        // 10 +- 1 and 12 +- 2 as standard errors: 1.2 +- sqrt(1.44 + 4) / 10, with 1.9 degrees of
        // freedom by Welch.
        let of = |values: &[f64]| Estimate::of(values).unwrap();
        let (percent, half) = of(&[9.0, 11.0]).change_to(&of(&[10.0, 14.0])).unwrap();
        let (degrees, error) = (5.44_f64.powi(2) / (1.44_f64.powi(2) + 16.0), 5.44_f64.sqrt() / 10.0);
        assert!((percent - 20.0).abs() < 1e-9 && (half.unwrap() - 100.0 * student(degrees) * error).abs() < 1e-9);
        assert_eq!(of(&[0.0]).change_to(&of(&[1.0])), None);
        assert_eq!(of(&[2.0]).change_to(&of(&[1.0])), Some((-50.0, None)));
        assert_eq!(of(&[2.0, 2.0]).change_to(&of(&[1.0, 1.0])), Some((-50.0, Some(0.0))));
    }

    #[test]
    fn what_noise_explains_is_no_difference() {
        let of = |values: &[f64]| Estimate::of(values).unwrap();
        assert!(!of(&[10.0, 12.0, 14.0]).differs(&of(&[11.0, 13.0, 15.0])));
        assert!(of(&[10.0, 10.1, 9.9]).differs(&of(&[11.0, 11.1, 10.9])));
        assert!(of(&[5.0, 5.0]).differs(&of(&[5.000_001, 5.000_001])));
        assert!(!of(&[5.0, 5.0]).differs(&of(&[5.0])));
        // With two runs each, 1 +- 0.1 against 1.3 +- 0.1: t is 2.1. That is far below the 4.3 that
        // two degrees of freedom require.
        assert!(!of(&[0.9, 1.1]).differs(&of(&[1.2, 1.4])));
    }
}
