//! Rows of the same point together: what it is, how its runs ended, its metrics over the seeds.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use super::sweep::Sweep;
use crate::statistics::Estimate;

/// A point of a sweep: a configuration and its runs.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its number.
    pub number: String,
    /// Its rows, a run each.
    pub rows: Vec<usize>,
    /// How its runs ended.
    pub outcomes: Outcomes,
    /// Whether a run of it, or of the same hardware at another load, ended in a deadlock, or one
    /// that searched for its saturation.
    pub can_deadlock: bool,
}

/// How often runs ended in which way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes(BTreeMap<String, usize>);

impl Outcomes {
    /// How many ended so.
    #[must_use]
    pub fn count(&self, outcome: &str) -> usize {
        self.0.get(outcome).copied().unwrap_or(0)
    }

    /// How many runs there were.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.0.values().sum()
    }

    /// One more run.
    pub fn add(&mut self, outcome: &str) {
        *self.0.entry(outcome.to_owned()).or_default() += 1;
    }

    /// The runs of another as well.
    pub fn merge(&mut self, other: &Self) {
        for (outcome, count) in &other.0 {
            *self.0.entry(outcome.clone()).or_default() += count;
        }
    }

    /// `done`, or `done 3, saturated 2`.
    #[must_use]
    pub fn text(&self) -> String {
        if let (1, Some((outcome, _))) = (self.0.len(), self.0.first_key_value()) {
            return outcome.clone();
        }
        let mut text = String::new();
        for (outcome, count) in &self.0 {
            let comma = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{comma}{outcome} {count}");
        }
        text
    }
}

impl Point {
    /// A metric over the runs that have it.
    #[must_use]
    pub fn estimate(&self, sweep: &Sweep, column: usize) -> Option<Estimate> {
        let values: Vec<f64> = self.rows.iter().filter_map(|&row| sweep.number(row, column)).collect();
        Estimate::of(&values)
    }

    /// What one of the axes is set to.
    #[must_use]
    pub fn axis<'a>(&self, sweep: &'a Sweep, column: usize) -> &'a str {
        self.rows.first().map_or("", |&row| sweep.text(row, column))
    }

    /// The command that runs it, without a seed.
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
