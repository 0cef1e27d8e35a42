//! One sweep or two on a page: the axes and metrics that they have in common, and the points with
//! the same settings.

use std::collections::HashMap;

use crate::explore::{Point, Sweep, points};
use crate::output::ColumnKind;
use crate::statistics::Estimate;
use crate::sweep::{Column, Role};

/// Name of the axis that says which sweep a point is of.
const SWEEP_AXIS: &str = "sweep";

/// Value of an axis in one sweep.
enum Cell {
    /// The sweep varies the field.
    Column(usize),
    /// All runs of the sweep have this value.
    Fixed(String),
}

/// An axis of the page.
pub(super) struct SharedAxis {
    pub column: Column,
    /// For each sweep, where the value is.
    cells: Vec<Cell>,
    /// For each sweep, the column of the field if the sweep varies it.
    pub varied: Vec<Option<usize>>,
}

impl SharedAxis {
    /// The value of a point of a sweep.
    pub fn value<'a>(&'a self, side: usize, sweep: &'a Sweep, point: &Point) -> &'a str {
        match &self.cells[side] {
            Cell::Column(column) => point.axis(sweep, *column),
            Cell::Fixed(value) => value,
        }
    }
}

/// A metric of the page.
pub(super) struct SharedMetric {
    pub column: Column,
    /// For each sweep, the column of the metric.
    pub places: Vec<Option<usize>>,
}

/// The sweeps of a page.
pub(super) struct Sides<'a> {
    pub sweeps: &'a [&'a Sweep],
    pub points: Vec<Vec<Point>>,
    pub axes: Vec<SharedAxis>,
    pub metrics: Vec<SharedMetric>,
    /// Fields that each sweep keeps, by path, with a value for each sweep.
    pub fixed: Vec<(String, Vec<String>)>,
}

/// Two points with the same settings, one of each sweep, as numbers among the points of the page.
pub(super) struct Pair {
    pub places: [usize; 2],
    /// For each metric, the change in per cent and half the width of its interval.
    pub changes: Vec<Option<(f64, Option<f64>)>>,
}

impl<'a> Sides<'a> {
    pub fn of(sweeps: &'a [&'a Sweep]) -> Self {
        let fixed: Vec<Vec<(String, String)>> = sweeps.iter().map(|sweep| sweep.schema.fixed_fields()).collect();
        let mut sides = Self {
            sweeps,
            points: sweeps.iter().map(|sweep| points(sweep)).collect(),
            axes: axes(sweeps, &fixed),
            metrics: metrics(sweeps),
            fixed: Vec::new(),
        };
        let of = |side: usize, path: &str| fixed[side].iter().find(|(known, _)| known == path).map(|(_, value)| value);
        let first = fixed.first().into_iter().flatten();
        sides.fixed = first
            .filter(|(path, _)| !sides.axes.iter().any(|axis| axis.column.path.as_ref() == Some(path)))
            .filter_map(|(path, _)| {
                let values: Option<Vec<String>> = (0..sweeps.len()).map(|side| of(side, path).cloned()).collect();
                Some((path.clone(), values?))
            })
            .collect();
        sides.keep_apart();
        sides
    }

    /// Makes axes that have one value in each sweep, but not the same, fields that the sweeps keep.
    /// So points of both sweeps are pairs in spite of them.
    fn keep_apart(&mut self) {
        let only = |side: usize, axis: &SharedAxis| -> Option<String> {
            let mut values = self.points[side].iter().map(|point| axis.value(side, self.sweeps[side], point));
            let first = values.next()?;
            values.all(|value| value == first).then(|| first.to_owned())
        };
        let kept = |axis: &SharedAxis| -> Option<(String, Vec<String>)> {
            let values: Vec<String> = (0..self.sweeps.len()).map(|side| only(side, axis)).collect::<Option<_>>()?;
            let path = axis.column.path.clone()?;
            values.windows(2).any(|pair| pair[0] != pair[1]).then_some((path, values))
        };
        let found: Vec<Option<(String, Vec<String>)>> = self.axes.iter().map(kept).collect();
        let mut is_kept = found.iter().map(Option::is_some);
        let mut axes = std::mem::take(&mut self.axes);
        axes.retain(|_| !is_kept.next().unwrap_or(false));
        self.axes = axes;
        self.fixed.extend(found.into_iter().flatten());
    }

    /// Whether there are two sweeps.
    pub fn are_two(&self) -> bool {
        self.sweeps.len() > 1
    }

    /// All points of the page: the side, and the point.
    pub fn all(&self) -> impl Iterator<Item = (usize, &Point)> {
        self.points.iter().enumerate().flat_map(|(side, points)| points.iter().map(move |point| (side, point)))
    }

    /// Number of a point on the page.
    pub fn number(&self, side: usize, point: &Point) -> String {
        if self.are_two() { format!("{}{}", ["A", "B"][side.min(1)], point.number) } else { point.number.clone() }
    }

    /// Values of the axes of a point.
    pub fn values(&self, side: usize, point: &Point) -> Vec<&str> {
        self.axes.iter().map(|axis| axis.value(side, self.sweeps[side], point)).collect()
    }

    /// Fields that both sweeps keep, at different values.
    pub fn different(&self) -> Vec<(String, String, String)> {
        let differs = self.fixed.iter().filter_map(|(path, values)| match &values[..] {
            [one, other] if one != other => Some((path.clone(), one.clone(), other.clone())),
            _ => None,
        });
        differs.collect()
    }

    /// The pairs of points with the same settings.
    pub fn pairs(&self) -> Vec<Pair> {
        let [first, second] = &self.points[..] else { return Vec::new() };
        // The first axis is the sweep.
        let key = |side: usize, point: &Point| -> Vec<String> {
            self.values(side, point)[1..].iter().map(|value| (*value).to_owned()).collect()
        };
        let mut known: HashMap<Vec<String>, Option<usize>> = HashMap::new();
        for (at, point) in first.iter().enumerate() {
            // Two points with the same settings differ in nothing that is on the page.
            known.entry(key(0, point)).and_modify(|at| *at = None).or_insert(Some(at));
        }
        let pair = |(at, point): (usize, &Point)| {
            let other = (*known.get(&key(1, point))?)?;
            let change = |metric: &SharedMetric| {
                let (one, two) = (metric.places[0]?, metric.places[1]?);
                change((self.sweeps[0], &first[other], one), (self.sweeps[1], point, two))
            };
            let changes = self.metrics.iter().map(change).collect();
            Some(Pair { places: [other, first.len() + at], changes })
        };
        second.iter().enumerate().filter_map(pair).collect()
    }
}

