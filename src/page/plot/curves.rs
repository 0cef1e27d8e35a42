//! Curves: latency against load, any metric against any varied field.

use super::{Plot, chosen, groups, refuse_crowd, scale, series, varying};
use crate::explore::{Filter, Flaw, Point, Sweep, one_a_hardware};
use crate::report::chart::{Axis, Chart, Look, Series};
use crate::report::mark::Mark;
use crate::statistics::Estimate;
use crate::sweep::Column;

/// Grey among the colours.
const GREY: usize = 6;
/// Largest number of marks above each other at one place.
const MOST_LEVELS: usize = 6;

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
    let curves = Curve::all(sweep, chosen(sweep, filters), load)?;
    let courses = |column: usize| curves.iter().map(|curve| curve.course(sweep, column, true)).collect::<Vec<_>>();
    let (means, tails) = (courses(mean), p99.map(courses).unwrap_or_default());
    let unit = sweep.schema.columns[mean].unit.as_deref().unwrap_or("cycles");
    let scale = Scale::of(&sweep.schema.columns[mean], means.iter().chain(&tails));
    let y = Axis { label: format!("latency ({unit})"), ..scale.axis.clone() };
    let mut left = Vec::new();
    for (at, (curve, course)) in curves.iter().zip(&means).enumerate() {
        left.extend(curve.lines(at, course, scale.floor, Spread::Band));
    }
    for (at, course) in tails.iter().enumerate() {
        let line = |piece: &Vec<(f64, Estimate)>| piece.iter().map(|(x, estimate)| (*x, estimate.mean)).collect();
        left.extend(course.pieces.iter().map(|piece| series("", Look::Dashes, colour(at), line(piece))));
    }
    // A curve without a latency may have its name at its accepted load.
    let accepts = |at: usize| accepted.is_some_and(|column| !curves[at].course(sweep, column, true).pieces.is_empty());
    left.extend(feet(&curves, &means, &scale, |at| !accepts(at)));
    // The looks have their meaning in the legend, in no curve's colour.
    let is_there = |courses: &[Course]| courses.iter().any(|course| !course.pieces.is_empty());
    if is_there(&means) {
        left.push(series("mean, 95 % band", Look::Line, GREY, Vec::new()));
    }
    if is_there(&tails) {
        left.push(series("99th percentile", Look::Dashes, GREY, Vec::new()));
    }
    left.extend(meanings(&means, true));
    // Both charts have the same range of loads, even if latencies end earlier.
    let most = curves.iter().flat_map(|curve| &curve.points).map(|(x, _)| *x).fold(0.0, f64::max);
    let span = (most > 0.0).then_some((0.0, 1.08 * most));
    let x = Axis { span, ..Axis::linear(sweep.schema.columns[load].label()) };
    let none = if is_there(&means) { "" } else { ": none is sound" };
    let title = format!("Latency to the last destination{none}");
    let latency = Chart { title, x: x.clone(), y, series: left, notes: Vec::new() };
    let mut charts = vec![latency];
    if let (Some(offered), Some(accepted)) = (column("offered"), accepted) {
        // Values that curves have in common differ by chance at most, except for windows that a
        // deadlock cut short.
        let whole = curves.iter().flat_map(|curve| &curve.points);
        let whole = whole.filter(|(_, point)| point.flaw(sweep, offered).is_none());
        let mut all: Vec<(f64, Estimate)> =
            whole.filter_map(|(x, point)| Some((*x, point.estimate(sweep, offered)?))).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mean = |at: &[(f64, Estimate)]| (at[0].0, at.iter().map(|of| of.1.mean).sum::<f64>() / at.len() as f64);
        let all: Vec<(f64, f64)> = all.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()).map(mean).collect();
        let mut right = Vec::new();
        let courses = courses(accepted);
        let scale = Scale::linear(&sweep.schema.columns[accepted]);
        for (at, (curve, course)) in curves.iter().zip(&courses).enumerate() {
            right.extend(curve.lines(at, course, scale.floor, Spread::Whiskers));
        }
        if !all.is_empty() {
            right.push(series("as much as is offered", Look::Dashes, GREY, all));
        }
        let title = "Throughput".to_owned();
        charts.push(Chart { title, x, y: scale.axis, series: right, notes: Vec::new() });
    }
    Ok(Plot::of(sweep, charts, unsound(sweep, &curves, mean), command))
}

