//! Charts in SVG: results of a formula as lines, and simulated or printed values as marks. Values
//! of sweeps have intervals as well.

mod axis;
#[cfg(test)]
pub(crate) mod measure;
mod panel;
mod place;
mod series;
mod style;

use plotters::prelude::*;

use panel::SIZE;
use style::{FAINT, INK, text, told, width};

pub use axis::Axis;
pub use panel::Chart;
pub use series::{Look, Series};

/// Charts on a common ground, with notes below all charts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// The charts, from the left; more than three in rows of two.
    pub charts: Vec<Chart>,
    /// Whether one legend is to the right of all charts, and not one in each chart.
    pub common_legend: bool,
    /// Whether a common legend has a part beside each row, for the charts of the row.
    pub row_legends: bool,
    /// Charts in a row. If absent, the number of charts decides.
    pub in_row: Option<usize>,
    /// Lines to the right, below the common legend.
    pub listing: Vec<String>,
    /// Lines below.
    pub footer: Vec<String>,
}

/// Height of an entry of the common legend, and of a line of the footer.
const LINE: u16 = 20;
const FOOTER_LINE: u16 = 15;
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
        // Three charts fill the width of a page.
        let columns = self.in_row.unwrap_or(if self.charts.len() > 3 { 2 } else { self.charts.len() });
        let rows = self.charts.len().div_ceil(columns.max(1));
        let in_legend = if self.row_legends { columns } else { self.charts.len() };
        let legends: Vec<Vec<&Series>> =
            if self.common_legend { self.charts.chunks(in_legend.max(1)).map(legend).collect() } else { Vec::new() };
        let entries = legends.iter().map(Vec::len).max().unwrap_or(0);
        let named = legends.iter().flatten().map(|series| width(&series.name, 13) + 60);
        let listed = self.listing.iter().map(|line| width(line, 11) + 28);
        let aside = named.chain(listed).max().unwrap_or(0);
        let across = SIZE.0 * columns as u32;
        let wide = across + aside;
        let footer: Vec<String> = self.footer.iter().flat_map(|line| wrapped(line, wide - 40, 11)).collect();
        let below = if footer.is_empty() { 0 } else { u32::from(FOOTER_LINE) * footer.len() as u32 + 14 };
        let upright = self.charts.iter().filter_map(Chart::upright).max().unwrap_or(0);
        let beside = u32::from(LINE) * entries as u32 + u32::from(FOOTER_LINE) * self.listing.len() as u32 + 90;
        let row_high = (SIZE.1 + upright).max(if self.row_legends { beside } else { 0 });
        let high = (row_high * rows as u32).max(beside);
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (wide, high + below)).into_drawing_area();
            root.fill(&WHITE).map_err(told)?;
            let (top, foot) = root.split_vertically(high);
            let (left, right) = top.split_horizontally(across);
            for (chart, area) in self.charts.iter().zip(left.split_evenly((rows, columns))) {
                chart.draw(&area, !self.common_legend)?;
            }
            let mut below_legend = 64;
            for (row, legend) in (0..).zip(&legends) {
                below_legend = 64 + row * row_high.cast_signed();
                for series in legend {
                    let y = below_legend - 6;
                    below_legend += i32::from(LINE);
                    series.key(&right, (4, y))?;
                    right.draw(&Text::new(series.name.clone(), (36, y - 6), text(13, INK))).map_err(told)?;
                }
            }
            for (at, line) in (0..).zip(&self.listing) {
                let at = (8, below_legend + at * i32::from(FOOTER_LINE));
                right.draw(&Text::new(line.clone(), at, text(11, INK))).map_err(told)?;
            }
            for (at, line) in (0..).zip(footer) {
                let at = (20, 2 + at * i32::from(FOOTER_LINE));
                foot.draw(&Text::new(line, at, text(11, FAINT))).map_err(told)?;
            }
            root.present().map_err(told)?;
        }
        Ok(svg)
    }
}

