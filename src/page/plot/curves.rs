//! Curves: latency against load, any metric against any varied field.

use super::multiples::{Member, Multiple, Multiples, share_ranges};
use super::unsound::{FlawMarks, meanings};
use super::{GREY, MOST_CURVES, Plot, chosen, refuse_crowd, scale, series, titled, varying};
use crate::explore::{Filter, Flaw, Point, Sweep, one_a_hardware};
use crate::report::chart::{Axis, Chart, Look, Series};
use crate::report::mark::Mark;
use crate::statistics::Estimate;
use crate::sweep::Column;

/// Latency against load, a curve for each hardware. The mean is solid with its band and the 99th
/// percentile dashed, up to the last sound value. A second chart has the accepted load.
///
/// # Errors
/// When no load was varied, or there is nothing to draw or too much.
pub fn latency(sweep: &Sweep, filters: &[Filter], command: &str) -> Result<Plot, String> {
    let load = sweep.schema.load().map_err(|why| format!("{why}, or name what to draw: --y METRIC --x FIELD"))?;
    let column = |name: &str| sweep.schema.columns.iter().position(|column| column.name == name);
    let mean =
        column("latency_last_mean").ok_or("this sweep has no latency_last_mean; name what to draw: --y METRIC")?;
    let p99 = column("latency_last_p99");
    let accepted = column("accepted");
    let panels = Panels::along(sweep, chosen(sweep, filters), load)?;
    let (mean_of, accepted_of) = (&sweep.schema.columns[mean], accepted.map(|column| &sweep.schema.columns[column]));
    let courses = |curves: &[Curve], column: usize| -> Vec<Course> {
        curves.iter().map(|curve| curve.course(sweep, column, true)).collect()
    };
    let whole = |column: usize| panels.all.iter().flat_map(move |(_, curves)| courses(curves, column));
    let all: Vec<Course> = whole(mean).chain(p99.into_iter().flat_map(whole)).collect();
    let unit = mean_of.unit.as_deref().unwrap_or("cycles");
    let scale = Scale::of(mean_of, &all);
    // Both charts have the same range of loads, even if latencies end earlier.
    let most = panels.curves().flat_map(|curve| &curve.points).map(|(x, _)| *x).fold(0.0, f64::max);
    let span = (most > 0.0).then_some((0.0, 1.08 * most));
    let x = Axis { span, ..Axis::linear(sweep.schema.columns[load].label()) };
    let (mut latencies, mut throughputs) = (Vec::new(), Vec::new());
    for (name, curves) in &panels.all {
        let (means, tails) = (courses(curves, mean), p99.map(|p99| courses(curves, p99)).unwrap_or_default());
        let mut left = Vec::new();
        for (curve, course) in curves.iter().zip(&means) {
            left.extend(curve.lines(course, scale.floor, Spread::Band));
        }
        for (curve, course) in curves.iter().zip(&tails) {
            let line = |piece: &Vec<(f64, Estimate)>| piece.iter().map(|(x, estimate)| (*x, estimate.mean)).collect();
            let line = |piece| series("", Look::Dashes, colour(curve.number), line(piece));
            left.extend(course.pieces.iter().map(line));
        }
        // A curve without a latency may have its name at its accepted load.
        let accepts =
            |curve: &Curve| accepted.is_some_and(|column| !curve.course(sweep, column, true).pieces.is_empty());
        left.extend(feet(curves, &means, &scale, |curve| !accepts(curve)));
        // The looks have their meaning in the legend, in no curve's colour.
        let is_there = |courses: &[Course]| courses.iter().any(|course| !course.pieces.is_empty());
        if is_there(&means) {
            left.push(series("mean, 95 % band", Look::Line, GREY, Vec::new()));
        }
        if is_there(&tails) {
            left.push(series("99th percentile", Look::Dashes, GREY, Vec::new()));
        }
        left.extend(meanings(flaws(&means), true));
        let none = if is_there(&means) { "" } else { ": none is valid" };
        let title = format!("{}{none}", titled("Latency to the last destination", name));
        let y = Axis { label: format!("latency ({unit})"), ..scale.axis.clone() };
        latencies.push(Chart { title, x: x.clone(), y, series: left, notes: Vec::new() });
        let (Some(offered), Some(accepted), Some(column)) = (column("offered"), accepted, accepted_of) else {
            continue;
        };
        let courses = courses(curves, accepted);
        let scale = Scale::linear(column);
        let lines = curves.iter().zip(&courses);
        let mut right: Vec<Series> =
            lines.flat_map(|(curve, course)| curve.lines(course, scale.floor, Spread::Whiskers)).collect();
        let all = mean_offered(sweep, curves, offered);
        if !all.is_empty() {
            right.push(series("as much as is offered", Look::Dots, GREY, all));
        }
        let title = titled("Throughput", name);
        throughputs.push(Chart { title, x: x.clone(), y: scale.axis, series: right, notes: Vec::new() });
    }
    share_ranges(&mut latencies);
    share_ranges(&mut throughputs);
    let in_row = 1 + usize::from(!throughputs.is_empty());
    let mut throughputs = throughputs.into_iter();
    let charts = latencies.into_iter().flat_map(|latency| [Some(latency), throughputs.next()]).flatten().collect();
    let plot = Plot::of(sweep, charts, unsound(sweep, panels.curves(), mean), command);
    Ok(plot.in_rows(panels.all.len(), in_row, panels.differ))
}

