//! Charts in SVG: what a formula says as lines, what was simulated or printed as marks; of sweeps
//! with intervals as well.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::canvas::COLOURS;
use super::mark::{Mark, Placed};

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Joined by a line.
    Line,
    /// Joined by a dashed line.
    Dashes,
    /// A polygon, filled lightly.
    Band,
    /// Pairs of points, a bar between the two with ends.
    Whiskers,
    /// Pairs of points, opposite corners of a filled box.
    Boxes,
    /// A mark each.
    Marked(Mark),
}

impl Look {
    /// A filled circle each.
    #[allow(non_upper_case_globals)] // Stands among the variants.
    pub(crate) const Marks: Self = Self::Marked(Mark::Dot);
    /// An open circle each, around what it is compared with.
    #[allow(non_upper_case_globals)]
    pub const Rings: Self = Self::Marked(Mark::Ring);
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// Base of its logarithm, linear when absent.
    pub log: Option<f64>,
    /// From where to where; as the points need it when absent, from 0 where linear.
    pub span: Option<(f64, f64)>,
    /// Names of 0, 1, 2 ..., in place of numbers.
    pub names: Vec<String>,
}

impl Axis {
    /// From 0 in equal steps.
    #[must_use]
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// In steps of equal ratio.
    #[must_use]
    pub fn log(label: impl Into<String>, base: f64) -> Self {
        Self { label: label.into(), log: Some(base), ..Self::default() }
    }

    /// With a name for each of 0, 1, 2 ...
    #[must_use]
    pub fn named(label: impl Into<String>, names: Vec<String>) -> Self {
        let span = Some((-0.6, names.len() as f64 - 0.4));
        Self { label: label.into(), log: None, span, names }
    }

    fn range(&self, values: impl Iterator<Item = f64>) -> Range<f64> {
        if let Some((low, high)) = self.span {
            return low..high;
        }
        let (low, high) = values.fold((f64::MAX, 0.0), |(low, high), v| (f64::min(low, v), f64::max(high, v)));
        match self.log {
            // Nothing is drawn of what a logarithm does not have.
            Some(_) if low > 0.0 && low < f64::MAX => low / 1.25..high * 1.25,
            Some(_) => 1.0..10.0,
            None if high > 0.0 => 0.0..high * 1.08,
            None => 0.0..1.0,
        }
    }

    /// Where a logarithmic axis over a range has ticks: at powers of the base; of ten, where these
    /// are few, at 1, 2 and 5 or at 1 to 9 times them; and where those are few in equal steps.
    #[allow(clippy::cast_possible_truncation)] // Exponents of what an f64 holds.
    fn log_ticks(base: f64, range: &Range<f64>) -> Vec<f64> {
        const DIGITS: [&[f64]; 3] = [&[1.0], &[1.0, 2.0, 5.0], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]];
        let inside = |value: &f64| (range.start..=range.end).contains(value);
        let powers = range.start.log(base).floor() as i32..=range.end.log(base).ceil() as i32;
        let multiples = |digits: &&[f64]| -> Vec<f64> {
            let of_power = |exponent| digits.iter().map(move |digit| digit * base.powi(exponent));
            powers.clone().flat_map(of_power).filter(inside).collect()
        };
        let top = (range.end - range.start).log10().floor() as i32;
        let steps =
            [top, top - 1].into_iter().flat_map(|power| [5.0, 2.0, 1.0].map(|digit| digit * 10_f64.powi(power)));
        let in_steps = |step: f64| -> Vec<f64> {
            let first = (range.start / step).ceil();
            (0..20).map(|n| (first + f64::from(n)) * step).filter(inside).collect()
        };
        let digits = if base >= 10.0 { &DIGITS[..] } else { &DIGITS[..1] };
        let mut all = digits.iter().map(multiples).chain(steps.map(in_steps));
        let found = all.find(|ticks| ticks.len() >= LEAST_TICKS).unwrap_or_default();
        let every = found.len().div_ceil(MOST_TICKS).max(1);
        found.into_iter().step_by(every).collect()
    }

    /// What stands at a value of an axis.
    fn tick(&self, value: f64) -> String {
        match self.names.is_empty() {
            true => short(value),
            // Between two names there is none.
            false if (value - value.round()).abs() > 1e-6 || value < -0.5 => String::new(),
            #[allow(clippy::cast_sign_loss)] // No less than 0.
            false => self.names.get(value.round().max(0.0) as usize).cloned().unwrap_or_default(),
        }
    }
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
    /// Texts beside points.
    pub notes: Vec<((f64, f64), String)>,
}

