//! A figure drawn in the paper's axes, with the points that the text quotes.

use super::data::{Data, Extent, Point};
use super::figure::{Scale, Shelved};
use crate::report::chart::{self, Axis, Look, Sheet};
use crate::report::mark::Mark;

/// Characters of a title that fit above a panel. A longer title is the caption, which is below the
/// picture.
const WIDEST: usize = 70;

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
            let points = shown(points);
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
            series.push(of(Look::Marked(Mark::Cross(0)), stuck.collect(), ""));
        }
        for quoted in &panel.quoted {
            let verticals = quoted.at.iter().map(|&x| (x, 0.0)).collect();
            for (look, points) in [(Look::Rings, quoted.points.clone()), (Look::Verticals, verticals)] {
                if !points.is_empty() {
                    let name = format!("{} (the text)", quoted.name);
                    series.push(chart::Series { name, points, look, colour: 6 });
                }
            }
        }
        charts.push(chart::Chart {
            title: if panel.title.chars().count() > WIDEST { figure.name.clone() } else { panel.title.clone() },
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
    Sheet { charts, footer, ..Sheet::default() }.draw()
}

/// Points below saturation and the first point beyond, whose latency tells only the length of the
/// run. All points, where both ends are beyond. Load rises with x, or falls, as with the time
/// between messages.
fn shown(points: &[Point]) -> &[Point] {
    let is_beyond = |point: &Point| !point.is_done;
    let first = points.iter().position(is_beyond).unwrap_or(points.len());
    let last = points.iter().rposition(is_beyond).unwrap_or(0);
    match (first == 0, last + 1 == points.len()) {
        (true, true) => points,
        (true, false) => &points[last..],
        _ => &points[..points.len().min(first + 1)],
    }
}

fn axis(scale: &Scale) -> Axis {
    Axis { label: scale.label.clone(), log: scale.log, span: scale.span, ..Axis::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_point_beyond_saturation_is_drawn_on_the_side_of_the_load() {
        let drawn = |outcomes: &str| {
            let of = |(x, c)| Point { x: f64::from(x), y: 1.0, half_width: None, is_done: c == '.' };
            let points: Vec<Point> = (0u32..).zip(outcomes.chars()).map(of).collect();
            shown(&points).iter().map(|point| point.x.to_string()).collect::<String>()
        };
        assert_eq!(drawn("..."), "012");
        assert_eq!(drawn("..xx"), "012");
        assert_eq!(drawn("xx.."), "123");
        assert_eq!(drawn("xxx"), "012");
        assert_eq!(drawn("x"), "0");
        assert_eq!(drawn(""), "");
    }
}
