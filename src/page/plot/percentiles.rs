//! Percentiles of latency against load, a chart for each percentile.

use super::curves::{Course, Curve, Panels, Scale, Spread, feet, flaws, unsound};
use super::multiples::share_ranges;
use super::unsound::meanings;
use super::{Plot, chosen, titled};
use crate::explore::{Filter, Sweep};
use crate::report::chart::{Axis, Chart};

/// Percentiles of latency that rows of a sweep have.
pub const PERCENTILES: [u8; 3] = [50, 95, 99];

/// Mean latency and some percentiles against load. Each has its own chart, and all charts have the
/// same axes.
///
/// # Errors
/// When no load was varied, or there is nothing to draw or too much.
pub fn percentiles(sweep: &Sweep, asked: &[u8], filters: &[Filter], command: &str) -> Result<Plot, String> {
    let load = sweep.schema.load().map_err(|why| format!("{why}; percentiles are drawn against the load"))?;
    let column = |name: String| {
        let found = sweep.schema.columns.iter().position(|column| column.name == name);
        found.ok_or_else(|| format!("this sweep has no {name}"))
    };
    let mut wanted = vec![("Mean latency".to_owned(), column("latency_last_mean".to_owned())?)];
    for percentile in asked {
        let name = if *percentile == 50 { "Median latency".to_owned() } else { format!("{percentile}th percentile") };
        wanted.push((name, column(format!("latency_last_p{percentile}"))?));
    }
    let panels = Panels::along(sweep, chosen(sweep, filters), load)?;
    let course = |curve: &Curve, column: usize| curve.course(sweep, column, true);
    let all: Vec<Course> =
        wanted.iter().flat_map(|(_, column)| panels.curves().map(|curve| course(curve, *column))).collect();
    let mean = &sweep.schema.columns[wanted[0].1];
    if all.iter().all(|course| course.pieces.is_empty()) {
        return Err(format!("nothing to draw: no point has a sound {}", mean.name));
    }
    let scale = Scale::of(mean, &all);
    let unit = mean.unit.as_deref().unwrap_or("cycles");
    let x = Axis::linear(sweep.schema.columns[load].label());
    let mut charts = Vec::new();
    for (panel, curves) in &panels.all {
        for (name, column) in &wanted {
            let courses: Vec<Course> = curves.iter().map(|curve| course(curve, *column)).collect();
            let mut drawn = Vec::new();
            for (curve, course) in curves.iter().zip(&courses) {
                drawn.extend(curve.lines(course, scale.floor, Spread::Whiskers));
            }
            drawn.extend(feet(curves, &courses, &scale, |_| true));
            drawn.extend(meanings(flaws(&courses), true));
            let y = Axis { label: format!("latency ({unit})"), ..scale.axis.clone() };
            charts.push(Chart { title: titled(name, panel), x: x.clone(), y, series: drawn, notes: Vec::new() });
        }
    }
    share_ranges(&mut charts);
    let mut plot = Plot::of(sweep, charts, unsound(sweep, panels.curves(), wanted[0].1), command);
    let several = panels.all.len() > 1;
    plot.sheet.row_legends = panels.differ;
    plot.sheet.in_row = Some(if several { wanted.len() } else { wanted.len().min(2) });
    Ok(plot)
}