/// Charts on a common ground, with what is to be said below all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// The charts, from the left; more than three in rows of two.
    pub charts: Vec<Chart>,
    /// Whether one legend stands to the right of all, rather than one in each.
    pub common_legend: bool,
    /// Lines below.
    pub footer: Vec<String>,
}

/// Size of one chart in pixels.
const SIZE: (u32, u32) = (620, 440);
/// Ticks that a logarithmic axis has at least, and at most.
const LEAST_TICKS: usize = 4;
const MOST_TICKS: usize = 16;
/// Height of an entry of the common legend, and of a line of the footer.
const LINE: u16 = 20;
const FOOTER_LINE: u16 = 15;
/// Where a legend may stand, and how far to the right and down that is.
const LEGEND_PLACES: [(SeriesLabelPosition, (f64, f64)); 8] = [
    (SeriesLabelPosition::UpperLeft, (0.0, 0.0)),
    (SeriesLabelPosition::UpperRight, (1.0, 0.0)),
    (SeriesLabelPosition::LowerRight, (1.0, 1.0)),
    (SeriesLabelPosition::LowerLeft, (0.0, 1.0)),
    (SeriesLabelPosition::UpperMiddle, (0.5, 0.0)),
    (SeriesLabelPosition::LowerMiddle, (0.5, 1.0)),
    (SeriesLabelPosition::MiddleRight, (1.0, 0.5)),
    (SeriesLabelPosition::MiddleLeft, (0.0, 0.5)),
];
const FONT: &str = "DejaVu Sans, Verdana, sans-serif";
const INK: RGBColor = RGBColor(29, 36, 51);
const FAINT: RGBColor = RGBColor(106, 114, 134);
const GRID: RGBColor = RGBColor(222, 226, 236);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), String>;

/// Charts beside each other.
///
/// # Errors
/// When one cannot be drawn.
pub fn draw(charts: &[Chart]) -> Result<String, String> {
    Sheet { charts: charts.to_vec(), ..Sheet::default() }.draw()
}

impl Sheet {
    /// The sheet in SVG.
    ///
    /// # Errors
    /// When it cannot be drawn.
    pub fn draw(&self) -> Result<String, String> {
        let legend = if self.common_legend { self.legend() } else { Vec::new() };
        let aside = legend.iter().map(|series| width(&series.name, 13) + 60).max().unwrap_or(0);
        // As many beside each other as a page is wide.
        let columns = if self.charts.len() > 3 { 2 } else { self.charts.len() };
        let rows = self.charts.len().div_ceil(columns.max(1));
        let across = SIZE.0 * columns as u32;
        let wide = across + aside;
        let footer: Vec<String> = self.footer.iter().flat_map(|line| wrapped(line, wide - 40, 11)).collect();
        let below = if footer.is_empty() { 0 } else { u32::from(FOOTER_LINE) * footer.len() as u32 + 14 };
        let high = (SIZE.1 * rows as u32).max(u32::from(LINE) * legend.len() as u32 + 90);
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (wide, high + below)).into_drawing_area();
            root.fill(&WHITE).map_err(told)?;
            let (top, foot) = root.split_vertically(high);
            let (left, right) = top.split_horizontally(across);
            for (chart, area) in self.charts.iter().zip(left.split_evenly((rows, columns))) {
                chart.draw(&area, !self.common_legend)?;
            }
            for (at, series) in (0..).zip(&legend) {
                let y = 58 + at * i32::from(LINE);
                series.key(&right, (4, y))?;
                right.draw(&Text::new(series.name.clone(), (36, y - 6), text(13, INK))).map_err(told)?;
            }
            for (at, line) in (0..).zip(footer) {
                let at = (20, 2 + at * i32::from(FOOTER_LINE));
                foot.draw(&Text::new(line, at, text(11, FAINT))).map_err(told)?;
            }
            root.present().map_err(told)?;
        }
        Ok(svg)
    }

    /// The first series of each name.
    fn legend(&self) -> Vec<&Series> {
        let mut legend: Vec<&Series> = Vec::new();
        for series in self.charts.iter().flat_map(|chart| &chart.series) {
            if !series.name.is_empty() && !legend.iter().any(|other| other.name == series.name) {
                legend.push(series);
            }
        }
        legend
    }
}

