//! The Pareto front of an answer.

use super::unsound::{FlawMarks, meanings};
use super::{GREY, meaning, scale, series, sheet, values, varying};
use crate::explore::{Answer, Better, Flaw, Judged, Objective, Standing, Sweep};
use crate::report::chart::{Axis, Chart, Look, Series, Sheet};
use crate::report::mark::Mark;
use crate::statistics::Estimate;

/// Filter of points.
type Wanted<'a> = &'a dyn Fn(&Judged) -> bool;

const FRONT: usize = 0;
const DEADLOCK: usize = 1;
const TIE: usize = 2;

/// Largest number of points with their settings beside them. More points have numbers, which a list
/// explains.
const MOST_BESIDE: usize = 6;
const MOST_LETTERS_BESIDE: usize = 12;
/// Largest number of points with numbers beside them.
const MOST_NUMBERED: usize = 40;

/// The front of two metrics, or of three in two charts that share the first.
///
/// # Errors
/// When the answer is of one metric.
pub fn front(sweep: &Sweep, answer: &Answer, command: &str) -> Result<Sheet, String> {
    let [x, others @ ..] = &answer.objectives[..] else { return Err("there is no objective".to_owned()) };
    if others.is_empty() {
        return Err("a front has two or three metrics; name another with --cost or --quality".to_owned());
    }
    let mut notes = answer.notes.clone();
    let named = names(sweep, answer);
    let mut listing = Vec::new();
    if is_listed(sweep, answer, &named) {
        notes.insert(0, "beside the points of the front: their numbers, as in the list and the table".to_owned());
        listing.push(format!("point: {}", meaning(sweep, &named)));
        let mut points: Vec<&Judged> = not_dominated(answer).collect();
        points.sort_by_key(|judged| judged.point.number.parse::<u64>().ok());
        let line = |judged: &&Judged| format!("{}: {}", judged.point.number, values(sweep, &judged.point, &named));
        listing.extend(points.iter().map(line));
    } else if !named.is_empty() {
        notes.insert(0, format!("beside the points of the front: {}", meaning(sweep, &named)));
    } else if on_front(answer) > MOST_NUMBERED {
        notes.insert(0, format!("{} points are not dominated, too many to name beside them", on_front(answer)));
    }
    let charts: Vec<Chart> = others.iter().enumerate().map(|(at, y)| chart(sweep, answer, *x, *y, at + 1)).collect();
    let spans: Vec<Span> = (0..answer.objectives.len()).map(|at| Span::of(sweep, answer, at)).collect();
    let is_cut = |judged: &Judged| spans.iter().zip(&judged.values).any(|(span, value)| span.cuts(value));
    if not_dominated(answer).any(is_cut) {
        notes.push("intervals that end at an edge reach further".to_owned());
    }
    Ok(Sheet { listing, ..sheet(sweep, charts, notes, command) })
}

/// Points that nothing dominates.
fn not_dominated(answer: &Answer) -> impl Iterator<Item = &Judged> {
    answer.judged.iter().filter(|judged| !matches!(judged.standing, Standing::Dominated(_)))
}

/// Whether points that differ in some axes have numbers beside them.
fn is_listed(sweep: &Sweep, answer: &Answer, named: &[usize]) -> bool {
    let is_long = |judged: &Judged| values(sweep, &judged.point, named).chars().count() > MOST_LETTERS_BESIDE;
    !named.is_empty() && (on_front(answer) > MOST_BESIDE || not_dominated(answer).any(is_long))
}

/// Range of an objective on an axis.
struct Span {
    axis: Axis,
    low: f64,
    high: f64,
}

