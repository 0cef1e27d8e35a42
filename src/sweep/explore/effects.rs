//! Effects: how much each varied field, and each pair of them, changes a metric. This is the
//! analysis of variance of a complete grid (Jain, The Art of Computer Systems Performance Analysis,
//! chapters 20 to 22).
//!
//! The effect of a value is the mean over all runs with the value, minus the mean over all runs.
//! The share of a field is the variance of its effects in the variance of all runs. An interaction
//! of two fields is what their values do together beyond the sum of their effects. What is left is
//! the noise between seeds, and interactions of three fields or more.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::error::ExploreError;
use super::points::{Point, points};
use super::question::Filter;
use super::sweep::Sweep;
use crate::quote::form;
use crate::report::chart::{Axis, Chart, Look, Series};
use crate::statistics::short;
use crate::table::Table;

/// Largest number of effects in a picture.
const DRAWN: usize = 12;

/// The mean of a metric over all runs with a value of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The value.
    pub value: String,
    /// The mean.
    pub mean: f64,
}

/// Effect of a field, or of two fields together.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The field, or both fields.
    pub fields: Vec<String>,
    /// Share of the variance of all runs, 0 to 1.
    pub share: f64,
    /// The means of the values of a single field, in the order of the sweep.
    pub levels: Vec<Level>,
}

/// Effects of all varied fields on a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Effects {
    /// The metric with its unit.
    pub metric: String,
    /// Mean over all runs.
    pub mean: f64,
    /// Number of runs.
    pub runs: usize,
    /// Effects of single fields and of pairs, the largest share first.
    pub effects: Vec<Effect>,
    /// Share of the noise between seeds.
    pub noise: f64,
    /// Share of interactions of three fields or more.
    pub rest: f64,
}

impl Effects {
    /// The effects on a metric, of the points that some filters leave.
    ///
    /// # Errors
    /// The points are no complete grid, a point has no valid value, or nothing is varied.
    pub fn of(sweep: &Sweep, metric: &str, filters: &[Filter]) -> Result<Self, ExploreError> {
        let refuse = |why: String| Err(ExploreError::Question(format!("--effects {metric}: {why}")));
        let column = sweep.schema.metric(metric)?;
        let name = &sweep.schema.columns[column].name;
        let mut found = points(sweep);
        found.retain(|point| filters.iter().all(|filter| filter.holds(sweep, point)));
        let axes = sweep.axes();
        let values = |axis: usize| {
            let mut values: Vec<&str> = Vec::new();
            for point in &found {
                let value = point.axis(sweep, axis);
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            values
        };
        let varied: Vec<(usize, Vec<&str>)> =
            axes.into_iter().map(|axis| (axis, values(axis))).filter(|(_, values)| values.len() > 1).collect();
        let combinations: usize = varied.iter().map(|(_, values)| values.len()).product();
        if varied.is_empty() {
            return refuse("all points have the same values of the varied fields".to_owned());
        }
        let runs_of = |point: &Point| -> Option<Vec<f64>> {
            let is_sound = point.flaw(sweep, column).is_none();
            let values = point.rows.iter().map(|&row| sweep.number(row, column));
            values.collect::<Option<Vec<f64>>>().filter(|_| is_sound)
        };
        let cells: Vec<(Vec<usize>, Vec<f64>)> = found
            .iter()
            .filter_map(|point| {
                let at = |(axis, values): &(usize, Vec<&str>)| {
                    values.iter().position(|value| *value == point.axis(sweep, *axis))
                };
                Some((varied.iter().map(at).collect::<Option<_>>()?, runs_of(point)?))
            })
            .collect();
        if cells.len() < combinations || found.len() > combinations {
            let lacking = combinations.saturating_sub(cells.len());
            let why = format!(
                "{lacking} of {combinations} combinations {} no valid {name}; limit the values with --where to a \
                 complete grid",
                form(lacking, "has", "have")
            );
            return refuse(why);
        }
        let seeds = cells[0].1.len();
        if cells.iter().any(|(_, runs)| runs.len() != seeds) {
            return refuse("the points have different numbers of seeds".to_owned());
        }
        let names: Vec<(String, Vec<String>)> = varied
            .iter()
            .map(|(axis, values)| {
                let values = values.iter().map(|&value| value.to_owned()).collect();
                (sweep.schema.columns[*axis].name.clone(), values)
            })
            .collect();
        Ok(analysed(sweep.schema.columns[column].label(), &names, &cells))
    }

    /// The effects for readers.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("effects on {}, mean {} over {} runs:\n", self.metric, short(self.mean), self.runs);
        let mut table = Table::new(&["field", "share of variance", "means"], &[0, 2]);
        for effect in &self.effects {
            let levels = effect.levels.iter().map(|level| format!("{}: {}", level.value, short(level.mean)));
            let share = format!("{:.1} %", 100.0 * effect.share);
            table.row([effect.fields.join(" with "), share, levels.collect::<Vec<_>>().join(", ")]);
        }
        for (what, share) in [("three fields and more", self.rest), ("noise between seeds", self.noise)] {
            table.row([what.to_owned(), format!("{:.1} %", 100.0 * share), String::new()]);
        }
        let _ = write!(text, "{}", table.text());
        text
    }