impl Chart {
    fn ranges(&self) -> (Range<f64>, Range<f64>) {
        let points = || self.series.iter().flat_map(|series| series.points.iter().copied());
        (self.x.range(points().map(|p| p.0)), self.y.range(points().map(|p| p.1)))
    }

    /// Where a legend of this share of the panel hides least of points and lines. `place` says
    /// where a point is in it, from the upper left corner.
    fn legend_place(&self, place: impl Fn((f64, f64)) -> (f64, f64), (wide, high): (f64, f64)) -> SeriesLabelPosition {
        let mut drawn: Vec<(f64, f64)> = Vec::new();
        for series in &self.series {
            let places: Vec<(f64, f64)> = series.points.iter().map(|&point| place(point)).collect();
            if matches!(series.look, Look::Line | Look::Dashes) {
                let along = |(a, b): (f64, f64), part: f64| a + (b - a) * part;
                let between = |pair: &[(f64, f64)]| {
                    let (x, y) = ((pair[0].0, pair[1].0), (pair[0].1, pair[1].1));
                    (1..20).map(move |n| (along(x, f64::from(n) / 20.0), along(y, f64::from(n) / 20.0)))
                };
                drawn.extend(places.windows(2).flat_map(between));
            }
            drawn.extend(places);
        }
        let hidden = |(right, down): (f64, f64)| {
            let (left, top) = (right * (1.0 - wide), down * (1.0 - high));
            drawn.iter().filter(|at| (left..=left + wide).contains(&at.0) && (top..=top + high).contains(&at.1)).count()
        };
        // Of equals `min_by_key` takes the first.
        let best = LEGEND_PLACES.into_iter().min_by_key(|(_, at)| hidden(*at));
        best.map_or(SeriesLabelPosition::UpperLeft, |(place, _)| place)
    }

    fn draw(&self, area: &Area, legend: bool) -> Drawn {
        let (x, y) = self.ranges();
        let log = |range: Range<f64>, base| {
            let ticks = Axis::log_ticks(base, &range);
            range.log_scale().base(base).with_key_points(ticks)
        };
        match (self.x.log, self.y.log) {
            (None, None) => panel(area, self, x, y, legend),
            (Some(base), None) => panel(area, self, log(x, base), y, legend),
            (None, Some(base)) => panel(area, self, x, log(y, base), legend),
            (Some(a), Some(b)) => panel(area, self, log(x, a), log(y, b), legend),
        }
    }
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn text(size: u32, colour: RGBColor) -> TextStyle<'static> {
    (FONT, size).into_font().color(&colour)
}

/// About as wide as a text is drawn.
#[allow(clippy::cast_sign_loss)] // A length.
fn width(text: &str, size: u32) -> u32 {
    (super::canvas::length(text, f64::from(size))).ceil() as u32
}

/// A text in lines that are no wider, broken between words.
fn wrapped(text: &str, most: u32, size: u32) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or("", String::as_str);
        if !line.is_empty() && width(line, size) + width(word, size) > most {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            *line += if line.is_empty() { "" } else { " " };
            *line += word;
        }
    }
    lines
}

