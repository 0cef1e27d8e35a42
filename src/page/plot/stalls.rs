//! Stacked bars of the shares of cycles.

use super::{GREY, MOST_BARS, Plot, chosen, meaning, refuse_crowd, series, values, varying};
use crate::explore::{Filter, Flaw, Sweep};
use crate::page::marks::mark;
use crate::report::chart::{Axis, Chart, Look};

/// Begin of the names of columns of stall reasons.
const PREFIX: &str = "stall_";

/// The reasons for which worms stalled, stacked, a bar for each point; one of a run that deadlocked
/// has a cross on it.
///
/// # Errors
/// When the sweep has none, or there is nothing to draw or too much.
pub fn stalls(sweep: &Sweep, filters: &[Filter], command: &str) -> Result<Plot, String> {
    let columns = sweep.schema.columns.iter().enumerate();
    let reasons: Vec<usize> =
        columns.filter(|(_, column)| column.name.starts_with(PREFIX)).map(|(index, _)| index).collect();
    let Some(&first) = reasons.first() else {
        return Err(format!("this sweep has no columns {PREFIX}...: no account of stalls"));
    };
    let mut points = chosen(sweep, filters);
    points.retain(|point| reasons.iter().any(|&reason| point.estimate(sweep, reason).is_some()));
    refuse_crowd(points.len(), "bars", MOST_BARS)?;
    let axes = varying(sweep, &points);
    let names = points.iter().map(|point| values(sweep, point, &axes)).collect();
    let mut tops = vec![0.0; points.len()];
    let mut drawn = Vec::new();
    let stalls = |reason: usize| points.iter().any(|point| point.estimate(sweep, reason).is_some_and(|e| e.mean > 0.0));
    for (colour, &reason) in reasons.iter().enumerate().filter(|(_, reason)| stalls(**reason)) {
        let mut boxes = Vec::new();
        for (at, point) in points.iter().enumerate() {
            let share = point.estimate(sweep, reason).map_or(0.0, |estimate| estimate.mean);
            let middle = at as f64;
            boxes.extend([(middle - 0.38, tops[at]), (middle + 0.38, tops[at] + share)]);
            tops[at] += share;
        }
        let name = sweep.schema.columns[reason].name.trim_start_matches(PREFIX).replace('_', " ");
        drawn.push(series(name, Look::Boxes, colour, boxes));
    }
    // The legend goes from the top, as the bars do.
    drawn.reverse();
    let flaws: Vec<(usize, Flaw)> =
        points.iter().enumerate().filter_map(|(at, point)| Some((at, point.flaw(sweep, first)?))).collect();
    let crosses = flaws.iter().map(|&(at, _)| (at as f64, tops[at]));
    if !flaws.is_empty() {
        drawn.push(series(Flaw::Deadlocked.name(), Look::Marked(mark(Flaw::Deadlocked, 0)), GREY, crosses.collect()));
    }
    let flaws: Vec<Flaw> = flaws.into_iter().map(|(_, flaw)| flaw).collect();
    let note = Flaw::note(&flaws, points.len(), "point", "account of stalls");
    let unit = sweep.schema.columns[first].unit.clone().unwrap_or_else(|| "worm-cycles".to_owned());
    let chart = Chart {
        title: "Where worms stalled".to_owned(),
        x: Axis::named(meaning(sweep, &axes), names),
        y: Axis::linear(unit),
        series: drawn,
        notes: Vec::new(),
    };
    Ok(Plot::of(sweep, vec![chart], note, command))
}