fn axes(sweeps: &[&Sweep], fixed: &[Vec<(String, String)>]) -> Vec<SharedAxis> {
    let mut found: Vec<SharedAxis> = Vec::new();
    if sweeps.len() > 1 {
        let names = sweeps.iter().map(|sweep| Cell::Fixed(sweep.directory.display().to_string())).collect();
        let column = Column {
            name: SWEEP_AXIS.to_owned(),
            kind: ColumnKind::Text,
            role: Role::Axis,
            unit: None,
            path: None,
            estimate: false,
            derived: false,
            doc: "directory of the sweep".to_owned(),
        };
        found.push(SharedAxis { column, cells: names, varied: vec![None; sweeps.len()] });
    }
    for sweep in sweeps {
        for axis in sweep.axes() {
            let column = &sweep.schema.columns[axis];
            let is_same = |other: &Column| match (&other.path, &column.path) {
                (Some(one), Some(other)) => one == other,
                _ => other.name == column.name,
            };
            if found.iter().any(|axis| is_same(&axis.column)) {
                continue;
            }
            let cell = |(sweep, fixed): (&&Sweep, &Vec<(String, String)>)| {
                let place = sweep.schema.columns.iter().position(is_same);
                let value = || fixed.iter().find(|(path, _)| Some(path) == column.path.as_ref());
                let value = || value().map(|(_, value)| value.clone()).unwrap_or_default();
                (place.map_or_else(|| Cell::Fixed(value()), Cell::Column), place)
            };
            let (cells, varied) = sweeps.iter().zip(fixed).map(cell).unzip();
            found.push(SharedAxis { column: column.clone(), cells, varied });
        }
    }
    found
}

/// Metrics with a value in some run. Columns of traffic that a sweep does not have are empty.
fn metrics(sweeps: &[&Sweep]) -> Vec<SharedMetric> {
    let mut found: Vec<SharedMetric> = Vec::new();
    for sweep in sweeps {
        for (at, column) in sweep.schema.columns.iter().enumerate() {
            let is_metric = column.role == Role::Metric && column.is_numeric();
            let is_known = found.iter().any(|metric| metric.column.name == column.name);
            if !is_metric || is_known || !(0..sweep.len()).any(|row| sweep.number(row, at).is_some()) {
                continue;
            }
            let is_same = |other: &Column| other.role == Role::Metric && other.name == column.name;
            let places = sweeps.iter().map(|sweep| sweep.schema.columns.iter().position(is_same)).collect();
            found.push(SharedMetric { column: column.clone(), places });
        }
    }
    found
}

/// Change of a metric from one point to another in per cent, with half the width of its interval.
/// Runs with the same seeds are compared one by one.
fn change(from: (&Sweep, &Point, usize), to: (&Sweep, &Point, usize)) -> Option<(f64, Option<f64>)> {
    let values = |(sweep, point, column): (&'_ Sweep, &'_ Point, usize)| -> Vec<(String, f64)> {
        let value = |&row: &usize| Some((sweep.seed(row).to_owned(), sweep.number(row, column)?));
        point.rows.iter().filter_map(value).collect()
    };
    let (before, after) = (values(from), values(to));
    let numbers = |of: &[(String, f64)]| of.iter().map(|(_, value)| *value).collect::<Vec<f64>>();
    if before.iter().map(|(seed, _)| seed).eq(after.iter().map(|(seed, _)| seed)) {
        let percents = before.iter().zip(&after).map(|((_, one), (_, other))| 100.0 * (other - one) / one);
        let percents: Vec<f64> = percents.collect();
        return Estimate::of(&percents).filter(|of| of.mean.is_finite()).map(|of| (of.mean, of.half_width));
    }
    Estimate::of(&numbers(&before))?.change_to(&Estimate::of(&numbers(&after))?)
}
