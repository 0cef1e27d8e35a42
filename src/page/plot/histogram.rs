//! Histograms: the number of runs for each range of values of a metric.

use super::multiples::share_ranges;
use super::{MOST_BARS, MOST_IN_PANEL, Plot, chosen, groups, refuse_crowd, series, varying};
use crate::explore::{Filter, Flaw, Sweep};
use crate::report::chart::{Axis, Chart, Look};

/// A histogram of a metric over all runs in which it is sound. With a field, the bars of its
/// settings are beside each other.
///
/// # Errors
/// When there is nothing to draw or too much.
pub fn histogram(
    sweep: &Sweep,
    column: usize,
    by: Option<usize>,
    filters: &[Filter],
    command: &str,
) -> Result<Plot, String> {
    let points = chosen(sweep, filters);
    let varying = varying(sweep, &points);
    let by: Vec<usize> = by.into_iter().filter(|axis| varying.contains(axis)).collect();
    let what = &sweep.schema.columns[column];
    let rows = points.iter().flat_map(|point| &point.rows).filter(|row| sweep.number(**row, column).is_some());
    let flaws: Vec<Flaw> = rows.clone().filter_map(|&row| sweep.flaw(row, column)).collect();
    let unsound = Flaw::note(&flaws, rows.count(), "run", &what.name);
    let mut groups: Vec<(String, Vec<f64>)> = groups(sweep, points, &by)
        .into_iter()
        .map(|(name, points)| {
            let rows = points.iter().flat_map(|point| point.rows.iter());
            let sound = rows.filter(|row| sweep.flaw(**row, column).is_none());
            (name, sound.filter_map(|&row| sweep.number(row, column)).collect())
        })
        .collect();
    refuse_crowd(groups.len(), "groups", MOST_BARS)?;
    groups.retain(|(_, values)| !values.is_empty());
    let all: Vec<f64> = groups.iter().flat_map(|(_, values)| values.iter().copied()).collect();
    let Some(bins) = Bins::of(&all) else {
        let none = || format!("no run has a {}", what.name);
        return Err(unsound.map_or_else(none, |note| format!("nothing to draw: {note}")));
    };
    let end = bins.low + bins.width * bins.count as f64;
    // Many groups are in several panels, so that each group of a panel has its own colour.
    let panels = groups.len().div_ceil(MOST_IN_PANEL);
    let mut charts = Vec::new();
    for groups in groups.chunks(groups.len().div_ceil(panels)) {
        let bars = |(colour, (name, values)): (usize, &(String, Vec<f64>))| {
            series(name, Look::Boxes, colour, bins.boxes(values, (colour, groups.len())))
        };
        let series = groups.iter().enumerate().map(bars).collect();
        let x = Axis { span: Some((bins.low, end)), ..Axis::linear(what.label()) };
        let title = format!("{} of {} runs", what.name, all.len());
        charts.push(Chart { title, x, y: Axis { is_whole: true, ..Axis::linear("runs") }, series, notes: Vec::new() });
    }
    share_ranges(&mut charts);
    Ok(Plot::of(sweep, charts, unsound, command).in_rows(panels, 1, panels > 1))
}

/// Intervals of equal width.
struct Bins {
    low: f64,
    width: f64,
    count: usize,
}

impl Bins {
    /// The number of bins by the rule of Sturges, with a round width.
    #[allow(clippy::cast_sign_loss)] // Bins begin at the least value.
    fn of(values: &[f64]) -> Option<Self> {
        let (low, high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
        if values.is_empty() {
            return None;
        }
        let wanted = (values.len() as f64).log2().ceil() + 1.0;
        let raw = if high > low { (high - low) / wanted } else { low.abs().max(1.0) / 10.0 };
        let power = 10_f64.powf(raw.log10().floor());
        let width = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|w| *w >= raw).unwrap_or(raw);
        let low = (low / width).floor() * width;
        Some(Self { low, width, count: ((high - low) / width).floor() as usize + 1 })
    }

    /// Bars of the counts of some values. `part` is the number of their group and of all groups,
    /// which share the width of a bin.
    fn boxes(&self, values: &[f64], part: (usize, usize)) -> Vec<(f64, f64)> {
        let mut counts = vec![0.0; self.count];
        for &value in values {
            counts[self.index(value)] += 1.0;
        }
        let width = 0.9 * self.width / part.1 as f64;
        let boxes = counts.iter().enumerate().filter(|(_, count)| **count > 0.0).flat_map(|(bin, &count)| {
            let left = self.low + (bin as f64 + 0.05) * self.width + part.0 as f64 * width;
            [(left, 0.0), (left + width, count)]
        });
        boxes.collect()
    }

    #[allow(clippy::cast_sign_loss)] // No value is below the first.
    fn index(&self, value: f64) -> usize {
        (((value - self.low) / self.width) as usize).min(self.count - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_a_bin_of_round_width() {
        for values in [&[1.0, 2.0, 3.5, 9.9][..], &[0.1, 0.1], &[-3.0, 4.0], &[1e9, 1e9 + 1.0], &[0.0]] {
            let bins = Bins::of(values).unwrap();
            for &value in values {
                let low = bins.low + bins.index(value) as f64 * bins.width;
                assert!(low <= value && value <= low + bins.width * 1.000_001, "{values:?}: {low} {}", bins.width);
            }
        }
        assert!(Bins::of(&[]).is_none());
    }
}
