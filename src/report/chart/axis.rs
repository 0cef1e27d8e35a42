//! An axis: its range, its ticks and their labels.

use std::ops::Range;

use plotters::coord::ranged1d::{BoldPoints, Ranged as _};
use plotters::coord::types::RangedCoordf64;

use super::style::width;

/// Ticks that a logarithmic axis has at least, and at most.
const LEAST_TICKS: usize = 4;
const MOST_TICKS: usize = 16;
/// Numbers below are written with an exponent.
const TINY: f64 = 1e-4;
/// Blank between texts at ticks.
const APART: f64 = 8.0;

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Quantity of the axis, with the unit.
    pub label: String,
    /// Base of its logarithm, linear when absent.
    pub log: Option<f64>,
    /// Begin and end of the axis. If absent, the range follows from the points, and a linear axis
    /// begins at 0.
    pub span: Option<(f64, f64)>,
    /// Names of the positions 0, 1, 2, ..., instead of numbers.
    pub names: Vec<String>,
    /// Whether the values are whole numbers.
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
            // A value without a logarithm is not drawn.
            Some(_) if low > 0.0 && low < f64::MAX => low / 1.25..high * 1.25,
            Some(_) => 1.0..10.0,
            None if high > 0.0 => 0.0..high * 1.08,
            None => 0.0..1.0,
        }
    }

    /// The ticks of a logarithmic axis over a range. They are at powers of the base. If the range
    /// has few powers of ten, ticks are at 1, 2 and 5 times them, or at 1 to 9 times them. If these
    /// are still few, the ticks are in equal steps.
    #[allow(clippy::cast_possible_truncation)] // The exponents are those of an f64.
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

    /// Text of the axis. The text of a logarithmic axis says so.
    pub(super) fn description(&self) -> String {
        match self.log {
            Some(_) if self.label.is_empty() => "log scale".to_owned(),
            Some(_) => format!("{}, log scale", self.label),
            None => self.label.clone(),
        }
    }

    /// Ticks on a range of `room` pixels, and their labels. The number of ticks depends on the
    /// room.
    pub(super) fn ticks(&self, range: &Range<f64>, room: u32, text: TextExtent) -> Vec<(f64, String)> {
        if !self.names.is_empty() {
            return (0_u32..).map(f64::from).zip(self.names.clone()).collect();
        }
        let labelled = |ticks: Vec<f64>| -> Vec<(f64, String)> {
            let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).reduce(f64::min).filter(|_| self.log.is_none());
            let label = |value: f64| step.map_or_else(|| short(value), |step| in_steps(value, step));
            ticks.into_iter().map(|tick| (tick, label(tick))).collect()
        };
        let all = |most: usize| match self.log {
            Some(base) => {
                let found = Self::log_ticks(base, range);
                let every = found.len().div_ceil(most.max(1)).max(1);
                found.into_iter().step_by(every).collect()
            }
            None => RangedCoordf64::from(range.clone()).key_points(BoldPoints(most)),
        };
        let place = |value: f64| share(value, range, self.log.is_some());
        let extent = |label: &str| {
            f64::from(match text {
                TextExtent::Wide(size) => width(label, size),
                TextExtent::High(size) => size,
            })
        };
        let has_room = |ticks: &Vec<(f64, String)>| {
            ticks.windows(2).all(|pair| {
                let between = (place(pair[1].0) - place(pair[0].0)).abs() * f64::from(room);
                between >= f64::midpoint(extent(&pair[0].1), extent(&pair[1].1)) + APART
            })
        };
        let most = self.most_ticks(range);
        let mut fewer = (2..=most).rev().map(|most| labelled(all(most)));
        fewer.find(has_room).unwrap_or_else(|| labelled(all(2)))
    }

    /// Ticks at the most.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // There are at most 11 ticks.
    fn most_ticks(&self, range: &Range<f64>) -> usize {
        match self.log {
            Some(_) => MOST_TICKS,
            None if self.is_whole => (range.end - range.start).clamp(1.0, 10.0) as usize + 1,
            None => 11,
        }
    }
}

