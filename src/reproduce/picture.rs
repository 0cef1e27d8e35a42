//! A figure drawn in the paper's axes, with the points that the text quotes.

use super::data::{Data, Extent};
use super::figure::{Scale, Shelved};
use crate::report::chart::{self, Axis, Look, Sheet};
use crate::report::mark::Mark;

/// The figure in SVG.
///
/// # Errors
/// When it cannot be drawn.
pub fn picture(of: &Shelved, data: &Data) -> Result<String, String> {
    let figure = &of.figure;
    let mut charts = Vec::new();
    for panel in &figure.charts {
        let mut series = Vec::new();
        for (colour, curve) in panel.curves.iter().enumerate() {
            let found = data.curves.iter().find(|of| of.chart == panel.key && of.curve == curve.name);
            let points = found.map(|of| of.points.as_slice()).unwrap_or_default();
            // Beyond saturation a latency says how long the run was.
            let end = points.iter().position(|point| !point.is_done).map_or(points.len(), |at| at + 1);
            let points = &points[..end];
            let of = |look, points: Vec<(f64, f64)>, name: &str| chart::Series {
                name: name.to_owned(),
                points,
                look,
                colour,
            };
            let line: Vec<(f64, f64)> = points.iter().map(|p| (p.x, p.y)).collect();
            let noisy = points.iter().filter(|p| p.half_width.is_some_and(|half| half > 0.0));
            let ends = noisy.flat_map(|p| {
                let half = p.half_width.unwrap_or(0.0);
                [(p.x, (p.y - half).max(p.y * 0.05)), (p.x, p.y + half)]
            });
            let stuck = points.iter().filter(|p| !p.is_done).map(|p| (p.x, p.y));
            series.push(of(Look::Whiskers, ends.collect(), ""));
            series.push(of(Look::Line, line.clone(), ""));
            series.push(of(Look::Marked(Mark::Shape(colour)), line, &curve.name));
            series.push(of(Look::Marked(Mark::Cross), stuck.collect(), ""));
        }
        for quoted in &panel.quoted {
            let (name, points) = (format!("{} (the text)", quoted.name), quoted.points.clone());
            series.push(chart::Series { name, points, look: Look::Rings, colour: 6 });
        }
        charts.push(chart::Chart {
            title: panel.title.clone(),
            x: axis(&panel.x),
            y: axis(&panel.y),
            series,
            notes: Vec::new(),
        });
    }
    let extent = match data.extent {
        Extent::Quick => "fewer points and repetitions (--quick)",
        Extent::Full => "all points and repetitions",
    };
    let mut footer = vec![format!("{} {}, {}", of.paper(), figure.name, figure.caption)];
    footer.push(format!("{}; {extent}; wormscope {}", figure.kind.words(), env!("CARGO_PKG_VERSION")));
    if !figure.reconstructed.is_empty() {
        footer.push(format!("reconstructed: {}", figure.reconstructed.join(", ")));
    }
    Sheet { charts, common_legend: false, footer }.draw()
}

fn axis(scale: &Scale) -> Axis {
    Axis { label: scale.label.clone(), log: scale.log, span: scale.span, names: Vec::new() }
}
