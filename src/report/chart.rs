//! Line charts in SVG: what a formula says as lines, what was simulated or printed as marks.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::canvas::COLOURS;

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Joined by a line.
    Line,
    /// A filled mark each.
    Marks,
    /// An open mark each, around what it is compared with.
    Rings,
}

/// Points under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend; none when empty.
    pub name: String,
    /// Points, ascending in x.
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub look: Look,
    /// Number of their colour; what belongs together has the same.
    pub colour: usize,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: &'static str,
    /// Base of its logarithm, linear when absent.
    pub log: Option<f64>,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// Size of one chart in pixels.
const SIZE: (u32, u32) = (620, 440);
const FONT: &str = "DejaVu Sans, Verdana, sans-serif";
const INK: RGBColor = RGBColor(29, 36, 51);
const GRID: RGBColor = RGBColor(222, 226, 236);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), String>;

/// Charts beside each other.
///
/// # Errors
/// When one cannot be drawn.
pub fn draw(charts: &[Chart]) -> Result<String, String> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (SIZE.0 * charts.len() as u32, SIZE.1)).into_drawing_area();
        root.fill(&WHITE).map_err(|error| error.to_string())?;
        for (chart, area) in charts.iter().zip(root.split_evenly((1, charts.len()))) {
            let points = || chart.series.iter().flat_map(|series| series.points.iter().copied());
            let (x, y) = (range(points().map(|p| p.0), &chart.x), range(points().map(|p| p.1), &chart.y));
            let log = |range: std::ops::Range<f64>, base| range.log_scale().base(base);
            match (chart.x.log, chart.y.log) {
                (None, None) => panel(&area, chart, x, y)?,
                (Some(base), None) => panel(&area, chart, log(x, base), y)?,
                (None, Some(base)) => panel(&area, chart, x, log(y, base))?,
                (Some(a), Some(b)) => panel(&area, chart, log(x, a), log(y, b))?,
            }
        }
        root.present().map_err(|error| error.to_string())?;
    }
    Ok(svg)
}

/// From 0, or on a logarithmic axis from below the least value, to above the greatest.
fn range(values: impl Iterator<Item = f64>, axis: &Axis) -> std::ops::Range<f64> {
    let (low, high) = values.fold((f64::MAX, 0.0), |(low, high), v| (f64::min(low, v), f64::max(high, v)));
    if axis.log.is_some() { low / 1.25..high * 1.25 } else { 0.0..high * 1.08 }
}

fn panel<X, Y>(area: &Area, chart: &Chart, x: X, y: Y) -> Drawn
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let text = |size: u32| (FONT, size).into_font().color(&INK);
    let mut context = ChartBuilder::on(area)
        .caption(&chart.title, (FONT, 17).into_font().style(FontStyle::Bold).color(&INK))
        .margin(14)
        .margin_right(22)
        .x_label_area_size(48)
        .y_label_area_size(68)
        .build_cartesian_2d(x, y)
        .map_err(|error| error.to_string())?;
    context
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .axis_style(INK)
        .x_desc(chart.x.label)
        .y_desc(chart.y.label)
        .axis_desc_style(text(15))
        .label_style(text(13))
        .x_label_formatter(&|&value| short(value))
        .y_label_formatter(&|&value| short(value))
        .draw()
        .map_err(|error| error.to_string())?;
    // Lines behind, and first in the legend.
    let by_look =
        [Look::Line, Look::Rings, Look::Marks].map(|look| chart.series.iter().filter(move |s| s.look == look));
    for Series { name, points, look, colour } in by_look.into_iter().flatten() {
        let colour = rgb(COLOURS[colour % COLOURS.len()]);
        let points = points.iter().copied();
        let drawn = match look {
            Look::Line => context.draw_series(LineSeries::new(points, colour.stroke_width(2))),
            Look::Marks => context.draw_series(points.map(|at| Circle::new(at, 4, colour.filled()))),
            Look::Rings => context.draw_series(points.map(|at| Circle::new(at, 7, colour.stroke_width(2)))),
        };
        let look = *look;
        let drawn = drawn.map_err(|error| error.to_string())?;
        if name.is_empty() {
            continue;
        }
        drawn.label(name).legend(move |(x, y)| match look {
            Look::Line => PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(2)).into_dyn(),
            Look::Marks => Circle::new((x + 11, y), 4, colour.filled()).into_dyn(),
            Look::Rings => Circle::new((x + 11, y), 6, colour.stroke_width(2)).into_dyn(),
        });
    }
    context
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .legend_area_size(30)
        .margin(12)
        .background_style(WHITE.mix(0.85))
        .border_style(GRID)
        .label_font(text(13))
        .draw()
        .map_err(|error| error.to_string())
}

/// A number as a label.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", (v / 1e5).round() / 10.0),
        v if v >= 1e5 => format!("{}k", (v / 1e2).round() / 10.0),
        v => ((v * 100.0).round() / 100.0).to_string(),
    }
}

/// A colour written as `#rrggbb`.
fn rgb(hex: &str) -> RGBColor {
    let part = |at: usize| hex.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok()).unwrap_or(0);
    RGBColor(part(1), part(3), part(5))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(x: Option<f64>, y: Option<f64>) -> Chart {
        let series = |name: &str, look, colour| Series {
            name: name.to_owned(),
            points: vec![(1.0, 3.0), (64.0, 90.0), (200_000.0, 1e6)],
            look,
            colour,
        };
        let series =
            vec![series("formula", Look::Line, 0), series("run", Look::Marks, 0), series("paper", Look::Rings, 1)];
        Chart {
            title: "a title".to_owned(),
            x: Axis { label: "bytes", log: x },
            y: Axis { label: "cycles", log: y },
            series,
        }
    }

    #[test]
    fn title_units_names_and_every_mark_are_there_on_axes_of_either_kind() {
        for (x, y) in [(None, None), (Some(2.0), None), (None, Some(10.0)), (Some(2.0), Some(10.0))] {
            let svg = draw(&[chart(x, y), chart(x, y)]).unwrap();
            for text in ["a title", "bytes", "cycles", "formula", "run", "paper"] {
                assert_eq!(svg.matches(&format!("\n{text}\n")).count(), 2, "{text}");
            }
            // Three of each kind and one in the legend, twice.
            assert_eq!(svg.matches("<circle").count(), 2 * (4 + 4));
        }
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(
            [0.0, 0.5, 100.0, 65536.0, 250_000.0, 2.5e6].map(short),
            ["0", "0.5", "100", "65536", "250k", "2.5M"]
        );
    }
}
