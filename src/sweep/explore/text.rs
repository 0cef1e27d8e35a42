//! Answers as a table for readers and as CSV.

use std::fmt::Write as _;

use super::metric::Better;
use super::points::Point;
use super::question::{Answer, Judged, Unsound};
use super::standing::Standing;
use super::sweep::Sweep;
use crate::quote::{counted, form};
use crate::statistics::{Estimate, short};
use crate::table::Table;

/// An answer for readers: its front and the points that tie with it, or all points.
#[must_use]
pub fn answer_text(sweep: &Sweep, answer: &Answer, all: bool) -> String {
    let columns = &sweep.schema.columns;
    let mut text = heading(sweep, answer);
    let names = |indices: &[usize]| indices.iter().map(|&index| columns[index].name.as_str()).collect::<Vec<_>>();
    let header = [&["point"][..], &names(&answer.axes), &names(&answer.columns), &["ended", "remarks"]].concat();
    let mut table = Table::new(&header, &[header.len() - 2, header.len() - 1]);
    let on_front = |judged: &&Judged| !matches!(judged.standing, Standing::Dominated(_));
    let shown: Vec<&Judged> = answer.judged.iter().filter(|judged| all || on_front(judged)).collect();
    let mut add = |point: &Point, values: &[Estimate], remark: String| {
        let mut row = vec![point.number.clone()];
        row.extend(answer.axes.iter().map(|&axis| point.axis(sweep, axis).to_owned()));
        row.extend(values.iter().map(Estimate::text));
        row.extend([point.ended(), remark]);
        table.row(row);
    };
    for judged in &shown {
        add(&judged.point, &judged.values, remark(sweep, answer, judged));
    }
    for unsound in answer.unsound.iter().filter(|_| all) {
        add(&unsound.point, &unsound.values, remark_of_unsound(unsound, &names(&unsound.columns)));
    }
    text += &table.text();
    let dominated = answer.judged.len() - shown.len();
    if dominated > 0 {
        let points = form(dominated, "point is", "points are");
        let _ = writeln!(text, "{dominated} more {points} dominated (--all lists them)");
    }
    if !all && !answer.unsound.is_empty() {
        let unsound = answer.unsound.len();
        let points = form(unsound, "point is", "points are");
        let _ = writeln!(text, "{unsound} more {points} not judged (--all lists them)");
    }
    for note in &answer.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if answer.objectives.len() == 1
        && let Some(best) = shown.iter().find(|judged| !judged.point.can_deadlock)
    {
        let _ = writeln!(text, "\npoint {}: {}", best.point.number, best.point.command(sweep));
    }
    text
}

/// The question, in a line.
fn heading(sweep: &Sweep, answer: &Answer) -> String {
    let names: Vec<String> = answer
        .objectives
        .iter()
        .map(|objective| {
            let better = if objective.better == Better::Less { "least" } else { "most" };
            format!("{better} {}", sweep.schema.columns[objective.column].label())
        })
        .collect();
    let (all, seeds) = (answer.judged.len(), sweep.seeds());
    let what = if names.len() == 1 { "best of".to_owned() } else { format!("Pareto front: {} of", on_front(answer)) };
    let points = form(all, "point", "points");
    format!("{what} {all} {points}, {seeds} each: {}\n", names.join(", "))
}

/// Number of points on the front, and of points that tie with them: `3`, or `3 (and 2 ties)`.
fn on_front(answer: &Answer) -> String {
    let count = |is: fn(&Standing) -> bool| answer.judged.iter().filter(|judged| is(&judged.standing)).count();
    let (front, ties) = (count(|of| *of == Standing::Front), count(|of| matches!(of, Standing::Tie(_))));
    if ties == 0 { front.to_string() } else { format!("{front} (and {})", counted(ties, "tie")) }
}

