//! One chart: its panel drawn with axes, series, labels and legend.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::{Axis, TextExtent, share};
use super::place;
use super::series::{Look, Series};
use super::style::{Area, Drawn, FAINT, FONT, GRID, INK, cut, fitting, text, told, width};
use crate::report::mark::{Mark, Placed};

/// Size of a chart in pixels, without upright names.
pub(super) const SIZE: (u32, u32) = (620, 440);
/// Blank space around the panel.
const MARGIN: i32 = 14;
const MARGIN_RIGHT: i32 = 22;
/// Width beside the panel.
const BESIDE: u32 = 104;
/// Height above and below the panel.
const ABOVE_AND_BELOW: u32 = 100;
/// Font sizes of the title, the texts of axes, the labels of ticks, and the texts beside points.
const TITLE: u32 = 17;
const DESCRIPTION: u32 = 15;
const LABEL: u32 = 13;
const NOTE: u32 = 11;
/// Longest upright name in pixels. Longer names are cut.
const LONGEST: u32 = 300;

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Title above the chart.
    pub title: String,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// Series that are drawn.
    pub series: Vec<Series>,
    /// Texts beside points.
    pub notes: Vec<((f64, f64), String)>,
}

impl Chart {
    /// Ranges of the axes, to the right and upwards.
    pub(crate) fn ranges(&self) -> (Range<f64>, Range<f64>) {
        let all = self.series.iter();
        let with_y = all.clone().filter(|series| series.look != Look::Verticals);
        let across = all.flat_map(|series| series.points.iter().map(|p| p.0));
        (self.x.range(across), self.y.range(with_y.flat_map(|series| series.points.iter().map(|p| p.1))))
    }

    /// The points of a series; of verticals both ends of each.
    fn points(&self, series: &Series) -> Vec<(f64, f64)> {
        let Range { start, end } = self.ranges().1;
        match series.look {
            Look::Verticals => series.points.iter().flat_map(|&(x, _)| [(x, start), (x, end)]).collect(),
            _ => series.points.clone(),
        }
    }

    /// The drawn points, mapped by `place`, with points along lines.
    fn drawn(&self, place: impl Fn((f64, f64)) -> (f64, f64)) -> Vec<(f64, f64)> {
        let mut drawn: Vec<(f64, f64)> = Vec::new();
        for series in &self.series {
            let places: Vec<(f64, f64)> = self.points(series).into_iter().map(&place).collect();
            let along = |(a, b): (f64, f64), part: f64| a + (b - a) * part;
            let between = |pair: &[(f64, f64)]| {
                let (x, y) = ((pair[0].0, pair[1].0), (pair[0].1, pair[1].1));
                (1..20).map(move |n| (along(x, f64::from(n) / 20.0), along(y, f64::from(n) / 20.0)))
            };
            match series.look {
                Look::Line | Look::Dashes | Look::Dots => drawn.extend(places.windows(2).flat_map(between)),
                Look::Verticals | Look::Whiskers => drawn.extend(places.chunks_exact(2).flat_map(between)),
                _ => {}
            }
            drawn.extend(places);
        }
        drawn
    }

    /// Extra height for upright names below the panel. Names are upright if they have no room
    /// beside each other.
    pub(super) fn upright(&self) -> Option<u32> {
        let longest = self.x.names.iter().map(|name| width(name, LABEL)).max()?;
        let is_crowded = (longest + 8) * self.x.names.len() as u32 > SIZE.0 - BESIDE;
        is_crowded.then(|| longest.min(LONGEST).saturating_sub(LABEL))
    }

    /// Upright names below the panel. `foot` gives the start of each name from its x.
    fn draw_upright(&self, area: &Area, foot: impl Fn(f64) -> (i32, i32)) -> Drawn {
        let style = text(LABEL, INK).transform(FontTransform::Rotate90).pos(Pos::new(HPos::Left, VPos::Center));
        for (name, x) in self.x.names.iter().zip(0..) {
            area.draw(&Text::new(cut(name, LONGEST, LABEL), foot(f64::from(x)), style.clone())).map_err(told)?;
        }
        Ok(())
    }