/// Room along the axis for a text at a tick.
#[derive(Clone, Copy)]
pub(super) enum TextExtent {
    /// Width of the text.
    Wide(u32),
    /// Height of the text.
    High(u32),
}

/// Position of a value in a range, from 0 to 1.
pub(super) fn share(value: f64, range: &Range<f64>, is_log: bool) -> f64 {
    if is_log {
        (value / range.start).ln() / (range.end / range.start).ln()
    } else {
        (value - range.start) / (range.end - range.start)
    }
}

/// A number as a label, with enough digits to differ from the next label, which is `step` away.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The number of digits is at least 0.
fn in_steps(value: f64, step: f64) -> String {
    if value.abs() < 1e-6 * step {
        return "0".to_owned();
    }
    if value.abs() < TINY {
        let digits = (value.abs().log10().floor() - step.log10().floor()).max(0.0) as usize;
        return format!("{value:.digits$e}");
    }
    let (unit, letter) = match value.abs() {
        v if v >= 1e9 => (1e9, "G"),
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
        v if v >= 1e9 => format!("{}G", (v / 1e8).round() / 10.0),
        v if v >= 1e6 => format!("{}M", (v / 1e5).round() / 10.0),
        v if v >= 1e5 => format!("{}k", (v / 1e2).round() / 10.0),
        v if v.abs() < TINY && v != 0.0 => {
            let rounded: f64 = format!("{v:.1e}").parse().unwrap_or(v);
            format!("{rounded:e}")
        }
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
            let ticks = Axis::linear("x").ticks(&range, 516, TextExtent::High(13));
            ticks.into_iter().map(|(_, label)| label).collect::<Vec<_>>()
        };
        assert_eq!(
            labels(1.41e6..1.46e6),
            ["1.41M", "1.415M", "1.42M", "1.425M", "1.43M", "1.435M", "1.44M", "1.445M", "1.45M", "1.455M", "1.46M"]
        );
        assert_eq!(labels(21.93..21.951)[..3], ["21.93", "21.932", "21.934"]);
        assert_eq!(labels(-0.04..0.14)[..4], ["-0.04", "-0.02", "0", "0.02"]);
        assert_eq!(labels(0.0..2.5e6)[1..3], ["500k", "1M"]);
        assert_eq!(labels(0.0..4e5)[..3], ["0", "50k", "100k"]);
        assert_eq!(labels(0.0..2.5e9)[1..3], ["500M", "1G"]);
        for range in [0.0..0.7, 3.0..3.0001, -5.0..5.0, 99_990.0..100_010.0, 0.0..1e-7] {
            let mut found = labels(range.clone());
            let count = found.len();
            found.dedup();
            assert_eq!(found.len(), count, "{range:?}: {found:?}");
        }
        let runs = Axis { is_whole: true, ..Axis::linear("runs") };
        assert_eq!((runs.most_ticks(&(0.0..2.2)), runs.most_ticks(&(0.0..300.0))), (3, 11));
    }

    #[test]
    fn ticks_are_as_many_as_their_texts_have_room() {
        let labels = |axis: &Axis, range: Range<f64>, room| {
            let ticks = axis.ticks(&range, room, TextExtent::Wide(13));
            ticks.into_iter().map(|(_, label)| label).collect::<Vec<_>>()
        };
        assert_eq!(labels(&Axis::linear(""), 1.41e6..1.46e6, 516).len(), 6);
        assert_eq!(labels(&Axis::linear(""), 0.0..0.7, 516), ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"]);
        let powers = labels(&Axis::log("", 2.0), 1.0..32768.0, 516);
        assert_eq!(powers, ["1", "4", "16", "64", "256", "1024", "4096", "16384"]);
        assert_eq!(Axis::log("load", 2.0).description(), "load, log scale");
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(
            [0.0, 0.000_021, 0.0051, 0.5, 100.0, 65536.0, 250_000.0, 2.5e6, 3e9].map(short),
            ["0", "2.1e-5", "0.0051", "0.5", "100", "65536", "250k", "2.5M", "3G"]
        );
    }
}