/// A metric against a varied field, with a curve for each setting of the other fields, and with
/// intervals as whiskers.
///
/// # Errors
/// When there is nothing to draw or too much.
pub fn metric(sweep: &Sweep, x: usize, y: usize, filters: &[Filter], command: &str) -> Result<Plot, String> {
    let mut points = chosen(sweep, filters);
    one_a_hardware(sweep, &mut points, &[x, y]);
    let curves = Curve::all(sweep, points, x)?;
    let is_load = sweep.load() == Some(x);
    let mut courses: Vec<Course> = curves.iter().map(|curve| curve.course(sweep, y, is_load)).collect();
    let (across, up) = (&sweep.schema.columns[x], &sweep.schema.columns[y]);
    let notes = unsound(sweep, &curves, y);
    if courses.iter().all(|course| course.pieces.is_empty()) {
        let none = || format!("no point has a {}", up.name);
        return Err(notes.map_or_else(none, |note| format!("nothing to draw: {note}")));
    }
    let names = Curve::names(sweep, &curves, x);
    if !names.is_empty() {
        set_apart(&mut courses);
    }
    let spread = if names.is_empty() { Spread::Whiskers } else { Spread::Apart };
    let scale = Scale::of(up, &courses);
    let mut drawn = Vec::new();
    for (at, (curve, course)) in curves.iter().zip(&courses).enumerate() {
        drawn.extend(curve.lines(at, course, scale.floor, spread));
    }
    drawn.extend(feet(&curves, &courses, &scale, |_| true));
    drawn.extend(meanings(&courses, is_load));
    let xs: Vec<f64> = drawn.iter().flat_map(|series| &series.points).map(|point| point.0).collect();
    let x_axis = if names.is_empty() { positions(across, &xs) } else { Axis::named(across.label(), names) };
    let title = format!("{} against {}", up.name, across.name);
    let chart = Chart { title, x: x_axis, y: scale.axis, series: drawn, notes: Vec::new() };
    Ok(Plot::of(sweep, vec![chart], notes, command))
}

/// Moves the points of different curves at one name apart.
fn set_apart(courses: &mut [Course]) {
    let (count, step) = (courses.len(), (0.6 / courses.len() as f64).min(0.12));
    for (at, course) in courses.iter_mut().enumerate() {
        let aside = step * (at as f64 - (count - 1) as f64 / 2.0);
        course.pieces.iter_mut().flatten().for_each(|(x, _)| *x += aside);
        course.flaws.iter_mut().for_each(|(x, _)| *x += aside);
    }
}

/// Note that some points of curves have no sound metric, with the reason.
fn unsound(sweep: &Sweep, curves: &[Curve], column: usize) -> Option<String> {
    let points = || curves.iter().flat_map(|curve| curve.points.iter().map(|(_, point)| point));
    let flaws: Vec<Flaw> = points().filter_map(|point| point.flaw(sweep, column)).collect();
    let has_value = |point: &&Point| point.flaw(sweep, column).is_some() || point.estimate(sweep, column).is_some();
    Flaw::note(&flaws, points().filter(has_value).count(), "point", &sweep.schema.columns[column].name)
}

