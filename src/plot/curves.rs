//! Curves: latency against load, any metric against any varied field.

use super::{chosen, groups, refuse_crowd, scale, series, sheet, varying};
use crate::explore::{Filter, Point, Sweep, one_a_hardware};
use crate::report::chart::{Axis, Chart, Look, Series, Sheet};
use crate::report::mark::Mark;
use crate::statistics::Estimate;
use crate::sweep::Column;

/// Grey among the colours.
const GREY: usize = 6;
/// Marks at one place that stand on each other.
const MOST_LEVELS: usize = 6;

/// Latency against load, a curve for each hardware: mean solid with its band, 99th percentile
/// dashed, a tick where it saturates, a cross where it deadlocks; beside it what is accepted of
/// what is offered.
///
/// # Errors
/// When no load was varied, or there is nothing to draw or too much.
pub fn latency(sweep: &Sweep, filters: &[Filter], command: &str) -> Result<Sheet, String> {
    let load = sweep.schema.load().map_err(|why| format!("{why}, or name what to draw: --y METRIC --x FIELD"))?;
    let column = |name: &str| sweep.schema.columns.iter().position(|column| column.name == name);
    let mean =
        column("latency_last_mean").ok_or("this sweep has no latency_last_mean; name what to draw: --y METRIC")?;
    let p99 = column("latency_last_p99");
    let (curves, notes) = Curve::all(sweep, chosen(sweep, filters), load)?;
    let mut left = Vec::new();
    for (colour, curve) in curves.iter().enumerate() {
        let means = curve.estimates(sweep, mean, true);
        left.extend(curve.lines(colour, &means, true));
        if let Some(p99) = p99 {
            let tail = curve.estimates(sweep, p99, true).into_iter().map(|(x, estimate)| (x, estimate.mean));
            left.push(series("", Look::Dashes, colour, tail.collect()));
        }
    }
    let values = left.iter().flat_map(|series| &series.points).map(|point| point.1);
    let label = sweep.schema.columns[mean].unit.as_deref().unwrap_or("cycles");
    let y = Axis { label: format!("latency ({label})"), ..scale(&sweep.schema.columns[mean], values) };
    let floor = if y.log.is_some() { least(&left) / 1.25 } else { 0.0 };
    let (mut ticks, mut crosses) = (false, false);
    let mut marks: Vec<(f64, f64)> = Vec::new();
    // Those of curves at one place stand on each other, as far as they can be counted.
    let mut level = |at: (f64, f64)| {
        marks.push(at);
        (marks.iter().filter(|other| **other == at).count() - 1).min(MOST_LEVELS) as u8
    };
    for (colour, curve) in curves.iter().enumerate() {
        if let Some(at) = curve.saturates_at() {
            let at = (at, floor);
            left.push(series("", Look::Marked(Mark::Tick(level(at))), colour, vec![at]));
            ticks = true;
        }
        for at in curve.deadlocks(sweep, mean, floor) {
            left.push(series("", Look::Marked(Mark::Cross(level(at))), colour, vec![at]));
            crosses = true;
        }
    }
    // What the looks mean, in no curve's colour.
    left.push(series("mean, 95 % band", Look::Line, GREY, Vec::new()));
    if p99.is_some() {
        left.push(series("99th percentile", Look::Dashes, GREY, Vec::new()));
    }
    if ticks {
        left.push(series("saturated from here", Look::Marked(Mark::Tick(0)), GREY, Vec::new()));
    }
    if crosses {
        left.push(series("a run deadlocks", Look::Marked(Mark::Cross(0)), GREY, Vec::new()));
    }
    let x = Axis::linear(sweep.schema.columns[load].label());
    let title = "Latency to the last destination".to_owned();
    let latency = Chart { title, x: x.clone(), y, series: left, notes: Vec::new() };
    let mut charts = vec![latency];
    if let (Some(offered), Some(accepted)) = (column("offered"), column("accepted")) {
        // What curves have in common: they differ by chance at most, but for windows that a
        // deadlock cut short.
        let whole = curves.iter().flat_map(|curve| &curve.points);
        let whole = whole.filter(|(_, point)| point.outcomes.count("deadlock") == 0);
        let mut all: Vec<(f64, Estimate)> =
            whole.filter_map(|(x, point)| Some((*x, point.estimate(sweep, offered)?))).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mean = |at: &[(f64, Estimate)]| (at[0].0, at.iter().map(|of| of.1.mean).sum::<f64>() / at.len() as f64);
        let all = all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()).map(mean).collect();
        let mut right = vec![series("as much as is offered", Look::Dashes, GREY, all)];
        for (colour, curve) in curves.iter().enumerate() {
            right.extend(curve.lines(colour, &curve.estimates(sweep, accepted, false), false));
        }
        let y = Axis::linear(sweep.schema.columns[accepted].label());
        charts.push(Chart { title: "Throughput".to_owned(), x, y, series: right, notes: Vec::new() });
    }
    Ok(sheet(sweep, charts, notes, command))
}

