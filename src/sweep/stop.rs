//! Precision over seeds: a point has enough seeds when the 95 % confidence interval of a metric's
//! mean over them is narrow.

use super::SweepError;
use super::metrics::{self, Metric};
use super::study::assignment;
use crate::output::ColumnKind;
use crate::quote::excerpt;
use crate::spelling::suggestion;
use crate::statistics::Estimate;

/// Smallest number of seeds for an interval.
pub(crate) const FEWEST: usize = 3;

/// `METRIC=PERCENT%`: an interval of at most this many per cent of the mean to either side.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Precision {
    /// Place of the metric among all.
    pub metric: usize,
    percent: f64,
}

impl Precision {
    /// Reads a precision of one of these metrics from `option`.
    pub fn parse(option: &str, text: &str, metrics: &[Metric]) -> Result<Self, SweepError> {
        let refuse = |why: String| SweepError::Asked(format!("{option} {}: {why}", excerpt(text)));
        let (name, percent) = assignment(option, text)?;
        let names: Vec<&str> = metrics.iter().map(|metric| metric.name.as_str()).collect();
        let place = |name: &str| names.iter().position(|known| *known == name);
        let metric = place(name).or_else(|| place(&metrics::whole_name(name)));
        let metric =
            metric.ok_or_else(|| refuse(format!("no metric \"{}\"{}", excerpt(name), suggestion(name, &names))))?;
        if !matches!(metrics[metric].kind, ColumnKind::Integer | ColumnKind::Number) {
            return Err(refuse(format!("{name} is not a number")));
        }
        let (number, has_sign) = percent.strip_suffix('%').map_or((percent, false), |number| (number, true));
        let percent = number.parse::<f64>().ok();
        match percent.filter(|percent| *percent > 0.0 && *percent < 100.0) {
            // A share in place of a percentage.
            Some(share) if share < 1.0 && !has_sign => Err(refuse(format!(
                "{share} may mean {share} % or {} %; write {name}={share}% or {name}={}%",
                100.0 * share,
                100.0 * share
            ))),
            Some(percent) => Ok(Self { metric, percent }),
            None => {
                Err(refuse("expected METRIC=PERCENT%, above 0 and below 100, as in latency_last_mean=5%".to_owned()))
            }
        }
    }

    /// The text that its option takes, with the name of the metric's column.
    #[must_use]
    pub(crate) fn text(&self, metrics: &[Metric]) -> String {
        format!("{}={}%", metrics[self.metric].name, self.percent)
    }

    /// The required interval, in per cent of the mean to either side.
    #[must_use]
    pub(crate) fn percent(&self) -> f64 {
        self.percent
    }

    /// Whether the interval of the mean of these values is narrow enough.
    #[must_use]
    pub(crate) fn is_met(&self, values: &[f64]) -> bool {
        values.len() >= FEWEST && Estimate::of(values).is_some_and(|of| self.is_met_by(&of))
    }

    /// The interval of the mean of these values in per cent of the mean, if it is too wide.
    /// Infinite without an interval.
    #[must_use]
    pub(crate) fn missed(&self, values: &[f64]) -> Option<f64> {
        if self.is_met(values) {
            return None;
        }
        let of = Estimate::of(values).filter(|of| of.runs >= FEWEST);
        let percent = of.and_then(|of| Some(of.half_width? / of.mean.abs() * 100.0));
        Some(percent.filter(|percent| percent.is_finite()).unwrap_or(f64::INFINITY))
    }

    /// Whether a mean is known well enough.
    #[must_use]
    pub(crate) fn is_met_by(&self, of: &Estimate) -> bool {
        of.half_width.is_some_and(|half| half <= self.percent / 100.0 * of.mean.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_known_when_its_interval_is_narrow() {
        let of = |text: &str| Precision::parse("--seeds-until", text, &metrics::all());
        let five = of("latency_last_mean=5%").unwrap();
        // Standard error 1 / sqrt(3) times 4.30 is 2.5.
        assert!(five.is_met(&[51.0, 50.0, 49.0]) && !five.is_met(&[49.0, 48.0, 47.0]));
        assert!(!five.is_met(&[50.0, 50.0]));
        // A precision that is met is not missed. A missed one has a width, or none.
        assert_eq!(five.missed(&[51.0, 50.0, 49.0]), None);
        assert_eq!(five.missed(&[25.5, 25.0, 24.5]), None);
        assert_eq!(five.missed(&[26.0, 25.0, 24.0]).map(|percent| (percent * 100.0).round()), Some(994.0));
        assert_eq!(five.missed(&[50.0, 50.0]), Some(f64::INFINITY));
        assert_eq!(five.missed(&[1.0, 0.0, -1.0]), Some(f64::INFINITY));
        for (short, whole) in [("latency", "latency_last_mean"), ("p99", "latency_last_p99"), ("area", "area_ge")] {
            assert_eq!(of(&format!("{short}=5%")).unwrap(), of(&format!("{whole}=5%")).unwrap(), "{short}");
        }
        let text = |text: &str| of(text).unwrap().text(&metrics::all());
        assert_eq!([text("p99=5"), text("latency_last_p99 = 5.0%")], ["latency_last_p99=5%", "latency_last_p99=5%"]);
        let refused = |text: &str| of(text).unwrap_err().to_string();
        assert!(refused("p99.weights=5%").contains("no metric \"p99.weights\""), "{}", refused("p99.weights=5%"));
        assert_eq!(of("p99.multicast=5%").unwrap(), of("latency_last_p99.multicast=5%").unwrap());
        assert!(refused("latency_last_men=5%").contains("did you mean \"latency_last_mean\"?"));
        assert!(refused("accepted=0").contains("expected METRIC=PERCENT%"));
        assert!(refused("p99=0.05").ends_with("0.05 may mean 0.05 % or 5 %; write p99=0.05% or p99=5%"));
        assert!(refused("accepted").contains("expected FIELD="));
    }
}
