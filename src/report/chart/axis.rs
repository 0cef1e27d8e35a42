//! An axis: its range, its ticks, what stands at them.

use std::ops::Range;

use plotters::coord::ranged1d::{BoldPoints, Ranged as _};
use plotters::coord::types::RangedCoordf64;

/// Ticks that a logarithmic axis has at least, and at most.
const LEAST_TICKS: usize = 4;
const MOST_TICKS: usize = 16;

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// Base of its logarithm, linear when absent.
    pub log: Option<f64>,
    /// From where to where; as the points need it when absent, from 0 where linear.
    pub span: Option<(f64, f64)>,
    /// Names of 0, 1, 2 ..., in place of numbers.
    pub names: Vec<String>,
    /// Whether there is nothing between 0, 1, 2 ...
    pub is_whole: bool,
}

impl Axis {
    /// From 0 in equal steps.
    #[must_use]
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// In steps of equal ratio.
    #[must_use]
    pub fn log(label: impl Into<String>, base: f64) -> Self {
        Self { label: label.into(), log: Some(base), ..Self::default() }
    }

    /// With a name for each of 0, 1, 2 ...
    #[must_use]
    pub fn named(label: impl Into<String>, names: Vec<String>) -> Self {
        let span = Some((-0.6, names.len() as f64 - 0.4));
        Self { label: label.into(), span, names, ..Self::default() }
    }

    pub(super) fn range(&self, values: impl Iterator<Item = f64>) -> Range<f64> {
        if let Some((low, high)) = self.span {
            return low..high;
        }
        let (low, high) = values.fold((f64::MAX, 0.0), |(low, high), v| (f64::min(low, v), f64::max(high, v)));
        match self.log {
            // Nothing is drawn of what a logarithm does not have.
            Some(_) if low > 0.0 && low < f64::MAX => low / 1.25..high * 1.25,
            Some(_) => 1.0..10.0,
            None if high > 0.0 => 0.0..high * 1.08,
            None => 0.0..1.0,
        }
    }

    /// Where a logarithmic axis over a range has ticks: at powers of the base; of ten, where these
    /// are few, at 1, 2 and 5 or at 1 to 9 times them; and where those are few in equal steps.
    #[allow(clippy::cast_possible_truncation)] // Exponents of what an f64 holds.
    pub(super) fn log_ticks(base: f64, range: &Range<f64>) -> Vec<f64> {
        const DIGITS: [&[f64]; 3] = [&[1.0], &[1.0, 2.0, 5.0], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]];
        let inside = |value: &f64| (range.start..=range.end).contains(value);
        let powers = range.start.log(base).floor() as i32..=range.end.log(base).ceil() as i32;
        let multiples = |digits: &&[f64]| -> Vec<f64> {
            let of_power = |exponent| digits.iter().map(move |digit| digit * base.powi(exponent));
            powers.clone().flat_map(of_power).filter(inside).collect()
        };
        let top = (range.end - range.start).log10().floor() as i32;
        let steps =
            [top, top - 1].into_iter().flat_map(|power| [5.0, 2.0, 1.0].map(|digit| digit * 10_f64.powi(power)));
        let in_steps = |step: f64| -> Vec<f64> {
            let first = (range.start / step).ceil();
            (0..20).map(|n| (first + f64::from(n)) * step).filter(inside).collect()
        };
        let digits = if base >= 10.0 { &DIGITS[..] } else { &DIGITS[..1] };
        let mut all = digits.iter().map(multiples).chain(steps.map(in_steps));
        let found = all.find(|ticks| ticks.len() >= LEAST_TICKS).unwrap_or_default();
        let every = found.len().div_ceil(MOST_TICKS).max(1);
        found.into_iter().step_by(every).collect()
    }

    /// How far its labels are apart, where they are so equally.
    pub(super) fn step(&self, range: &Range<f64>) -> Option<f64> {
        if self.log.is_some() || !self.names.is_empty() {
            return None;
        }
        let ticks = RangedCoordf64::from(range.clone()).key_points(BoldPoints(self.labels(range)));
        ticks.windows(2).map(|pair| pair[1] - pair[0]).reduce(f64::min)
    }

    /// Labels at the most.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // No more than 11.
    pub(super) fn labels(&self, range: &Range<f64>) -> usize {
        match self.names.len() {
            0 if self.is_whole => (range.end - range.start).clamp(1.0, 10.0) as usize + 1,
            0 => 11,
            names => names * 2 + 1,
        }
    }

    /// What stands at a value of an axis whose labels are this far apart.
    pub(super) fn tick(&self, value: f64, step: Option<f64>) -> String {
        match self.names.is_empty() {
            true => step.map_or_else(|| short(value), |step| in_steps(value, step)),
            // Between two names there is none.
            false if (value - value.round()).abs() > 1e-6 || value < -0.5 => String::new(),
            #[allow(clippy::cast_sign_loss)] // No less than 0.
            false => self.names.get(value.round().max(0.0) as usize).cloned().unwrap_or_default(),
        }
    }
}