    /// The shares as a picture.
    #[must_use]
    pub fn chart(&self) -> Chart {
        let drawn = &self.effects[..self.effects.len().min(DRAWN)];
        let mut names: Vec<String> = drawn.iter().map(|effect| effect.fields.join(" with ")).collect();
        let bar = |(at, share): (usize, f64)| [(at as f64 - 0.35, 0.0), (at as f64 + 0.35, 100.0 * share)];
        let bars = |single: bool, name: &str, colour: usize| {
            let of = drawn.iter().enumerate().filter(|(_, effect)| (effect.fields.len() == 1) == single);
            let points = of.flat_map(|(at, effect)| bar((at, effect.share))).collect();
            Series { name: name.to_owned(), points, look: Look::Boxes, colour }
        };
        let mut series = vec![bars(true, "one field", 0), bars(false, "two fields together", 1)];
        let others = [("three fields and more", self.rest, 4), ("noise between seeds", self.noise, 6)];
        for (name, share, colour) in others {
            let points = bar((names.len(), share)).to_vec();
            names.push(name.to_owned());
            series.push(Series { name: String::new(), points, look: Look::Boxes, colour });
        }
        Chart {
            title: format!("Effects on {}", self.metric),
            x: Axis::named("", names),
            y: Axis::linear("share of variance (%)"),
            series,
            notes: Vec::new(),
        }
    }
}

/// The analysis of the runs of a complete grid. A cell has the places of its values on the axes,
/// and its runs.
fn analysed(metric: String, axes: &[(String, Vec<String>)], cells: &[(Vec<usize>, Vec<f64>)]) -> Effects {
    let all: Vec<f64> = cells.iter().flat_map(|(_, runs)| runs.iter().copied()).collect();
    let mean = average(&all);
    let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>();
    let total = squares(&mut all.iter().map(|value| value - mean));
    // Means over all runs with the same places on some axes.
    let means = |of: &[usize]| -> BTreeMap<Vec<usize>, f64> {
        let mut runs: BTreeMap<Vec<usize>, Vec<f64>> = BTreeMap::new();
        for (places, values) in cells {
            runs.entry(of.iter().map(|&axis| places[axis]).collect()).or_default().extend(values);
        }
        runs.into_iter().map(|(places, values)| (places, average(&values))).collect()
    };
    let share = |sum: f64| if total > 0.0 { sum / total } else { 0.0 };
    let single: Vec<BTreeMap<Vec<usize>, f64>> = (0..axes.len()).map(|axis| means(&[axis])).collect();
    let effect = |axis: usize, place: usize| single[axis][&vec![place]] - mean;
    let mut effects = Vec::new();
    for (axis, (name, values)) in axes.iter().enumerate() {
        let each = all.len() as f64 / values.len() as f64;
        let sum = each * squares(&mut (0..values.len()).map(|place| effect(axis, place)));
        let level = |(place, value): (usize, &String)| Level { value: value.clone(), mean: mean + effect(axis, place) };
        let levels = values.iter().enumerate().map(level).collect();
        effects.push(Effect { fields: vec![name.clone()], share: share(sum), levels });
        for (other, (second, others)) in axes.iter().enumerate().skip(axis + 1) {
            let each = each / others.len() as f64;
            let together = means(&[axis, other]);
            let beyond =
                |(places, of): (&Vec<usize>, &f64)| of - mean - effect(axis, places[0]) - effect(other, places[1]);
            let sum = each * squares(&mut together.iter().map(beyond));
            effects.push(Effect { fields: vec![name.clone(), second.clone()], share: share(sum), levels: Vec::new() });
        }
    }
    let within: f64 = cells
        .iter()
        .map(|(_, runs)| {
            let own = average(runs);
            squares(&mut runs.iter().map(|run| run - own))
        })
        .sum();
    let noise = share(within);
    let rest = (1.0 - noise - effects.iter().map(|effect| effect.share).sum::<f64>()).max(0.0);
    effects.sort_by(|a, b| b.share.total_cmp(&a.share));
    let rest = if total > 0.0 { rest } else { 0.0 };
    Effects { metric, mean, runs: all.len(), effects, noise, rest }
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The memory-cache study of Jain, chapter 18: SSA is 5547, SSB 1083, SSAB 300 and SSE 102, of
    /// SST 7032.
    #[test]
    fn shares_are_those_of_a_published_design() {
        let runs = [
            (vec![0, 0], vec![15.0, 18.0, 12.0]),
            (vec![1, 0], vec![45.0, 48.0, 51.0]),
            (vec![0, 1], vec![25.0, 28.0, 19.0]),
            (vec![1, 1], vec![75.0, 75.0, 81.0]),
        ];
        let axes = [("a", 2), ("b", 2)]
            .map(|(name, count)| (name.to_owned(), (0..count).map(|value: u32| value.to_string()).collect::<Vec<_>>()));
        let found = analysed("y".to_owned(), &axes, &runs);
        let share = |fields: &[&str]| found.effects.iter().find(|effect| effect.fields == fields).unwrap().share;
        for (fields, sum) in [(&["a"][..], 5547.0), (&["b"], 1083.0), (&["a", "b"], 300.0)] {
            assert!((share(fields) - sum / 7032.0).abs() < 1e-12, "{fields:?}");
        }
        assert!((found.noise - 102.0 / 7032.0).abs() < 1e-12 && found.rest < 1e-12);
        assert!((found.mean - 41.0).abs() < 1e-12);
        assert_eq!(found.effects[0].fields, ["a"]);
        let means: Vec<f64> = found.effects[0].levels.iter().map(|level| level.mean).collect();
        assert_eq!(means, [19.5, 62.5]);
    }
}