/// The offered load at each load. Values that curves have in common differ by chance at most,
/// except for windows that a deadlock cut short.
fn mean_offered(sweep: &Sweep, curves: &[Curve], offered: usize) -> Vec<(f64, f64)> {
    let whole = curves.iter().flat_map(|curve| &curve.points);
    let whole = whole.filter(|(_, point)| point.flaw(sweep, offered).is_none());
    let mut all: Vec<(f64, Estimate)> =
        whole.filter_map(|(x, point)| Some((*x, point.estimate(sweep, offered)?))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mean = |at: &[(f64, Estimate)]| (at[0].0, at.iter().map(|of| of.1.mean).sum::<f64>() / at.len() as f64);
    all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()).map(mean).collect()
}

/// A metric against a varied field, with a curve for each setting of the other fields, and with
/// intervals as whiskers.
///
/// # Errors
/// When there is nothing to draw or too much.
pub fn metric(sweep: &Sweep, x: usize, y: usize, filters: &[Filter], command: &str) -> Result<Plot, String> {
    let mut points = chosen(sweep, filters);
    one_a_hardware(sweep, &mut points, &[x, y]);
    let panels = Panels::along(sweep, points, x)?;
    let is_load = sweep.load() == Some(x);
    let course = |curve: &Curve| curve.course(sweep, y, is_load);
    let mut courses: Vec<Vec<Course>> =
        panels.all.iter().map(|(_, curves)| curves.iter().map(course).collect()).collect();
    let (across, up) = (&sweep.schema.columns[x], &sweep.schema.columns[y]);
    let notes = unsound(sweep, panels.curves(), y);
    if courses.iter().flatten().all(|course| course.pieces.is_empty()) {
        let none = || format!("no point has a {}", up.name);
        return Err(notes.map_or_else(none, |note| format!("nothing to draw: {note}")));
    }
    let names = panels.names(sweep, x);
    if !names.is_empty() {
        panels.set_apart(&mut courses);
    }
    let spread = if names.is_empty() { Spread::Whiskers } else { Spread::Apart };
    let scale = Scale::of(up, courses.iter().flatten());
    let mut charts = Vec::new();
    for ((name, curves), courses) in panels.all.iter().zip(&courses) {
        let mut drawn = Vec::new();
        for (curve, course) in curves.iter().zip(courses) {
            drawn.extend(curve.lines(course, scale.floor, spread));
        }
        drawn.extend(feet(curves, courses, &scale, |_| true));
        drawn.extend(meanings(flaws(courses), is_load));
        let title = titled(&format!("{} against {}", up.name, across.name), name);
        charts.push(Chart { title, x: Axis::default(), y: scale.axis.clone(), series: drawn, notes: Vec::new() });
    }
    let points = charts.iter().flat_map(|chart| &chart.series).flat_map(|series| &series.points);
    let xs: Vec<f64> = points.map(|point| point.0).collect();
    let axis = if is_load {
        Axis::linear(across.label())
    } else if names.is_empty() {
        positions(across, &xs)
    } else {
        Axis::named(across.label(), names)
    };
    for chart in &mut charts {
        chart.x = axis.clone();
    }
    share_ranges(&mut charts);
    Ok(Plot::of(sweep, charts, notes, command).in_rows(panels.all.len(), 1, panels.differ))
}

