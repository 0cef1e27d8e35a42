//! The points of a figure's curves, as a small table that is kept.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::ReproduceError;
use crate::quote;

/// Part of a figure that was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Fewer points and repetitions.
    Quick,
    /// All points of the figure.
    Full,
}

impl Extent {
    /// In a word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Value to the right.
    pub x: f64,
    /// Value upwards, mean over the repetitions.
    pub y: f64,
    /// Half the width of the point's 95 % interval, if the point was repeated.
    pub half_width: Option<f64>,
    /// Whether all runs of the point ended normally. Otherwise a run was saturated or deadlocked.
    pub is_done: bool,
}

/// A curve of a model: its name and its points, ascending in x.
pub type Series = (String, Vec<(f64, f64)>);

/// Curves of a model.
pub(super) type Curves = Vec<Series>;

/// A curve's points, ascending in x.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveData {
    /// The key of its panel.
    pub chart: String,
    /// Name of the curve.
    pub curve: String,
    /// The points.
    pub points: Vec<Point>,
}

/// Results of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// Part of the figure that was run.
    pub extent: Extent,
    /// Curves of the figure.
    pub curves: Vec<CurveData>,
}

/// Columns of the table.
const HEADER: [&str; 6] = ["chart", "curve", "x", "y", "half_width", "outcome"];

impl Data {
    /// The points of the curve with this name, as claims name it.
    #[must_use]
    pub fn curve(&self, name: &str) -> Option<&[Point]> {
        let found = self.curves.iter().find(|points| named(&points.chart, &points.curve) == name)?;
        (!found.points.is_empty()).then_some(&found.points)
    }

    /// The table as CSV. Its first line names the extent and the version.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = format!("# {}, wormscope {}\n", self.extent.word(), env!("CARGO_PKG_VERSION"));
        let mut writer = csv::Writer::from_writer(Vec::new());
        let number = |value: f64| value.to_string();
        let rows = self.curves.iter().flat_map(|of| {
            of.points.iter().map(|point| {
                let half_width = point.half_width.map(number).unwrap_or_default();
                let outcome = if point.is_done { "done" } else { "saturated" };
                [of.chart.clone(), of.curve.clone(), number(point.x), number(point.y), half_width, outcome.to_owned()]
            })
        });
        for row in std::iter::once(HEADER.map(str::to_owned)).chain(rows) {
            // A vector takes all.
            let _ = writer.write_record(&row);
        }
        let _ = write!(text, "{}", String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()));
        text
    }

    /// Extent of the table in a file of any version.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn extent_of(path: &Path) -> Result<Extent, ReproduceError> {
        let text = fs::read_to_string(path).map_err(ReproduceError::file(path, "cannot be read"))?;
        Ok(header(path, &text)?.0)
    }

    /// Reads the table in a file; see [`Shelved::table`](super::Shelved::table).
    pub(super) fn read(path: &Path) -> Result<Self, ReproduceError> {
        Self::from_csv(path, &fs::read_to_string(path).map_err(ReproduceError::file(path, "cannot be read"))?)
    }

    /// Reads a table.
    ///
    /// # Errors
    /// Where it is none, or of another version.
    pub fn from_csv(path: &Path, text: &str) -> Result<Self, ReproduceError> {
        let refuse = |line, why: String| refused(path, line, &why);
        let (extent, version) = header(path, text)?;
        if version != env!("CARGO_PKG_VERSION") {
            let (theirs, mine) = (quote::excerpt(version), env!("CARGO_PKG_VERSION"));
            let why =
                format!("is of wormscope {theirs}, this is {mine}; publish the figure again, or remove this table");
            return Err(refuse(1, why));
        }
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let mut curves: Vec<CurveData> = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| {
                refuse(error.position().map_or(1, csv::Position::line), "the row is no row of the table".to_owned())
            })?;
            let line = record.position().map_or(1, csv::Position::line);
            let number = |column: usize| {
                let cell = record.get(column).unwrap_or_default();
                let wrong =
                    || refuse(line, format!("{} is \"{}\"; allowed: a number", HEADER[column], quote::excerpt(cell)));
                cell.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(wrong)
            };
            let cell = |column: usize| record.get(column).unwrap_or_default().to_owned();
            let half_width = if cell(4).is_empty() { None } else { Some(number(4)?) };
            let point = Point { x: number(2)?, y: number(3)?, half_width, is_done: cell(5) == "done" };
            let (chart, curve) = (cell(0), cell(1));
            match curves.last_mut().filter(|of| of.chart == chart && of.curve == curve) {
                Some(of) => of.points.push(point),
                None => curves.push(CurveData { chart, curve, points: vec![point] }),
            }
        }
        Ok(Self { extent, curves })
    }
}

/// Extent and version of a table, as its first line has them.
fn header<'a>(path: &Path, text: &'a str) -> Result<(Extent, &'a str), ReproduceError> {
    let (first, _) = text.split_once('\n').unwrap_or((text, ""));
    let said = first.strip_prefix("# ").and_then(|said| said.split_once(", wormscope "));
    match said {
        Some(("quick", version)) => Ok((Extent::Quick, version)),
        Some(("full", version)) => Ok((Extent::Full, version)),
        Some((other, _)) => {
            Err(refused(path, 1, &format!("extent is \"{}\"; allowed: quick, full", quote::excerpt(other))))
        }
        None => Err(refused(path, 1, "this is no table of a figure; its first line names extent and version")),
    }
}

fn refused(path: &Path, line: u64, why: &str) -> ReproduceError {
    ReproduceError::Asked(format!("{}:{line}: {why}", quote::name(path)))
}

/// Name of a curve in claims and data: `a/ATBM`.
pub(super) fn named(key: &str, curve: &str) -> String {
    if key.is_empty() { curve.to_owned() } else { format!("{key}/{curve}") }
}