    /// Texts beside points, on the ground of a panel. `at` gives the pixel of a point.
    fn draw_notes(&self, ground: &Area, at: impl Fn((f64, f64)) -> (i32, i32)) -> Drawn {
        let size = |note: &str| (width(note, NOTE).cast_signed(), NOTE.cast_signed());
        let label = |(point, note): &((f64, f64), String)| place::Label { at: at(*point), size: size(note) };
        let labels: Vec<place::Label> = self.notes.iter().map(label).collect();
        let drawn = self.drawn(|point| {
            let (x, y) = at(point);
            (f64::from(x), f64::from(y))
        });
        let (wide, high) = ground.dim_in_pixel();
        let marked = self.series.iter().filter(|series| matches!(series.look, Look::Marked(_)));
        let marks: Vec<(i32, i32)> = marked.flat_map(|series| series.points.iter().map(|point| at(*point))).collect();
        let placed = place::labels(&labels, &drawn, &marks, (wide.cast_signed(), high.cast_signed()));
        for ((_, note), placed) in self.notes.iter().zip(placed) {
            if let Some(leader) = placed.leader {
                ground.draw(&PathElement::new(leader, FAINT.stroke_width(1))).map_err(told)?;
            }
            // A note to the left of its point ends there, although its width is an estimate.
            let (style, at) = match placed.right {
                Some(right) => (text(NOTE, INK).pos(Pos::new(HPos::Right, VPos::Top)), (right, placed.corner.1)),
                None => (text(NOTE, INK), placed.corner),
            };
            ground.draw(&Text::new(note.clone(), at, style)).map_err(told)?;
        }
        Ok(())
    }

    pub(super) fn draw(&self, area: &Area, legend: bool) -> Drawn {
        let (x, y) = self.ranges();
        let ticks = self.ticks();
        let coordinate = |axis: &Axis, range, ticks: &Ticks| Coordinate {
            range,
            is_log: axis.log.is_some(),
            ticks: ticks.iter().map(|(value, _)| *value).collect(),
        };
        let (across, up) = (coordinate(&self.x, x, &ticks.0), coordinate(&self.y, y, &ticks.1));
        panel(area, self, across, up, &ticks, legend)
    }

    /// Position of the legend in a panel of this size, with points `at` these places.
    fn legend_place(&self, at: impl Fn((f64, f64)) -> (i32, i32), (wide, high): (u32, u32)) -> SeriesLabelPosition {
        let names = self.series.iter().filter(|series| !series.name.is_empty()).map(|series| width(&series.name, 13));
        let share = (
            f64::from(names.clone().max().unwrap_or(0) + 54) / f64::from(wide),
            f64::from(names.count() as u32 * 17 + 34) / f64::from(high),
        );
        let share_of = |point| {
            let (x, y) = at(point);
            (f64::from(x) / f64::from(wide), f64::from(y) / f64::from(high))
        };
        place::legend(&self.drawn(share_of), share)
    }

    /// Ticks to the right and upwards.
    fn ticks(&self) -> (Ticks, Ticks) {
        let (x, y) = self.ranges();
        let across = self.x.ticks(&x, SIZE.0 - BESIDE, TextExtent::Wide(LABEL));
        (across, self.y.ticks(&y, SIZE.1 - ABOVE_AND_BELOW, TextExtent::High(LABEL)))
    }
}

/// The box of a series in a legend.
fn key((x, y): (i32, i32), colour: RGBColor) -> Rectangle<(i32, i32)> {
    Rectangle::new([(x, y - 5), (x + 22, y + 5)], colour.filled())
}

/// Positions of the ticks of an axis, and their labels.
type Ticks = Vec<(f64, String)>;

