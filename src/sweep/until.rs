//! Length of a run, until the confidence interval of a metric within it is narrow.
//!
//! A pilot without warm-up finds the end of the warm-up, by MSER-5 (White, 1997). It groups
//! observations in batches of 5, and cuts them off where the rest has the least `variance / count`.
//! A cut in the second half means that the pilot was too short, and it is run twice as long. The
//! run itself then begins its window at the cut.
//!
//! Its observations make 20 batches, whose means have an interval after Student (batch means). The
//! run is made again, twice as long, until two runs in a row are good. In a good run that interval
//! is narrow enough, and no batch depends on the previous batch (autocorrelation of at most
//! `2 / sqrt(20)`). A single good run is not enough, because short runs that look narrow by chance
//! have the wrong mean. The last run is the row: a plain run with its own `warmup_cycles` and
//! `measure_cycles`.

use std::ops::Range;

use super::SweepError;
use super::length::{Length, Observations, Observed, batch_means, warm_from};
use super::metrics::{self, Metric};
use super::runner::Unrun;
use super::stop::Precision;
use super::study::assignment;
use crate::experiment::{Experiment, Loaded};
use crate::quote::excerpt;
use crate::report::{Report, RunEnd};
use crate::spelling::nearest;

/// Largest number of doublings of a window.
const MOST_DOUBLINGS: u32 = 6;
/// Metrics for which a run has observations.
const OBSERVED: [(&str, Observed); 4] = [
    ("latency_first_mean", Observed::First),
    ("latency_mean_mean", Observed::Mean),
    ("latency_last_mean", Observed::Last),
    ("accepted", Observed::Accepted),
];

/// Condition for a run that is long enough.
pub(crate) struct Until {
    precision: Precision,
    observed: Observed,
}

impl Until {
    /// Reads `METRIC=PERCENT%` of one of these metrics.
    pub fn parse(text: &str, metrics: &[Metric]) -> Result<Self, SweepError> {
        // Only these metrics are possible, so an error suggests only these.
        let (name, _) = assignment("--until", text)?;
        let observed = OBSERVED.into_iter().find(|of| of.0 == metrics::whole_name(name)).map(|of| of.1);
        let observed = observed.ok_or_else(|| {
            let names = OBSERVED.map(|of| of.0);
            let allowed = format!("within a run there are intervals of {}", names.join(", "));
            let near = nearest(name, &names).map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            SweepError::Asked(format!("--until {}: {allowed}{near}", excerpt(text)))
        })?;
        Ok(Self { precision: Precision::parse("--until", text, metrics)?, observed })
    }

    /// Place of the metric among all.
    pub fn metric(&self) -> usize {
        self.precision.metric
    }

    /// The text that `--until` takes, with the name of the metric's column.
    pub fn text(&self, metrics: &[Metric]) -> String {
        self.precision.text(metrics)
    }

    /// Whether an interval of `percent` per cent of the mean is too wide.
    pub fn is_missed_by(&self, percent: f64) -> bool {
        percent > self.precision.percent()
    }

    /// Refuses an experiment that has no window to lengthen.
    pub fn check(experiment: &Experiment) -> Result<(), SweepError> {
        if experiment.window().end == u64::MAX {
            let why = "--until: a run without random traffic ends by itself; give its base run.measure_cycles";
            return Err(SweepError::Asked(why.to_owned()));
        }
        Ok(())
    }

    /// Makes the run of an experiment. Returns the final configuration, its report and its length.
    /// `run` makes one run.
    pub fn run(
        &self,
        mut loaded: Loaded,
        mut run: impl FnMut(&Loaded, &mut Option<Observations>) -> Result<Report, Unrun>,
    ) -> Result<(Loaded, Report, Length), Unrun> {
        let (of_base, most_cycles) = (loaded.experiment.window(), loaded.experiment.run.max_cycles);
        let mut observe = |window: Range<u64>| {
            set(&mut loaded, &window);
            let mut series = Some(Observations::new(self.observed, window));
            let report = run(&loaded, &mut series)?;
            let observations = series.map(Observations::observations).unwrap_or_default();
            Ok::<_, Unrun>((report, observations))
        };
        let measure = of_base.end - of_base.start;
        let mut warmup = of_base.start;
        // A window that max_cycles cuts off is no answer.
        let fits = |end: u64| end < most_cycles;
        for doublings in (0..=MOST_DOUBLINGS).take_while(|&times| times == 0 || fits(of_base.end << times)) {
            let (report, observations) = observe(0..of_base.end.saturating_mul(1 << doublings))?;
            let values: Vec<f64> = observations.iter().map(|of| of.1).collect();
            if let Some(first) = warm_from(&values) {
                warmup = observations[first].0;
                break;
            }
            if report.compared_end() != RunEnd::Done {
                break;
            }
        }
        let (mut doublings, mut was_met) = (0, false);
        let (report, length) = loop {
            let measure = measure.saturating_mul(1 << doublings);
            let (report, observations) = observe(warmup..warmup.saturating_add(measure))?;
            let values: Vec<f64> = observations.iter().map(|of| of.1).collect();
            let found = batch_means(&values);
            let interval = found.and_then(|(of, _)| Some(of.half_width? / of.mean.abs()));
            let met = found.is_some_and(|(of, apart)| apart && self.precision.is_met_by(&of));
            let is_longest = doublings == MOST_DOUBLINGS || !fits(warmup.saturating_add(measure.saturating_mul(2)));
            if met && was_met || is_longest || report.compared_end() != RunEnd::Done {
                break (report, Length { warmup, measure, interval: interval.filter(|of| of.is_finite()) });
            }
            (doublings, was_met) = (doublings + 1, met);
        };
        Ok((loaded, report, length))
    }
}

/// Sets the window of an experiment.
fn set(loaded: &mut Loaded, window: &Range<u64>) {
    loaded.experiment.run.warmup_cycles = window.start;
    loaded.experiment.run.measure_cycles = Some(window.end - window.start);
    loaded.hash = loaded.experiment.hash();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_long_enough_by_one_of_a_few_metrics_and_by_no_other() {
        let of = |text: &str| Until::parse(text, &metrics::all()).map(|until| until.metric());
        assert_eq!(of("latency=5%").unwrap(), of("latency_last_mean=5%").unwrap());
        assert_eq!(of("throughput=5%").unwrap(), of("accepted=5%").unwrap());
        let refused = |text: &str| of(text).unwrap_err().to_string();
        let allowed =
            "within a run there are intervals of latency_first_mean, latency_mean_mean, latency_last_mean, accepted";
        assert_eq!(refused("cycles=5%"), format!("--until cycles=5%: {allowed}"));
        assert_eq!(refused("p99=5%"), format!("--until p99=5%: {allowed}"));
        assert_eq!(
            refused("latency_last_men=5%"),
            format!("--until latency_last_men=5%: {allowed}; did you mean \"latency_last_mean\"?")
        );
        assert!(refused("accepted=0").contains("expected METRIC=PERCENT%"));
    }
}