impl Span {
    /// The range begins at 0 if this costs little room. Otherwise it goes a little beyond the
    /// means. It does not cover very wide intervals, which would leave no room for the means.
    fn of(sweep: &Sweep, answer: &Answer, at: usize) -> Self {
        /// Largest part of an interval beyond the means that widens the axis, as a share of the
        /// range of the means.
        const BEYOND: f64 = 0.6;
        let column = &sweep.schema.columns[answer.objectives[at].column];
        // Marks of points that are not judged have a place along the first objective.
        let marked = answer.unsound.iter().filter(|of| at == 0 && !of.columns.contains(&answer.columns[0]));
        let marked: Vec<f64> = marked.map(|of| of.values[at].mean).collect();
        let means = || answer.judged.iter().map(|judged| judged.values[at].mean).chain(marked.iter().copied());
        let (least, most) =
            means().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        let ends = |end: fn(&Estimate) -> f64| not_dominated(answer).map(move |judged| end(&judged.values[at]));
        let (lowest, highest) = (ends(Estimate::low).fold(least, f64::min), ends(Estimate::high).fold(most, f64::max));
        let axis = scale(column, means());
        if axis.log.is_some() {
            let (low, high) = (lowest.max(least / 2.0) / 1.25, highest.min(most * 2.0) * 1.25);
            return Self { axis, low, high };
        }
        let room = if most > least { BEYOND * (most - least) } else { 0.5 * most.abs().max(f64::MIN_POSITIVE) };
        // No measured value is below 0.
        let (low, high) = (lowest.max(least - room).max(least.min(0.0)), highest.min(most + room));
        let low = if low > 0.0 && low < 0.5 * high { 0.0 } else { low };
        let blank = if high > low { 0.06 * (high - low) } else { 0.1 * if high == 0.0 { 1.0 } else { high.abs() } };
        Self { axis, low: if low == 0.0 { 0.0 } else { low - blank }, high: high + blank }
    }

    /// The visible part of an interval.
    fn clip(&self, value: &Estimate) -> (f64, f64) {
        (value.low().max(self.low), value.high().min(self.high))
    }

    fn cuts(&self, value: &Estimate) -> bool {
        self.clip(value) != (value.low(), value.high())
    }
}

fn chart(sweep: &Sweep, answer: &Answer, x: Objective, y: Objective, at: usize) -> Chart {
    let position = |judged: &Judged| (judged.values[0].mean, judged.values[at].mean);
    let where_ =
        |wanted: Wanted| answer.judged.iter().filter(|judged| wanted(judged)).map(position).collect::<Vec<_>>();
    let of = |standing: Standing| match standing {
        Standing::Front => FRONT,
        Standing::Tie(_) => TIE,
        Standing::Dominated(_) => GREY,
    };
    let (across, up) = (Span::of(sweep, answer, 0), Span::of(sweep, answer, at));
    let mut drawn: Vec<Series> = Vec::new();
    if answer.objectives.len() == 2 {
        drawn.push(series("", Look::Line, FRONT, staircase(answer, x, y)));
    }
    for judged in not_dominated(answer) {
        let (a, b) = position(judged);
        let spread = |estimate: &Estimate| estimate.half_width.is_some_and(|half| half > 0.0);
        if spread(&judged.values[0]) {
            let (low, high) = across.clip(&judged.values[0]);
            drawn.push(series("", Look::Whiskers, of(judged.standing), vec![(low, b), (high, b)]));
        }
        if spread(&judged.values[at]) {
            let (low, high) = up.clip(&judged.values[at]);
            drawn.push(series("", Look::Whiskers, of(judged.standing), vec![(a, low), (a, high)]));
        }
    }
    let looks: [(&str, Mark, usize, Wanted); 5] = [
        ("dominated", Mark::Speck, GREY, &|judged| matches!(judged.standing, Standing::Dominated(_))),
        ("on the front", Mark::Dot, FRONT, &|judged| judged.standing == Standing::Front),
        ("tie within noise", Mark::Open(2), TIE, &|judged| matches!(judged.standing, Standing::Tie(_))),
        ("can deadlock", Mark::Cross(0), DEADLOCK, &|judged| judged.point.can_deadlock),
        ("deadlock unknown", Mark::Ring, DEADLOCK, &|judged| judged.point.may_deadlock()),
    ];
    for (name, mark, colour, wanted) in looks {
        let points = where_(wanted);
        if !points.is_empty() {
            drawn.push(series(name, Look::Marked(mark), colour, points));
        }
    }
    drawn.extend(not_judged(sweep, answer, at, up.low));
    let label = |objective: Objective| {
        let better = if objective.better == Better::Less { "less is better" } else { "more is better" };
        format!("{}; {better}", sweep.schema.columns[objective.column].label())
    };
    let axes = names(sweep, answer);
    let is_listed = is_listed(sweep, answer, &axes);
    let beside = |judged: &Judged| {
        if is_listed { judged.point.number.clone() } else { values(sweep, &judged.point, &axes) }
    };
    let notes = not_dominated(answer).filter(|_| !axes.is_empty()).map(|judged| (position(judged), beside(judged)));
    let notes = notes.collect();
    let name = |objective: Objective| &sweep.schema.columns[objective.column].name;
    Chart {
        title: format!("{} against {}", name(y), name(x)),
        x: Axis { span: Some((across.low, across.high)), label: label(x), ..across.axis },
        y: Axis { span: Some((up.low, up.high)), label: label(y), ..up.axis },
        series: drawn,
        notes,
    }
}

