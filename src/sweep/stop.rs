//! When a point has seeds enough: when the 95 % confidence interval of a metric's mean over them is narrow.

use super::SweepError;
use super::metrics::Metric;
use super::row::Kind;
use super::study::assignment;
use crate::config::suggestion;

/// Fewest seeds that an interval is drawn from.
const FEWEST: usize = 3;

/// `METRIC=PERCENT%`: an interval of half that many per cent of the mean to either side, or less.
#[derive(Clone, Debug, PartialEq)]
pub struct Precision {
    /// Place of the metric among all.
    pub metric: usize,
    share: f64,
}

impl Precision {
    /// Reads a precision of one of these metrics.
    pub fn parse(text: &str, metrics: &[Metric]) -> Result<Self, SweepError> {
        let refuse = |why: String| SweepError::Asked(format!("--seeds-until {text}: {why}"));
        let (name, percent) = assignment("--seeds-until", text)?;
        let names: Vec<&str> = metrics.iter().map(|metric| metric.name.as_str()).collect();
        let metric = names.iter().position(|known| *known == name);
        let metric = metric.ok_or_else(|| refuse(format!("no metric \"{name}\"{}", suggestion(name, &names))))?;
        if !matches!(metrics[metric].kind, Kind::Integer | Kind::Number) {
            return Err(refuse(format!("{name} is not a number")));
        }
        let percent = percent.strip_suffix('%').unwrap_or(percent).parse::<f64>().ok();
        match percent.filter(|percent| *percent > 0.0 && *percent < 100.0) {
            Some(percent) => Ok(Self { metric, share: percent / 100.0 }),
            None => {
                Err(refuse("expected METRIC=PERCENT%, above 0 and below 100, as in latency_last_mean=5%".to_owned()))
            }
        }
    }

    /// Whether the mean of these values is known well enough.
    #[must_use]
    pub fn is_met(&self, values: &[f64]) -> bool {
        if values.len() < FEWEST {
            return false;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        student(values.len() as u32 - 1) * (variance / n).sqrt() <= self.share * mean.abs()
    }
}

/// The 97.5 % quantile of Student's distribution with so many degrees of freedom, at least 1.
#[must_use]
pub fn student(freedom: u32) -> f64 {
    const TABLE: [f64; 30] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004, 2.262_157, 2.228_139,
        2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_450, 2.119_905, 2.109_816, 2.100_922, 2.093_024, 2.085_963,
        2.079_614, 2.073_873, 2.068_658, 2.063_899, 2.059_539, 2.055_529, 2.051_831, 2.048_407, 2.045_230, 2.042_272,
    ];
    // Beyond the table the expansion by Cornish and Fisher around the normal distribution is good to five digits.
    const Z: f64 = 1.959_963_985;
    TABLE.get(freedom.saturating_sub(1) as usize).copied().unwrap_or_else(|| {
        let f = f64::from(freedom);
        let (z3, z5, z7) = (Z.powi(3), Z.powi(5), Z.powi(7));
        let terms = [
            (z3 + Z) / 4.0,
            (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / 96.0,
            (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * Z) / 384.0,
        ];
        Z + terms[0] / f + terms[1] / f.powi(2) + terms[2] / f.powi(3)
    })
}

#[cfg(test)]
mod tests {
    use super::super::metrics;
    use super::*;

    #[test]
    fn students_quantiles_go_over_into_the_normal_one() {
        assert!((student(40) - 2.021_075).abs() < 1e-5);
        assert!((student(120) - 1.979_930).abs() < 1e-5);
        assert!((1..200).all(|freedom| student(freedom) > student(freedom + 1)));
    }

    #[test]
    fn a_mean_is_known_when_its_interval_is_narrow() {
        let of = |text: &str| Precision::parse(text, &metrics::all());
        let five = of("latency_last_mean=5%").unwrap();
        // Standard error 1 / sqrt(3) times 4.30 is 2.5.
        assert!(five.is_met(&[51.0, 50.0, 49.0]) && !five.is_met(&[49.0, 48.0, 47.0]));
        assert!(!five.is_met(&[50.0, 50.0]));
        let refused = |text: &str| of(text).unwrap_err().to_string();
        assert!(refused("latency_last_men=5%").contains("did you mean \"latency_last_mean\"?"));
        assert!(refused("accepted=0").contains("expected METRIC=PERCENT%"));
        assert!(refused("accepted").contains("expected FIELD="));
    }
}