/// A metric against a varied field, a curve for each setting of the others; intervals as whiskers.
///
/// # Errors
/// When there is nothing to draw or too much.
pub fn metric(sweep: &Sweep, x: usize, y: usize, filters: &[Filter], command: &str) -> Result<Sheet, String> {
    let mut points = chosen(sweep, filters);
    one_a_hardware(sweep, &mut points, &[x, y]);
    let (curves, notes) = Curve::all(sweep, points, x)?;
    let mut drawn = Vec::new();
    for (colour, curve) in curves.iter().enumerate() {
        drawn.extend(curve.lines(colour, &curve.estimates(sweep, y, false), false));
    }
    let points = drawn.iter().flat_map(|series: &Series| series.points.iter());
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.copied().unzip();
    if ys.is_empty() {
        return Err(format!("no point has a {}", sweep.schema.columns[y].name));
    }
    let (across, up) = (&sweep.schema.columns[x], &sweep.schema.columns[y]);
    let names = Curve::names(sweep, &curves, x);
    let x_axis = if names.is_empty() { positions(across, &xs) } else { Axis::named(across.label(), names) };
    let y_axis = scale(up, ys.into_iter());
    let title = format!("{} against {}", up.name, across.name);
    let chart = Chart { title, x: x_axis, y: y_axis, series: drawn, notes: Vec::new() };
    Ok(sheet(sweep, vec![chart], notes, command))
}

/// An axis for a varied field: by ratio where its values were.
fn positions(column: &Column, values: &[f64]) -> Axis {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let doubles = values.len() > 2 && values[0] > 0.0 && values.windows(2).all(|pair| pair[1] / pair[0] > 1.4);
    if doubles { Axis::log(column.label(), 2.0) } else { Axis::linear(column.label()) }
}

fn least(series: &[Series]) -> f64 {
    series.iter().flat_map(|series| &series.points).map(|point| point.1).fold(f64::INFINITY, f64::min)
}

/// Points of one setting along a field.
struct Curve {
    name: String,
    points: Vec<(f64, Point)>,
}