fn panel<X, Y>(area: &Area, chart: &Chart, x: X, y: Y, legend: bool) -> Drawn
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: ValueFormatter<f64>,
{
    let mut context = ChartBuilder::on(area)
        .caption(&chart.title, (FONT, 17).into_font().style(FontStyle::Bold).color(&INK))
        .margin(14)
        .margin_right(22)
        .x_label_area_size(48)
        .y_label_area_size(68)
        .build_cartesian_2d(x, y)
        .map_err(told)?;
    let labels = |axis: &Axis| if axis.names.is_empty() { 11 } else { axis.names.len() * 2 + 1 };
    let mut mesh = context.configure_mesh();
    if !chart.x.names.is_empty() {
        mesh.disable_x_mesh();
    }
    mesh.bold_line_style(GRID)
        .light_line_style(WHITE)
        .axis_style(INK)
        .x_desc(&chart.x.label)
        .y_desc(&chart.y.label)
        .x_labels(labels(&chart.x))
        .y_labels(labels(&chart.y))
        .axis_desc_style(text(15, INK))
        .label_style(text(13, INK))
        .x_label_formatter(&|&value| chart.x.tick(value))
        .y_label_formatter(&|&value| chart.y.tick(value))
        .draw()
        .map_err(told)?;
    // Lines behind, and first in the legend.
    let mut series: Vec<&Series> = chart.series.iter().collect();
    series.sort_by_key(|series| series.look.depth());
    for series in series {
        let colour = series.rgb();
        let points = || series.points.iter().copied();
        let pairs = || series.points.chunks_exact(2).map(|pair| (pair[0], pair[1]));
        let drawn = match series.look {
            Look::Line => context.draw_series(LineSeries::new(points(), colour.stroke_width(2))),
            Look::Dashes => context.draw_series(DashedLineSeries::new(points(), 7, 4, colour.stroke_width(2))),
            Look::Band => context.draw_series([Polygon::new(points().collect::<Vec<_>>(), colour.mix(0.16))]),
            Look::Boxes => context.draw_series(pairs().map(|(a, b)| Rectangle::new([a, b], colour.filled()))),
            Look::Whiskers => {
                context.draw_series(pairs().map(|(a, b)| PathElement::new([a, b], colour.stroke_width(1))))
            }
            Look::Marked(mark) => context.draw_series(points().map(|at| Placed { at, mark, colour })),
        };
        let drawn = drawn.map_err(told)?;
        if series.look == Look::Boxes {
            // Apart in black and white too.
            context.draw_series(pairs().map(|(a, b)| Rectangle::new([a, b], WHITE.stroke_width(1)))).map_err(told)?;
        } else if series.look == Look::Whiskers {
            let ends = pairs().flat_map(|(a, b)| {
                let mark = if a.0.total_cmp(&b.0).is_eq() { Mark::Level } else { Mark::Upright };
                [a, b].map(|at| Placed { at, mark, colour })
            });
            context.draw_series(ends).map_err(told)?;
        } else if legend && !series.name.is_empty() {
            let mark = if let Look::Marked(mark) = series.look { mark } else { Mark::Stroke };
            drawn.label(&series.name).legend(move |(x, y)| Placed { at: (x + 11, y), mark, colour });
        }
    }
    let notes =
        chart.notes.iter().map(|(at, note)| EmptyElement::at(*at) + Text::new(note.clone(), (8, 5), text(11, INK)));
    context.draw_series(notes).map_err(told)?;
    if !legend {
        return Ok(());
    }
    let (wide, high) = context.plotting_area().dim_in_pixel();
    let (left, top) = context.plotting_area().get_base_pixel();
    let names = chart.series.iter().filter(|series| !series.name.is_empty()).map(|series| width(&series.name, 13));
    let share = (
        f64::from(names.clone().max().unwrap_or(0) + 54) / f64::from(wide),
        f64::from(names.count() as u32 * 17 + 34) / f64::from(high),
    );
    let place = |point: (f64, f64)| {
        let (x, y) = context.backend_coord(&point);
        (f64::from(x - left) / f64::from(wide), f64::from(y - top) / f64::from(high))
    };
    let legend_place = chart.legend_place(place, share);
    context
        .configure_series_labels()
        .position(legend_place)
        .legend_area_size(30)
        .margin(12)
        .background_style(WHITE.mix(0.85))
        .border_style(GRID)
        .label_font(text(13, INK))
        .draw()
        .map_err(told)
}