/// Note that some points of curves have no valid metric, with the reason.
pub(super) fn unsound<'a>(sweep: &Sweep, curves: impl Iterator<Item = &'a Curve>, column: usize) -> Option<String> {
    let points: Vec<&Point> = curves.flat_map(|curve| curve.points.iter().map(|(_, point)| point)).collect();
    let flaws: Vec<Flaw> = points.iter().filter_map(|point| point.flaw(sweep, column)).collect();
    let has_value = |point: &&&Point| point.flaw(sweep, column).is_some() || point.estimate(sweep, column).is_some();
    Flaw::note(&flaws, points.iter().filter(has_value).count(), "point", &sweep.schema.columns[column].name)
}

/// Marks at the foot of the chart for points without a sound metric, because their height has no
/// meaning. A curve with only such points can have its name at these marks.
pub(super) fn feet(curves: &[Curve], courses: &[Course], scale: &Scale, named: impl Fn(&Curve) -> bool) -> Vec<Series> {
    let mut marks = FlawMarks::default();
    let mut drawn = Vec::new();
    for (curve, course) in curves.iter().zip(courses) {
        for (at, &(x, flaw)) in course.flaws.iter().enumerate() {
            let is_alone = at == 0 && course.pieces.is_empty() && named(curve);
            let name = if is_alone { curve.name.as_str() } else { "" };
            drawn.push(series(name, marks.look(x, flaw), colour(curve.number), vec![(x, scale.floor)]));
        }
    }
    drawn
}

/// All flaws along curves.
pub(super) fn flaws(courses: &[Course]) -> impl Iterator<Item = Flaw> {
    courses.iter().flat_map(|course| &course.flaws).map(|(_, flaw)| *flaw)
}

/// An axis for the sound values of a metric.
pub(super) struct Scale {
    pub axis: Axis,
    /// Smallest value of the scale.
    pub floor: f64,
}

impl Scale {
    /// One from 0.
    fn linear(column: &Column) -> Self {
        Self { axis: Axis::linear(column.label()), floor: 0.0 }
    }

    /// The scale is logarithmic if the means differ much. The part of an interval below half of the
    /// smallest mean is not shown.
    pub fn of<'a>(column: &Column, courses: impl IntoIterator<Item = &'a Course>) -> Self {
        let all: Vec<Estimate> =
            courses.into_iter().flat_map(|course| course.pieces.iter().flatten().map(|(_, of)| *of)).collect();
        let axis = scale(column, all.iter().flat_map(|of| [of.mean, of.high()]));
        if axis.log.is_none() {
            return Self::linear(column);
        }
        let floor = all.iter().map(|of| of.mean).fold(f64::INFINITY, f64::min) / 2.0;
        let top = all.iter().map(Estimate::high).fold(0.0, f64::max);
        Self { axis: Axis { span: Some((floor, 1.25 * top)), ..axis }, floor }
    }
}

/// Form of intervals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spread {
    /// A band along the line.
    Band,
    /// Whiskers at the marks on a line.
    Whiskers,
    /// Whiskers at marks without a line.
    Apart,
}

/// Drawing of a metric along a curve.
#[derive(Default)]
pub(super) struct Course {
    /// Sound points. Points without a gap are in one piece.
    pub pieces: Vec<Vec<(f64, Estimate)>>,
    /// Positions without a sound point. On an axis of loads: the first point that saturates or is
    /// stopped, and each point that deadlocks.
    flaws: Vec<(f64, Flaw)>,
}

/// The colour of a curve: one of eight that are not grey.
fn colour(number: usize) -> usize {
    if number < GREY { number } else { number + 1 }
}

/// The mark of a curve. Marks differ in black and white.
fn shape(number: usize) -> Mark {
    /// Filled shapes.
    const FILLED: usize = 6;
    if number < FILLED { Mark::Shape(number) } else { Mark::Open(number - FILLED) }
}

/// An axis for a varied field. It is logarithmic if each value is much larger than the previous
/// value.
fn positions(column: &Column, values: &[f64]) -> Axis {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let doubles = values.len() > 2 && values[0] > 0.0 && values.windows(2).all(|pair| pair[1] / pair[0] > 1.4);
    if doubles { Axis::log(column.label(), 2.0) } else { Axis::linear(column.label()) }
}

/// Points of one setting along a field.
pub(super) struct Curve {
    name: String,
    /// Number of the curve in its panel, which gives its colour and its marks.
    number: usize,
    points: Vec<(f64, Point)>,
}

/// The curves of a picture, in panels with their names.
pub(super) struct Panels {
    pub all: Vec<(String, Vec<Curve>)>,
    /// Whether the panels have different curves.
    pub differ: bool,
}