impl Curve {
    /// All curves along a field, and what is to be said of them.
    fn all(sweep: &Sweep, points: Vec<Point>, along: usize) -> Result<(Vec<Self>, Vec<String>), String> {
        let mut others = varying(sweep, &points);
        // What follows from the load differs along the curve.
        let hardware = sweep.hardware_axes();
        others.retain(|axis| *axis != along && (sweep.load() != Some(along) || hardware.contains(axis)));
        let position = Positions::of(sweep, &points, along);
        let groups = groups(sweep, points, &others);
        refuse_crowd(groups.len(), "curves")?;
        let curve = |(name, points): (String, Vec<Point>)| {
            let mut points: Vec<(f64, Point)> =
                points.into_iter().filter_map(|point| Some((position.at(point.axis(sweep, along))?, point))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Self { name, points }
        };
        let notes = sweep.unfinished().into_iter().collect();
        Ok((groups.into_iter().map(curve).collect(), notes))
    }

    /// Names of the positions along a field that has no numbers.
    fn names(sweep: &Sweep, curves: &[Self], along: usize) -> Vec<String> {
        let points: Vec<Point> =
            curves.iter().flat_map(|curve| curve.points.iter().map(|(_, point)| point.clone())).collect();
        match Positions::of(sweep, &points, along) {
            Positions::Numbers => Vec::new(),
            Positions::Names(names) => names,
        }
    }

    /// A metric along the curve, where asked for only up to saturation: beyond it a latency says
    /// how long the run was.
    fn estimates(&self, sweep: &Sweep, column: usize, unsaturated: bool) -> Vec<(f64, Estimate)> {
        let end = self.saturates_at().filter(|_| unsaturated);
        let points = self.points.iter().take_while(|(x, _)| end.is_none_or(|end| *x < end));
        points.filter_map(|(x, point)| Some((*x, point.estimate(sweep, column)?))).collect()
    }

    /// Line, marks and intervals of a metric.
    fn lines(&self, colour: usize, estimates: &[(f64, Estimate)], band: bool) -> Vec<Series> {
        let line: Vec<(f64, f64)> = estimates.iter().map(|(x, estimate)| (*x, estimate.mean)).collect();
        let low = estimates.iter().map(|(x, estimate)| (*x, estimate.low().max(estimate.mean * 0.05)));
        let high = estimates.iter().map(|(x, estimate)| (*x, estimate.high()));
        let noisy = estimates.iter().any(|(_, estimate)| estimate.half_width.is_some_and(|half| half > 0.0));
        let spread = if band {
            series("", Look::Band, colour, low.chain(high.rev()).collect())
        } else {
            series("", Look::Whiskers, colour, low.zip(high).flat_map(|(low, high)| [low, high]).collect())
        };
        let mut all = vec![series("", Look::Line, colour, line.clone())];
        if noisy {
            all.insert(0, spread);
        }
        all.push(series(&self.name, Look::Marked(Mark::Shape(colour)), colour, line));
        all
    }

    /// The load at which its first run saturates.
    fn saturates_at(&self) -> Option<f64> {
        let saturated = |point: &Point| point.outcomes.count("saturated") > 0;
        self.points.iter().find(|(_, point)| saturated(point)).map(|(x, _)| *x)
    }

    /// Where a run deadlocked: at the latency of the others, or where there are none below.
    fn deadlocks(&self, sweep: &Sweep, column: usize, floor: f64) -> Vec<(f64, f64)> {
        let stuck = self.points.iter().filter(|(_, point)| point.outcomes.count("deadlock") > 0);
        let at = |point: &Point| Some(point.estimate(sweep, column)?.mean).filter(|_| point.outcomes.count("done") > 0);
        stuck.map(|(x, point)| (*x, at(point).unwrap_or(floor))).collect()
    }
}

/// Where the values of a field stand.
enum Positions {
    Numbers,
    Names(Vec<String>),
}

impl Positions {
    fn of(sweep: &Sweep, points: &[Point], axis: usize) -> Self {
        if sweep.schema.columns[axis].is_numeric() {
            return Self::Numbers;
        }
        let mut names: Vec<String> = Vec::new();
        for value in points.iter().map(|point| point.axis(sweep, axis)) {
            if !names.iter().any(|name| name == value) {
                names.push(value.to_owned());
            }
        }
        Self::Names(names)
    }

    fn at(&self, value: &str) -> Option<f64> {
        match self {
            Self::Numbers => value.parse().ok(),
            Self::Names(names) => names.iter().position(|name| name == value).map(|at| at as f64),
        }
    }
}