impl Look {
    /// What lies further behind is drawn first.
    fn depth(self) -> u8 {
        match self {
            Self::Band | Self::Boxes => 0,
            Self::Line | Self::Dashes => 1,
            Self::Marked(Mark::Ring) => 2,
            Self::Whiskers => 3,
            Self::Marked(_) => 4,
        }
    }
}

impl Series {
    fn rgb(&self) -> RGBColor {
        rgb(COLOURS[self.colour % COLOURS.len()])
    }

    /// Its key in a legend, from a point to the right.
    fn key(&self, area: &Area, (x, y): (i32, i32)) -> Drawn {
        let colour = self.rgb();
        let middle = |mark| Placed { at: (x + 13, y), mark, colour };
        match self.look {
            Look::Line | Look::Whiskers => area.draw(&middle(Mark::Stroke)),
            Look::Dashes => {
                for from in [x, x + 10, x + 20] {
                    area.draw(&PathElement::new([(from, y), (from + 6, y)], colour.stroke_width(2))).map_err(told)?;
                }
                Ok(())
            }
            Look::Band => area.draw(&Rectangle::new([(x, y - 6), (x + 26, y + 6)], colour.mix(0.16).filled())),
            Look::Boxes => area.draw(&Rectangle::new([(x, y - 6), (x + 26, y + 6)], colour.filled())),
            Look::Marked(mark) => area.draw(&middle(mark)),
        }
        .map_err(told)
    }
}

/// A number as a label.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{}M", (v / 1e5).round() / 10.0),
        v if v >= 1e5 => format!("{}k", (v / 1e2).round() / 10.0),
        v if v.abs() < 0.1 => format!("{v:.1e}").parse().unwrap_or(v).to_string(),
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
            x: Axis { log: x, ..Axis::linear("bytes") },
            y: Axis { log: y, ..Axis::linear("cycles") },
            series,
            notes: Vec::new(),
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
    fn logarithmic_axes_have_ticks_that_have_room() {
        let ticks = |base, range: Range<f64>| Axis::log_ticks(base, &range).into_iter().map(short).collect::<Vec<_>>();
        assert_eq!(ticks(10.0, 0.8..2000.0), ["1", "10", "100", "1000"]);
        assert_eq!(ticks(10.0, 120.0..2500.0), ["200", "500", "1000", "2000"]);
        assert_eq!(ticks(10.0, 95.0..700.0), ["100", "200", "300", "400", "500", "600", "700"].map(str::to_owned));
        assert_eq!(ticks(10.0, 1.35..1.95), ["1.4", "1.5", "1.6", "1.7", "1.8", "1.9"]);
        assert_eq!(ticks(2.0, 7.0..70.0), ["8", "16", "32", "64"]);
        assert_eq!(ticks(2.0, 1.0..1e6).len(), 10, "every second of 20");
        assert_eq!(ticks(2.0, 60.0..140.0), ["60", "80", "100", "120", "140"]);
    }

    #[test]
    fn the_legend_stands_where_it_hides_least() {
        let corner = |look, points: &[(f64, f64)]| {
            let mut chart = chart(None, None);
            chart.series.truncate(1);
            (chart.series[0].points, chart.series[0].look) = (points.to_vec(), look);
            LEGEND_PLACES.iter().position(|(at, _)| {
                std::mem::discriminant(at) == std::mem::discriminant(&chart.legend_place(|point| point, (0.3, 0.3)))
            })
        };
        assert_eq!(corner(Look::Marks, &[(0.9, 0.1)]), Some(0));
        assert_eq!(corner(Look::Marks, &[(0.1, 0.1), (0.1, 0.9)]), Some(1));
        // A line through both upper corners hides none of its ends, and stands in the way.
        assert_eq!(corner(Look::Line, &[(-0.1, 0.1), (1.1, 0.1)]), Some(2));
        assert_eq!(corner(Look::Marks, &[(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)]), Some(4));
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(
            [0.0, 0.0051, 0.5, 100.0, 65536.0, 250_000.0, 2.5e6].map(short),
            ["0", "0.0051", "0.5", "100", "65536", "250k", "2.5M"]
        );
    }
}
