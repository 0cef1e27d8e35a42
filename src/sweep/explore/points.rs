//! Points: rows of the same point together, with its values, the outcomes of its runs, and its
//! metrics over the seeds.

use std::collections::{HashMap, HashSet};

use super::outcomes::{Flaw, Outcomes};
use super::sweep::Sweep;
use crate::dependency::Judgement;
use crate::statistics::Estimate;
use crate::sweep::metrics::VERDICT;

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
    /// same hardware at another load counts, and so does a run of the search for its saturation. It
    /// can as well if the verdict before a run is `possible`.
    pub can_deadlock: bool,
    /// Verdict before a run, if the sweep has verdicts. The runs of a point may draw different
    /// worms: the worst of their verdicts counts.
    pub verdict: Option<Judgement>,
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

    /// Whether it is unknown if the point can deadlock, although the sweep has verdicts.
    #[must_use]
    pub(crate) fn may_deadlock(&self) -> bool {
        self.verdict == Some(Judgement::Unknown) && !self.can_deadlock
    }

    /// Outcomes of its runs, and the verdict before a run: `done; deadlock: free`.
    #[must_use]
    pub(crate) fn ended(&self) -> String {
        let verdict = self.verdict.map(|verdict| format!("; deadlock: {}", verdict.name())).unwrap_or_default();
        self.outcomes.text() + &verdict
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
    let verdicts = sweep.schema.columns.iter().position(|column| column.name == VERDICT);
    for row in 0..sweep.len() {
        let number = sweep.point(row);
        let at = *index.entry(number).or_insert_with(|| {
            points.push(Point {
                number: number.to_owned(),
                rows: Vec::new(),
                outcomes: Outcomes::default(),
                can_deadlock: false,
                verdict: None,
            });
            points.len() - 1
        });
        points[at].rows.push(row);
        points[at].outcomes.add(sweep.outcome(row));
        let verdict = verdicts.and_then(|column| {
            let text = sweep.text(row, column);
            Judgement::ALL.into_iter().find(|of| of.name() == text)
        });
        points[at].verdict = points[at].verdict.max(verdict);
        if sweep.outcome(row) == "deadlock" || ends.is_some_and(|column| sweep.text(row, column) == "deadlock") {
            stuck.insert(sweep.hardware(row));
        }
    }
    for point in &mut points {
        let is_stuck = point.rows.first().is_some_and(|&row| stuck.contains(&sweep.hardware(row)));
        point.can_deadlock = is_stuck || point.verdict == Some(Judgement::Possible);
    }
    points
}