/// The first series of each name in some charts. Series that only explain a look come last.
fn legend(charts: &[Chart]) -> Vec<&Series> {
    let mut legend: Vec<&Series> = Vec::new();
    for series in charts.iter().flat_map(|chart| &chart.series) {
        if !series.name.is_empty() && !legend.iter().any(|other| other.name == series.name) {
            legend.push(series);
        }
    }
    legend.sort_by_key(|series| series.points.is_empty());
    legend
}

/// A text in lines that are no wider, broken between words.
fn wrapped(text: &str, most: u32, size: u32) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').flat_map(|word| pieces(word, most, size)) {
        let line = lines.last().map_or("", String::as_str);
        if !line.is_empty() && width(line, size) + width(&word, size) > most {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            *line += if line.is_empty() { "" } else { " " };
            *line += &word;
        }
    }
    lines
}

/// A word in pieces that fit into the width.
fn pieces(word: &str, most: u32, size: u32) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for letter in word.chars() {
        let is_full = |piece: &String| width(piece, size) + width(letter.encode_utf8(&mut [0; 4]), size) > most;
        if pieces.last().is_some_and(is_full) {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(letter);
        }
    }
    pieces
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
            let label = |text: &str, log: Option<f64>| log.map_or(text.to_owned(), |_| format!("{text}, log scale"));
            for text in ["a title", &label("bytes", x), &label("cycles", y), "formula", "run", "paper"] {
                assert_eq!(svg.matches(&format!("\n{text}\n")).count(), 2, "{text}");
            }
            // There are three of each kind and one in the legend, twice.
            assert_eq!(svg.matches("<circle").count(), 2 * (4 + 4));
        }
    }

    #[test]
    fn no_text_hides_another_or_leaves_the_picture() {
        let wordy = "latency_last_mean.multidestination (cycles of the clock of a switch); less is better";
        let of = |x: Axis, y: Axis, points: &[(f64, f64)]| {
            let points = points.to_vec();
            let series = vec![Series { name: "a run".to_owned(), points, look: Look::Line, colour: 0 }];
            Chart { title: format!("{wordy} against virtual_channels"), x, y, series, notes: Vec::new() }
        };
        let names = |count: usize, name: &str| Axis::named(wordy, (0..count).map(|n| format!("{n} {name}")).collect());
        let (linear, log) = (|| Axis::linear(wordy), |base| Axis::log(wordy, base));
        let spanned = |low, high| Axis { span: Some((low, high)), ..linear() };
        for (what, chart) in [
            ("powers", of(log(2.0), log(10.0), &[(1.0, 0.01), (32768.0, 1e6)])),
            ("few powers", of(log(10.0), log(10.0), &[(30000.0, 95.0), (95000.0, 700.0)])),
            ("digits", of(spanned(1.41e6, 1.46e6), spanned(21.93, 21.951), &[(1.42e6, 21.94)])),
            ("small", of(spanned(0.0, 1e-7), spanned(0.0, 1e-7), &[(1e-8, 1e-8)])),
            ("few names", of(names(3, "a"), linear(), &[(0.0, 1.0), (2.0, 3.0)])),
            ("long names", of(names(24, "mesh(radices:[16,16]) / 16 / (hop_cycles: 1)"), linear(), &[(0.0, 1e7)])),
        ] {
            measure::assert_readable(&draw(std::slice::from_ref(&chart)).unwrap(), what);
            let footer = vec![format!("wormscope sweep --vary load={}", "0.0125,".repeat(80))];
            let sheet = Sheet {
                charts: vec![chart.clone(), chart],
                common_legend: true,
                row_legends: false,
                in_row: None,
                footer,
                listing: vec![wordy.to_owned()],
            };
            measure::assert_readable(&sheet.draw().unwrap(), what);
        }
    }

    #[test]
    fn names_that_have_no_room_beside_each_other_stand_upright() {
        let named = |count: usize| {
            let names = (0..count).map(|n| format!("{n} / 4 / 0.02")).collect();
            Chart { x: Axis::named("depth / lanes / load", names), ..chart(None, None) }
        };
        let upright = |count| draw(&[named(count)]).unwrap().matches("rotate(90").count();
        assert_eq!((upright(3), upright(24)), (0, 24));
    }
}
