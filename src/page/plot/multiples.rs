//! Small multiples: many curves in several panels. Each curve of a panel has its own colour.

use std::ops::Range;

use super::{MOST_IN_PANEL, groups, setting};
use crate::explore::{Point, Sweep};
use crate::report::chart::Chart;

/// Largest number of panels of one field, beyond which curves are divided in their order.
const MOST_PANELS: usize = 6;

/// One panel: its part of the setting, and its curves.
pub(super) struct Multiple {
    /// Setting of the fields that differ between panels; empty if there are no such fields.
    pub name: String,
    pub members: Vec<Member>,
}

/// The points of one curve.
pub(super) struct Member {
    pub name: String,
    /// Number of the curve, which is the same for curves with the same name in all panels.
    pub number: usize,
    pub points: Vec<Point>,
}

/// Panels of a picture.
pub(super) struct Multiples {
    pub all: Vec<Multiple>,
    /// Whether panels have different curves, so that each panel needs its own legend.
    pub differ: bool,
}

impl Multiples {
    /// Curves of points with equal values of `axes`, at most eight in a panel.
    pub fn of(sweep: &Sweep, points: Vec<Point>, axes: &[usize]) -> Self {
        let curves = groups(sweep, points, axes);
        if curves.len() <= MOST_IN_PANEL {
            return Self { all: vec![in_order(curves)], differ: false };
        }
        if let Some(across) = across(sweep, &curves, axes) {
            return Self { all: by_fields(sweep, curves, axes, &across), differ: false };
        }
        let count = curves.len().div_ceil(MOST_IN_PANEL);
        let mut panels: Vec<Vec<(String, Vec<Point>)>> = (0..count).map(|_| Vec::new()).collect();
        let all = curves.len();
        for (at, curve) in curves.into_iter().enumerate() {
            panels[at * count / all].push(curve);
        }
        Self { all: panels.into_iter().map(in_order).collect(), differ: true }
    }
}

/// A panel of curves that are numbered in their order.
fn in_order(curves: Vec<(String, Vec<Point>)>) -> Multiple {
    let members = curves.into_iter().enumerate();
    let members = members.map(|(number, (name, points))| Member { name, number, points }).collect();
    Multiple { name: String::new(), members }
}

/// A panel for each setting of the fields `across`, with the other fields as names of curves.
fn by_fields(sweep: &Sweep, curves: Vec<(String, Vec<Point>)>, axes: &[usize], across: &[usize]) -> Vec<Multiple> {
    let within: Vec<usize> = axes.iter().copied().filter(|axis| !across.contains(axis)).collect();
    let mut numbers: Vec<String> = Vec::new();
    let mut panels: Vec<Multiple> = Vec::new();
    for (_, points) in curves {
        let Some(first) = points.first() else { continue };
        let (panel, name) = (setting(sweep, first, across), setting(sweep, first, &within));
        let number = place(&mut numbers, &name);
        let member = Member { name, number, points };
        match panels.iter_mut().find(|other| other.name == panel) {
            Some(other) => other.members.push(member),
            None => panels.push(Multiple { name: panel, members: vec![member] }),
        }
    }
    panels
}

/// The place of a name in a list, which takes it in.
fn place(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|other| other == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

/// The fewest fields that divide curves into few panels of at most eight curves. `None` if there
/// are no such fields.
fn across(sweep: &Sweep, curves: &[(String, Vec<Point>)], axes: &[usize]) -> Option<Vec<usize>> {
    let first: Vec<&Point> = curves.iter().filter_map(|(_, points)| points.first()).collect();
    let distinct = |axes: &[usize]| {
        let mut names = Vec::new();
        for point in &first {
            place(&mut names, &setting(sweep, point, axes));
        }
        names.len()
    };
    let subset = |bits: usize| -> Vec<usize> {
        axes.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, axis)| *axis).collect()
    };
    // A sweep with more fields than this has curves that nobody can compare.
    let every = 1_usize << axes.len().min(10);
    let choices = (1..every - 1).map(subset).filter_map(|across| {
        let within: Vec<usize> = axes.iter().copied().filter(|axis| !across.contains(axis)).collect();
        let panels = distinct(&across);
        (panels <= MOST_PANELS && distinct(&within) <= MOST_IN_PANEL).then_some((across.len(), panels, across))
    });
    choices.min_by_key(|(fields, panels, _)| (*fields, *panels)).map(|(_, _, across)| across)
}

/// Gives charts the same ranges, so that a reader can compare them.
pub(super) fn share_ranges(charts: &mut [Chart]) {
    let (xs, ys): (Vec<_>, Vec<_>) = charts.iter().map(Chart::ranges).unzip();
    let union = |ranges: Vec<Range<f64>>| {
        ranges.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), of| (low.min(of.start), high.max(of.end)))
    };
    let (x, y) = (union(xs), union(ys));
    if charts.len() > 1 {
        for chart in charts {
            (chart.x.span, chart.y.span) = (Some(x), Some(y));
        }
    }
}