/// A number as a label, in as many digits as tell it from the next, so far away.
fn in_steps(value: f64, step: f64) -> String {
    if value.abs() < 1e-6 * step {
        return "0".to_owned();
    }
    let (unit, letter) = match value.abs() {
        v if v >= 1e6 => (1e6, "M"),
        v if v >= 1e5 || step >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let is_whole = |digits: &u8| {
        let steps = step / unit * 10_f64.powi((*digits).into());
        steps > 0.5 && (steps - steps.round()).abs() < 1e-3
    };
    let digits = usize::from((0..12).find(is_whole).unwrap_or(12));
    let text = format!("{:.digits$}", value / unit);
    let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{letter}")
}

/// A number as a label.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", (v / 1e5).round() / 10.0),
        v if v >= 1e5 => format!("{}k", (v / 1e2).round() / 10.0),
        v if v.abs() < 0.1 => format!("{v:.1e}").parse().unwrap_or(v).to_string(),
        v => ((v * 100.0).round() / 100.0).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithmic_axes_have_ticks_that_have_room() {
        let ticks = |base, range: Range<f64>| Axis::log_ticks(base, &range).into_iter().map(short).collect::<Vec<_>>();
        assert_eq!(ticks(10.0, 0.8..2000.0), ["1", "10", "100", "1000"]);
        assert_eq!(ticks(10.0, 120.0..2500.0), ["200", "500", "1000", "2000"]);
        assert_eq!(ticks(10.0, 95.0..700.0), ["100", "200", "300", "400", "500", "600", "700"].map(str::to_owned));
        assert_eq!(ticks(10.0, 1.35..1.95), ["1.4", "1.5", "1.6", "1.7", "1.8", "1.9"]);
        assert_eq!(ticks(2.0, 7.0..70.0), ["8", "16", "32", "64"]);
        assert_eq!(ticks(2.0, 1.0..1e6).len(), 10, "every second of 20");
        assert_eq!(ticks(2.0, 60.0..140.0), ["60", "80", "100", "120", "140"]);
    }

    #[test]
    fn labels_have_the_digits_that_tell_them_apart() {
        let labels = |range: Range<f64>| {
            let axis = Axis::linear("x");
            let step = axis.step(&range);
            let ticks = RangedCoordf64::from(range).key_points(BoldPoints(11));
            ticks.into_iter().map(|value| axis.tick(value, step)).collect::<Vec<_>>()
        };
        assert_eq!(
            labels(1.41e6..1.46e6),
            ["1.41M", "1.415M", "1.42M", "1.425M", "1.43M", "1.435M", "1.44M", "1.445M", "1.45M", "1.455M", "1.46M"]
        );
        assert_eq!(labels(21.93..21.951)[..3], ["21.93", "21.932", "21.934"]);
        assert_eq!(labels(-0.04..0.14)[..4], ["-0.04", "-0.02", "0", "0.02"]);
        assert_eq!(labels(0.0..2.5e6)[1..3], ["500k", "1M"]);
        assert_eq!(labels(0.0..4e5)[..3], ["0", "50k", "100k"]);
        for range in [0.0..0.7, 3.0..3.0001, -5.0..5.0, 99_990.0..100_010.0, 0.0..1e-7] {
            let mut found = labels(range.clone());
            let count = found.len();
            found.dedup();
            assert_eq!(found.len(), count, "{range:?}: {found:?}");
        }
        let runs = Axis { is_whole: true, ..Axis::linear("runs") };
        assert_eq!((runs.labels(&(0.0..2.2)), runs.labels(&(0.0..300.0))), (3, 11));
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(
            [0.0, 0.0051, 0.5, 100.0, 65536.0, 250_000.0, 2.5e6].map(short),
            ["0", "0.0051", "0.5", "100", "65536", "250k", "2.5M"]
        );
    }
}