impl Panels {
    /// All curves along a field.
    pub fn along(sweep: &Sweep, points: Vec<Point>, along: usize) -> Result<Self, String> {
        let mut others = varying(sweep, &points);
        // Fields that follow from the load differ along the curve.
        let hardware = sweep.hardware_axes();
        others.retain(|axis| *axis != along && (sweep.load() != Some(along) || hardware.contains(axis)));
        let position = Positions::of(sweep, &points, along);
        let found = Multiples::of(sweep, points, &others);
        refuse_crowd(found.all.iter().map(|panel| panel.members.len()).sum(), "curves", MOST_CURVES)?;
        let curve = |Member { name, number, points }| {
            let mut points: Vec<(f64, Point)> =
                points.into_iter().filter_map(|point| Some((position.at(point.axis(sweep, along))?, point))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Curve { name, number, points }
        };
        let panel = |panel: Multiple| (panel.name, panel.members.into_iter().map(curve).collect());
        Ok(Self { all: found.all.into_iter().map(panel).collect(), differ: found.differ })
    }

    pub fn curves(&self) -> impl Iterator<Item = &Curve> {
        self.all.iter().flat_map(|(_, curves)| curves)
    }

    /// Names of the positions along a field that has no numbers.
    fn names(&self, sweep: &Sweep, along: usize) -> Vec<String> {
        let points: Vec<Point> =
            self.curves().flat_map(|curve| curve.points.iter().map(|(_, point)| point.clone())).collect();
        match Positions::of(sweep, &points, along) {
            Positions::Numbers => Vec::new(),
            Positions::Names(names) => names,
        }
    }

    /// Moves the points of different curves at one name apart.
    fn set_apart(&self, courses: &mut [Vec<Course>]) {
        let count = self.curves().map(|curve| curve.number + 1).max().unwrap_or(1);
        let step = (0.6 / count as f64).min(0.12);
        for ((_, curves), courses) in self.all.iter().zip(courses) {
            for (curve, course) in curves.iter().zip(courses) {
                let aside = step * (curve.number as f64 - (count - 1) as f64 / 2.0);
                course.pieces.iter_mut().flatten().for_each(|(x, _)| *x += aside);
                course.flaws.iter_mut().for_each(|(x, _)| *x += aside);
            }
        }
    }
}

impl Curve {
    /// A metric along the curve. Along the load it ends where the first point is not sound: beyond
    /// saturation a latency says how long the run was.
    pub fn course(&self, sweep: &Sweep, column: usize, is_load: bool) -> Course {
        let mut course = Course { pieces: vec![Vec::new()], flaws: Vec::new() };
        let mut has_ended = false;
        for (x, point) in &self.points {
            match point.flaw(sweep, column) {
                Some(flaw) if !is_load || flaw == Flaw::Deadlocked || !has_ended => {
                    has_ended |= is_load && flaw != Flaw::Deadlocked;
                    course.flaws.push((*x, flaw));
                    course.pieces.push(Vec::new());
                }
                None if !has_ended => {
                    if let (Some(piece), Some(of)) = (course.pieces.last_mut(), point.estimate(sweep, column)) {
                        piece.push((*x, of));
                    }
                }
                _ => {}
            }
        }
        course.pieces.retain(|piece| !piece.is_empty());
        course
    }

    /// Lines, marks and intervals of the sound points of a metric. Intervals begin at the floor.
    pub fn lines(&self, course: &Course, floor: f64, spread: Spread) -> Vec<Series> {
        let colour = colour(self.number);
        let mut all = Vec::new();
        let mut marks = Vec::new();
        for piece in &course.pieces {
            let line: Vec<(f64, f64)> = piece.iter().map(|(x, estimate)| (*x, estimate.mean)).collect();
            let low = piece.iter().map(|(x, estimate)| (*x, estimate.low().max(floor.min(estimate.mean))));
            let high = piece.iter().map(|(x, estimate)| (*x, estimate.high()));
            if piece.iter().any(|(_, estimate)| estimate.half_width.is_some_and(|half| half > 0.0)) {
                all.push(if spread == Spread::Band {
                    series("", Look::Band, colour, low.chain(high.rev()).collect())
                } else {
                    let pairs = low.zip(high).flat_map(|(low, high)| [low, high]);
                    series("", Look::Whiskers, colour, pairs.collect())
                });
            }
            marks.extend(&line);
            if spread != Spread::Apart {
                all.push(series("", Look::Line, colour, line));
            }
        }
        if !marks.is_empty() {
            all.push(series(&self.name, Look::Marked(shape(self.number)), colour, marks));
        }
        all
    }
}

/// Positions of the values of a field on an axis.
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