/// Standing of a point, and warnings.
fn remark(sweep: &Sweep, answer: &Answer, judged: &Judged) -> String {
    let number = |other: usize| &answer.judged[other].point.number;
    let mut remarks = match judged.standing {
        Standing::Front => Vec::new(),
        Standing::Tie(other) => vec![format!("ties with {}", number(other))],
        Standing::Dominated(other) => vec![format!("dominated by {}", number(other))],
    };
    if judged.point.can_deadlock {
        remarks.push("CAN DEADLOCK".to_owned());
    } else if judged.point.may_deadlock() {
        remarks.push("MAY DEADLOCK".to_owned());
    }
    remarks.extend(judged.read_off.map(|(low, high)| match high {
        Some(high) => format!("saturation {} to {}", short(low), short(high)),
        None => format!("saturation from {}", short(low)),
    }));
    remarks.extend(judged.uncertain.iter().map(|bound| format!("{} within noise only", bound.text(&sweep.schema))));
    // Queues that grow make latencies depend on the length of the run.
    if answer.columns.iter().any(|&column| sweep.schema.columns[column].is_time()) {
        let shares = judged.point.rows.iter().filter_map(|&row| sweep.uncarried(row));
        remarks.extend(shares.reduce(f64::min).map(accepts));
    }
    remarks.join("; ")
}

/// The remark of a point that does not carry its load.
pub(crate) fn accepts(share: f64) -> String {
    format!("accepts {:.0} % of the load", 100.0 * share)
}

/// Metrics that are not sound at a point, and other warnings.
fn remark_of_unsound(unsound: &Unsound, names: &[&str]) -> String {
    let deadlock = if unsound.point.can_deadlock { "; CAN DEADLOCK" } else { "" };
    format!("NO SOUND {}{deadlock}", names.join(", "))
}

/// All judged points as CSV, one row for each point, and points with a metric that is not sound.
///
/// # Errors
/// A text in memory causes no error, but crate `csv` returns one.
pub fn answer_csv(sweep: &Sweep, answer: &Answer) -> Result<String, csv::Error> {
    let name = |column: usize| sweep.schema.columns[column].name.as_str();
    let mut csv = csv::Writer::from_writer(Vec::new());
    let mut header: Vec<String> = vec!["point".to_owned()];
    header.extend(answer.axes.iter().map(|&axis| name(axis).to_owned()));
    let is_metric = |named: &str| answer.columns.iter().any(|&column| name(column) == named);
    for &column in &answer.columns {
        header.push(name(column).to_owned());
        header.extend(["low", "high", "runs"].map(|suffix| {
            let of = format!("{}_{suffix}", name(column));
            // saturation_high is a metric of its own.
            if is_metric(&of) { format!("{}_interval_{suffix}", name(column)) } else { of }
        }));
    }
    header.extend(["standing", "other", "can_deadlock", "deadlock", "ended", "command"].map(str::to_owned));
    csv.write_record(&header)?;
    let judged = answer.judged.iter().map(|judged| {
        let (standing, other) = match judged.standing {
            Standing::Front => ("front", None),
            Standing::Tie(other) => ("tie", Some(other)),
            Standing::Dominated(other) => ("dominated", Some(other)),
        };
        (&judged.point, &judged.values, standing, other)
    });
    let unsound = answer.unsound.iter().map(|of| (&of.point, &of.values, "unsound", None));
    for (point, values, standing, other) in judged.chain(unsound) {
        let mut row = vec![point.number.clone()];
        row.extend(answer.axes.iter().map(|&axis| point.axis(sweep, axis).to_owned()));
        for value in values {
            let interval = |end: f64| value.half_width.map(|_| end.to_string()).unwrap_or_default();
            let cells = [value.mean.to_string(), interval(value.low()), interval(value.high()), value.runs.to_string()];
            row.extend(cells);
        }
        row.push(standing.to_owned());
        row.push(other.map(|other: usize| answer.judged[other].point.number.clone()).unwrap_or_default());
        row.push(point.can_deadlock.to_string());
        row.push(point.verdict.map(|verdict| verdict.name().to_owned()).unwrap_or_default());
        row.push(point.outcomes.text());
        row.push(point.command(sweep));
        csv.write_record(&row)?;
    }
    let bytes = csv.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
