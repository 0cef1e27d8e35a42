//! Pictures of a sweep: its rows as charts, with units on the axes and the origin of the rows in
//! the footer.

mod curves;
mod front;
mod histogram;
mod multiples;
mod percentiles;
mod stalls;
mod unsound;

pub use curves::{latency, metric};
pub use front::front;
pub use histogram::histogram;
pub use percentiles::{PERCENTILES, percentiles};
pub use stalls::stalls;

use crate::explore::{Filter, Point, Sweep, points};
use crate::report::chart::{Axis, Chart, Look, Series, Sheet};
use crate::sweep::Column;

/// Largest number of letters of a value beside a point or below a bar.
const MOST_LETTERS: usize = 22;
/// Largest number of curves in a panel, so that each has its own colour.
const MOST_IN_PANEL: usize = 8;
/// Largest number of curves in a picture.
const MOST_CURVES: usize = 48;
/// Largest number of bars beside each other.
const MOST_BARS: usize = 24;
/// Grey among the colours. No curve has it.
const GREY: usize = 6;

/// The points of a sweep that hold all filters.
fn chosen(sweep: &Sweep, filters: &[Filter]) -> Vec<Point> {
    let mut points = points(sweep);
    points.retain(|point| filters.iter().all(|filter| filter.holds(sweep, point)));
    points
}

/// A picture of a sweep.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The picture; its footer begins with the notes.
    pub sheet: Sheet,
    /// Notes that a terminal prints as well.
    pub notes: Vec<String>,
}

impl Plot {
    /// A plot with notes. Notes about the whole sweep come first.
    fn of(sweep: &Sweep, charts: Vec<Chart>, notes: impl IntoIterator<Item = String>, command: &str) -> Self {
        let notes: Vec<String> = sweep.unfinished().into_iter().chain(notes).collect();
        Self { sheet: sheet(sweep, charts, notes.clone(), command), notes }
    }

    /// The plot with several panels in rows of charts. Panels that have different curves have a
    /// legend beside each row.
    fn in_rows(mut self, panels: usize, in_row: usize, differ: bool) -> Self {
        self.sheet.row_legends = differ;
        self.sheet.in_row = (panels > 1 && (in_row > 1 || differ)).then_some(in_row);
        self
    }
}

/// A sheet of charts that names the sweep.
fn sheet(sweep: &Sweep, charts: Vec<Chart>, notes: Vec<String>, command: &str) -> Sheet {
    let mut footer = notes;
    let bases: Vec<String> =
        sweep.schema.bases.iter().map(|base| format!("{} {}", base.name, digest(&base.sha256))).collect();
    footer.push(format!(
        "{} a point; rows sha256 {}; {}; wormscope {}",
        sweep.seeds(),
        digest(&sweep.rows_sha256),
        bases.join(", "),
        sweep.schema.version
    ));
    footer.push(sweep.schema.command.clone());
    footer.push(command.to_owned());
    Sheet { charts, common_legend: true, footer, ..Sheet::default() }
}

/// The beginning of a hash, enough to distinguish files.
fn digest(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// Axes that have more than one value among some points.
fn varying(sweep: &Sweep, points: &[Point]) -> Vec<usize> {
    let varies = |&axis: &usize| points.windows(2).any(|pair| pair[0].axis(sweep, axis) != pair[1].axis(sweep, axis));
    sweep.axes().into_iter().filter(varies).collect()
}

/// Setting of some axes of a point: `fifo_depth 4, virtual_channels 2`.
fn setting(sweep: &Sweep, point: &Point, axes: &[usize]) -> String {
    let part = |&axis: &usize| {
        let name = &sweep.schema.columns[axis].name;
        let value = point.axis(sweep, axis);
        if name == "base" { value.to_owned() } else { format!("{name} {value}") }
    };
    axes.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// The same in short form: `4 / 2`. Long values are cut after their beginning.
fn values(sweep: &Sweep, point: &Point, axes: &[usize]) -> String {
    let value = |&axis: &usize| match point.axis(sweep, axis) {
        value if value.chars().count() > MOST_LETTERS => {
            value.chars().take(MOST_LETTERS - 1).chain(['\u{2026}']).collect()
        }
        value => value.to_owned(),
    };
    axes.iter().map(value).collect::<Vec<String>>().join(" / ")
}

/// Names for [`values`]: `fifo_depth / virtual_channels`.
fn meaning(sweep: &Sweep, axes: &[usize]) -> String {
    match axes {
        [] => "point".to_owned(),
        &[only] => sweep.schema.columns[only].label(),
        _ => axes.iter().map(|&axis| sweep.schema.columns[axis].name.as_str()).collect::<Vec<_>>().join(" / "),
    }
}

/// Groups of points with the same values of some axes, with these values, in the order of the
/// sweep.
fn groups(sweep: &Sweep, points: Vec<Point>, axes: &[usize]) -> Vec<(String, Vec<Point>)> {
    let mut groups: Vec<(String, Vec<Point>)> = Vec::new();
    for point in points {
        let name = setting(sweep, &point, axes);
        match groups.iter_mut().find(|(other, _)| *other == name) {
            Some((_, members)) => members.push(point),
            None => groups.push((name, vec![point])),
        }
    }
    groups
}

/// A title with the setting of a panel.
fn titled(title: &str, panel: &str) -> String {
    if panel.is_empty() { title.to_owned() } else { format!("{title}: {panel}") }
}

/// Refuses more curves or bars than a reader can distinguish.
fn refuse_crowd(count: usize, what: &str, most: usize) -> Result<(), String> {
    match count {
        0 => Err("there is nothing to draw: no point meets all conditions of --where, or none has a value".to_owned()),
        count if count <= most => Ok(()),
        _ => Err(format!(
            "{count} {what} are too many for one picture; allowed: up to {most}; choose some with --where \
             FIELD=VALUES"
        )),
    }
}

/// An axis for a metric. It is logarithmic if the values differ much.
fn scale(column: &Column, values: impl Iterator<Item = f64>) -> Axis {
    /// Smallest ratio of the largest to the smallest value for a logarithmic axis.
    const MUCH: f64 = 20.0;
    let (low, high) = values.fold((f64::INFINITY, 0.0), |(low, high), v| (f64::min(low, v), f64::max(high, v)));
    if low > 0.0 && high / low > MUCH { Axis::log(column.label(), 10.0) } else { Axis::linear(column.label()) }
}

fn series(name: impl Into<String>, look: Look, colour: usize, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.into(), points, look, colour }
}

#[cfg(test)]
mod tests;
