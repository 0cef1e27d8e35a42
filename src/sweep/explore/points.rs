//! Points: rows of the same point together, with its values, the outcomes of its runs, and its
//! metrics over the seeds.

use std::collections::{HashMap, HashSet};

use super::outcomes::{Flaw, Outcomes};
use super::sweep::Sweep;
use crate::statistics::Estimate;

/// A point of a sweep: a configuration and its runs.
#[derive(Clone, Debug)]
pub struct Point {
    /// Number of the point.
    pub number: String,
    /// Rows of the point, one for each run.
    pub rows: Vec<usize>,
    /// Outcomes of its runs.
    pub outcomes: Outcomes,
    /// Whether the point can deadlock. It can if one of its runs ended in a deadlock. A run of the
    /// same hardware at another load counts, and so does a run of the search for its saturation.
    pub can_deadlock: bool,
}

impl Point {
    /// Estimate of a metric over the runs that have the metric.
    #[must_use]
    pub fn estimate(&self, sweep: &Sweep, column: usize) -> Option<Estimate> {
        let values: Vec<f64> = self.rows.iter().filter_map(|&row| sweep.number(row, column)).collect();
        Estimate::of(&values)
    }

    /// Flaw of its values of a metric: the gravest flaw of its runs, if there is one.
    #[must_use]
    pub fn flaw(&self, sweep: &Sweep, column: usize) -> Option<Flaw> {
        self.rows.iter().filter_map(|&row| sweep.flaw(row, column)).max()
    }

    /// Whether the configuration of the point was refused, so that it did not run.
    #[must_use]
    pub(crate) fn is_refused(&self) -> bool {
        self.outcomes.count("refused") == self.outcomes.runs()
    }

    /// Value of one of the axes.
    #[must_use]
    pub fn axis<'a>(&self, sweep: &'a Sweep, column: usize) -> &'a str {
        self.rows.first().map_or("", |&row| sweep.text(row, column))
    }

    /// The command that runs the point, without a seed.
    #[must_use]
    pub fn command(&self, sweep: &Sweep) -> String {
        self.rows.first().map(|&row| sweep.command(row, false)).unwrap_or_default()
    }
}

/// All points of a sweep in the order of their first rows.
#[must_use]
pub fn points(sweep: &Sweep) -> Vec<Point> {
    let mut index: HashMap<&str, usize> = HashMap::new();
    let mut points: Vec<Point> = Vec::new();
    let mut stuck = HashSet::new();
    let ends = sweep.schema.columns.iter().position(|column| column.name == "saturation_ends");
    for row in 0..sweep.len() {
        let number = sweep.point(row);
        let at = *index.entry(number).or_insert_with(|| {
            points.push(Point {
                number: number.to_owned(),
                rows: Vec::new(),
                outcomes: Outcomes::default(),
                can_deadlock: false,
            });
            points.len() - 1
        });
        points[at].rows.push(row);
        points[at].outcomes.add(sweep.outcome(row));
        if sweep.outcome(row) == "deadlock" || ends.is_some_and(|column| sweep.text(row, column) == "deadlock") {
            stuck.insert(sweep.hardware(row));
        }
    }
    for point in &mut points {
        point.can_deadlock = point.rows.first().is_some_and(|&row| stuck.contains(&sweep.hardware(row)));
    }
    points
}