/// A drawn axis: a range with its own ticks.
struct Coordinate {
    range: Range<f64>,
    is_log: bool,
    ticks: Vec<f64>,
}

impl Ranged for Coordinate {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    #[allow(clippy::cast_possible_truncation)] // Pixels.
    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let part = share(*value, &self.range, self.is_log);
        let long = f64::from(to - from);
        // The pixel that has the value, even if rounding made the share a little too small.
        if from < to { from + (part * long + 1e-3).floor() as i32 } else { from + (part * long - 1e-3).ceil() as i32 }
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

fn panel(area: &Area, chart: &Chart, x: Coordinate, y: Coordinate, ticks: &(Ticks, Ticks), legend: bool) -> Drawn {
    let upright = chart.upright();
    // Bold letters are wider.
    let (title, title_size) = fitting(&chart.title, SIZE.0 * 9 / 10, TITLE);
    let style = (FONT, title_size).into_font().style(FontStyle::Bold).color(&INK);
    let middle = (MARGIN + (SIZE.0.cast_signed() - MARGIN - MARGIN_RIGHT) / 2, 19);
    area.draw(&Text::new(title, middle, style.pos(Pos::new(HPos::Center, VPos::Top)))).map_err(told)?;
    // The distance below a short title equals that below a large one.
    let mut context = ChartBuilder::on(area)
        .margin(MARGIN)
        .margin_top(38)
        .margin_right(MARGIN_RIGHT)
        .x_label_area_size(48 + upright.unwrap_or(0))
        .y_label_area_size(68)
        .build_cartesian_2d(x, y)
        .map_err(told)?;
    let label = |ticks: &Ticks, value: f64| {
        ticks.iter().find(|(at, _)| at.total_cmp(&value).is_eq()).map(|(_, label)| label.clone()).unwrap_or_default()
    };
    let (x_text, x_size) = fitting(&chart.x.description(), SIZE.0 - BESIDE, DESCRIPTION);
    let (y_text, y_size) = fitting(&chart.y.description(), SIZE.1 - ABOVE_AND_BELOW, DESCRIPTION);
    let mut mesh = context.configure_mesh();
    if !chart.x.names.is_empty() {
        mesh.disable_x_mesh();
    }
    mesh.bold_line_style(GRID)
        .light_line_style(WHITE)
        .axis_style(INK)
        .x_desc(x_text)
        .y_desc(y_text)
        .axis_desc_style(text(x_size.min(y_size), INK))
        .label_style(text(LABEL, INK))
        .x_label_formatter(&|&value| if upright.is_some() { String::new() } else { label(&ticks.0, value) })
        .y_label_formatter(&|&value| label(&ticks.1, value))
        .draw()
        .map_err(told)?;
    // Lines are behind marks, and come first in the legend.
    let mut series: Vec<&Series> = chart.series.iter().collect();
    series.sort_by_key(|series| series.look.depth());
    for series in series {
        let colour = series.rgb();
        let all = chart.points(series);
        let points = || all.iter().copied();
        let pairs = || all.chunks_exact(2).map(|pair| (pair[0], pair[1]));
        let drawn = match series.look {
            Look::Line => context.draw_series(LineSeries::new(points(), colour.stroke_width(2))),
            Look::Dashes => context.draw_series(DashedLineSeries::new(points(), 7, 4, colour.stroke_width(2))),
            Look::Dots => context.draw_series(DashedLineSeries::new(points(), 2, 4, colour.stroke_width(2))),
            Look::Band => context.draw_series([Polygon::new(points().collect::<Vec<_>>(), colour.mix(0.16))]),
            Look::Boxes => context.draw_series(pairs().map(|(a, b)| Rectangle::new([a, b], colour.filled()))),
            Look::Whiskers => {
                context.draw_series(pairs().map(|(a, b)| PathElement::new([a, b], colour.stroke_width(1))))
            }
            Look::Verticals => {
                context.draw_series(pairs().map(|(a, b)| DashedPathElement::new([a, b], 3, 4, colour.stroke_width(2))))
            }
            Look::Marked(mark) => context.draw_series(points().map(|at| Placed { at, mark, colour })),
        };
        let drawn = drawn.map_err(told)?;
        if series.look == Look::Boxes {
            if legend && !series.name.is_empty() {
                drawn.label(&series.name).legend(move |at| key(at, colour));
            }
            // White frames separate the boxes. The boxes differ in black and white too.
            context.draw_series(pairs().map(|(a, b)| Rectangle::new([a, b], WHITE.stroke_width(1)))).map_err(told)?;
        } else if series.look == Look::Whiskers {
            let ends = pairs().flat_map(|(a, b)| {
                let mark = if a.0.total_cmp(&b.0).is_eq() { Mark::Level } else { Mark::Upright };
                [a, b].map(|at| Placed { at, mark, colour })
            });
            context.draw_series(ends).map_err(told)?;
        } else if legend && !series.name.is_empty() {
            let mark = match series.look {
                Look::Marked(mark) => mark,
                Look::Verticals => Mark::UprightDashes,
                _ => Mark::Stroke,
            };
            drawn.label(&series.name).legend(move |(x, y)| Placed { at: (x + 11, y), mark, colour });
        }
    }
    let panel = context.plotting_area();
    let ((wide, high), (left, top)) = (panel.dim_in_pixel(), panel.get_base_pixel());
    let at = |point: (f64, f64)| {
        let (x, y) = context.backend_coord(&point);
        (x - left, y - top)
    };
    if upright.is_some() {
        let (x0, y0) = area.get_base_pixel();
        chart.draw_upright(area, |x| (left - x0 + at((x, 0.0)).0, top - y0 + high.cast_signed() + 7))?;
    }
    chart.draw_notes(&panel.strip_coord_spec(), at)?;
    if !legend {
        return Ok(());
    }
    let legend_place = chart.legend_place(at, (wide, high));
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

#[cfg(test)]
mod tests {
    use super::super::draw;
    use super::*;

    fn chart(log: Option<f64>, look: Look, points: &[(f64, f64)]) -> Chart {
        let series = vec![Series { name: "a".to_owned(), points: points.to_vec(), look, colour: 0 }];
        let axis = || Axis { log, ..Axis::default() };
        Chart { title: String::new(), x: axis(), y: axis(), series, notes: Vec::new() }
    }

    #[test]
    fn a_vertical_goes_from_bottom_to_top_and_moves_no_axis_upwards() {
        let mut with = chart(Some(10.0), Look::Line, &[(1.0, 3.0), (9000.0, 90.0)]);
        let without = with.ranges();
        let points = vec![(512.0, 0.0)];
        let vertical = Series { name: "the text".to_owned(), points, look: Look::Verticals, colour: 6 };
        assert_eq!(with.points(&vertical), [(512.0, without.1.start), (512.0, without.1.end)]);
        with.series.push(vertical);
        assert_eq!(with.ranges(), without);
        assert!(draw(&[with]).unwrap().contains("\nthe text\n"));
    }

    #[test]
    fn the_legend_stands_where_it_hides_least() {
        let corner = |look, points: &[(f64, f64)]| {
            let drawn = chart(None, look, points).drawn(|point| point);
            let found = std::mem::discriminant(&place::legend(&drawn, (0.3, 0.3)));
            place::LEGEND_PLACES.iter().position(|(at, _)| std::mem::discriminant(at) == found)
        };
        assert_eq!(corner(Look::Marks, &[(0.9, 0.1)]), Some(0));
        assert_eq!(corner(Look::Marks, &[(0.1, 0.1), (0.1, 0.9)]), Some(1));
        // A line through both upper corners hides none of its ends, but it is in the way.
        assert_eq!(corner(Look::Line, &[(-0.1, 0.1), (1.1, 0.1)]), Some(2));
        assert_eq!(corner(Look::Marks, &[(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)]), Some(4));
    }
}