/// Marks at the foot of the chart for points without a sound metric, because their height has no
/// meaning. A curve with only such points can have its name at these marks.
fn feet(curves: &[Curve], courses: &[Course], scale: &Scale, named: impl Fn(usize) -> bool) -> Vec<Series> {
    let mut places: Vec<f64> = Vec::new();
    let mut drawn = Vec::new();
    for (number, (curve, course)) in curves.iter().zip(courses).enumerate() {
        for (at, &(x, flaw)) in course.flaws.iter().enumerate() {
            // Marks of several curves at one place are above each other, if there are few enough to
            // count.
            let below = places.iter().filter(|other| other.total_cmp(&x).is_eq()).count();
            let look = Look::Marked(mark(flaw, below.min(MOST_LEVELS) as u8));
            let is_alone = at == 0 && course.pieces.is_empty() && named(number);
            let name = if is_alone { curve.name.as_str() } else { "" };
            drawn.push(series(name, look, colour(number), vec![(x, scale.floor)]));
            places.push(x);
        }
    }
    drawn
}

fn mark(flaw: Flaw, level: u8) -> Mark {
    match flaw {
        Flaw::Saturated => Mark::Tick(level),
        Flaw::Stopped => Mark::BarredTick(level),
        Flaw::Deadlocked => Mark::CrossTick(level),
    }
}

/// Meanings of these marks, in grey.
fn meanings(courses: &[Course], is_load: bool) -> impl Iterator<Item = Series> {
    let has = |wanted: &Flaw| courses.iter().flat_map(|course| &course.flaws).any(|(_, flaw)| flaw == wanted);
    let key = move |flaw: Flaw| {
        // A deadlock at one load does not mean a deadlock at higher loads.
        let here = if is_load && flaw != Flaw::Deadlocked { " from here" } else { "" };
        series(format!("{}{here}", flaw.name()), Look::Marked(mark(flaw, 0)), GREY, Vec::new())
    };
    Flaw::ALL.into_iter().filter(has).map(key).collect::<Vec<_>>().into_iter()
}

/// An axis for the sound values of a metric.
struct Scale {
    axis: Axis,
    /// Smallest value of the scale.
    floor: f64,
}

impl Scale {
    /// One from 0.
    fn linear(column: &Column) -> Self {
        Self { axis: Axis::linear(column.label()), floor: 0.0 }
    }

    /// The scale is logarithmic if the means differ much. The part of an interval below half of the
    /// smallest mean is not shown.
    fn of<'a>(column: &Column, courses: impl IntoIterator<Item = &'a Course>) -> Self {
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
enum Spread {
    /// A band along the line.
    Band,
    /// Whiskers at the marks on a line.
    Whiskers,
    /// Whiskers at marks without a line.
    Apart,
}

/// Drawing of a metric along a curve.
#[derive(Default)]
struct Course {
    /// Sound points. Points without a gap are in one piece.
    pieces: Vec<Vec<(f64, Estimate)>>,
    /// Positions without a sound point. On an axis of loads: the first point that saturates or is
    /// stopped, and each point that deadlocks.
    flaws: Vec<(f64, Flaw)>,
}

/// The colour of a curve: all but grey, in turn.
fn colour(number: usize) -> usize {
    /// Colours that are not grey.
    const COLOURED: usize = 7;
    match number % COLOURED {
        at if at < GREY => at,
        at => at + 1,
    }
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
struct Curve {
    name: String,
    points: Vec<(f64, Point)>,
}

impl Curve {
    /// All curves along a field.
    fn all(sweep: &Sweep, points: Vec<Point>, along: usize) -> Result<Vec<Self>, String> {
        let mut others = varying(sweep, &points);
        // Fields that follow from the load differ along the curve.
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
        Ok(groups.into_iter().map(curve).collect())
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

    /// A metric along the curve. Along the load it ends where the first point is not sound: beyond
    /// saturation a latency says how long the run was.
    fn course(&self, sweep: &Sweep, column: usize, is_load: bool) -> Course {
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
    fn lines(&self, number: usize, course: &Course, floor: f64, spread: Spread) -> Vec<Series> {
        let colour = colour(number);
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
            all.push(series(&self.name, Look::Marked(Mark::Shape(number)), colour, marks));
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
