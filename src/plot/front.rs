//! The Pareto front of an answer.

use super::{MOST_CURVES, meaning, series, sheet, values, varying};
use crate::explore::{Answer, Better, Judged, Objective, Standing, Sweep};
use crate::report::chart::{Axis, Chart, Look, Series, Sheet};
use crate::report::mark::Mark;
use crate::statistics::Estimate;

/// Which points are meant.
type Wanted<'a> = &'a dyn Fn(&Judged) -> bool;

const FRONT: usize = 0;
const DEADLOCK: usize = 1;
const TIE: usize = 2;
const GREY: usize = 6;

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
    if !named.is_empty() {
        notes.insert(0, format!("beside the points of the front: {}", meaning(sweep, &named)));
    } else if on_front(answer) > MOST_CURVES {
        notes.insert(0, format!("{} points are not dominated, too many to name beside them", on_front(answer)));
    }
    let charts = others.iter().enumerate().map(|(at, y)| chart(sweep, answer, *x, *y, at + 1)).collect();
    Ok(sheet(sweep, charts, notes, command))
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
    let mut drawn: Vec<Series> = Vec::new();
    if answer.objectives.len() == 2 {
        drawn.push(series("", Look::Line, FRONT, staircase(answer, x, y)));
    }
    for judged in answer.judged.iter().filter(|judged| !matches!(judged.standing, Standing::Dominated(_))) {
        let ((a, b), [across, up]) = (position(judged), [&judged.values[0], &judged.values[at]]);
        let spread = |estimate: &Estimate| estimate.half_width.is_some_and(|half| half > 0.0);
        if spread(across) {
            drawn.push(series("", Look::Whiskers, of(judged.standing), vec![(across.low(), b), (across.high(), b)]));
        }
        if spread(up) {
            drawn.push(series("", Look::Whiskers, of(judged.standing), vec![(a, up.low()), (a, up.high())]));
        }
    }
    let looks: [(&str, Mark, usize, Wanted); 4] = [
        ("dominated", Mark::Speck, GREY, &|judged| matches!(judged.standing, Standing::Dominated(_))),
        ("on the front", Mark::Dot, FRONT, &|judged| judged.standing == Standing::Front),
        ("tie within noise", Mark::Open(2), TIE, &|judged| matches!(judged.standing, Standing::Tie(_))),
        ("can deadlock", Mark::Cross(0), DEADLOCK, &|judged| judged.point.can_deadlock),
    ];
    for (name, mark, colour, wanted) in looks {
        let points = where_(wanted);
        if !points.is_empty() {
            drawn.push(series(name, Look::Marked(mark), colour, points));
        }
    }
    let label = |objective: Objective| {
        let better = if objective.better == Better::Less { "less is better" } else { "more is better" };
        format!("{}; {better}", sweep.schema.columns[objective.column].label())
    };
    let span = |at: usize| {
        // Whiskers are drawn of those on the front, and nothing that is measured is below 0.
        let ends = answer.judged.iter().flat_map(|judged| {
            let value = &judged.values[at];
            let is_noisy = !matches!(judged.standing, Standing::Dominated(_));
            if is_noisy { [value.low().max(value.mean.min(0.0)), value.high()] } else { [value.mean; 2] }
        });
        let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        // From 0 where that costs little room.
        let low = if low > 0.0 && low < 0.5 * high { 0.0 } else { low };
        let blank = if high > low { 0.06 * (high - low) } else { 0.1 * if high == 0.0 { 1.0 } else { high.abs() } };
        Some((if low == 0.0 { 0.0 } else { low - blank }, high + blank))
    };
    let axes = names(sweep, answer);
    let on_front = answer.judged.iter().filter(|judged| !matches!(judged.standing, Standing::Dominated(_)));
    let notes =
        on_front.filter(|_| !axes.is_empty()).map(|judged| (position(judged), values(sweep, &judged.point, &axes)));
    let notes = notes.collect();
    let name = |objective: Objective| &sweep.schema.columns[objective.column].name;
    Chart {
        title: format!("{} against {}", name(y), name(x)),
        x: Axis { span: span(0), ..Axis::linear(label(x)) },
        y: Axis { span: span(at), ..Axis::linear(label(y)) },
        series: drawn,
        notes,
    }
}

/// How many points nothing dominates.
fn on_front(answer: &Answer) -> usize {
    answer.judged.iter().filter(|judged| !matches!(judged.standing, Standing::Dominated(_))).count()
}

/// The axes by which points of a front are told apart; none where there are too many to read.
fn names(sweep: &Sweep, answer: &Answer) -> Vec<usize> {
    let points: Vec<_> = answer.judged.iter().map(|judged| judged.point.clone()).collect();
    let varies = varying(sweep, &points);
    if on_front(answer) > MOST_CURVES {
        Vec::new()
    } else {
        varies.into_iter().filter(|axis| answer.axes.contains(axis)).collect()
    }
}

/// What can be had for which price: a step at each point that none beats by its means.
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