/// Marks at the foot of a chart for points whose upward objective is not sound, and their meanings.
fn not_judged(sweep: &Sweep, answer: &Answer, at: usize, foot: f64) -> Vec<Series> {
    let (across, up) = (answer.columns[0], answer.columns[at]);
    let placed = answer.unsound.iter().filter(|of| !of.columns.contains(&across));
    let mut flaws: Vec<(f64, Flaw)> =
        placed.filter_map(|of| Some((of.values[0].mean, of.point.flaw(sweep, up)?))).collect();
    // One mark for all points with the same flaw at one place. The note counts them.
    flaws.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    flaws.dedup();
    let mut marks = FlawMarks::default();
    let mark = |&(x, flaw): &(f64, Flaw)| series("", marks.look(x, flaw), GREY, vec![(x, foot)]);
    let mut drawn: Vec<Series> = flaws.iter().map(mark).collect();
    drawn.extend(meanings(flaws.iter().map(|(_, flaw)| *flaw), false));
    drawn
}

/// Number of points that no other point dominates.
fn on_front(answer: &Answer) -> usize {
    not_dominated(answer).count()
}

/// The axes in which points of a front differ; none if there are too many points to read.
fn names(sweep: &Sweep, answer: &Answer) -> Vec<usize> {
    let points: Vec<_> = answer.judged.iter().map(|judged| judged.point.clone()).collect();
    let varies = varying(sweep, &points);
    if on_front(answer) > MOST_NUMBERED {
        Vec::new()
    } else {
        varies.into_iter().filter(|axis| answer.axes.contains(axis)).collect()
    }
}

/// The best value for each price. It has a step at each point that no other beats by its means.
fn staircase(answer: &Answer, x: Objective, y: Objective) -> Vec<(f64, f64)> {
    let gain = |value: f64| if y.better == Better::More { value } else { -value };
    let mut points: Vec<(f64, f64)> = answer
        .judged
        .iter()
        .filter(|judged| !judged.point.can_deadlock)
        .map(|judged| (judged.values[0].mean, judged.values[1].mean))
        .collect();
    let price = |value: f64| if x.better == Better::Less { value } else { -value };
    points.sort_by(|a, b| price(a.0).total_cmp(&price(b.0)).then(gain(b.1).total_cmp(&gain(a.1))));
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for (a, b) in points {
        match steps.last() {
            Some(&(_, best)) if gain(b) <= gain(best) => {}
            Some(&(_, best)) => steps.extend([(a, best), (a, b)]),
            None => steps.push((a, b)),
        }
    }
    steps
}
