//! Traffic matrices in CSV: a weight for each pair of nodes.
//!
//! ```csv
//! source,destination,weight
//! 0,3,2.5
//! 1,3,1
//! ```
//!
//! A pair that is not listed has no traffic. Lines that begin with `#` are comments. Fields are not
//! quoted.

use std::collections::HashSet;
use std::sync::Arc;

use csv::{ReaderBuilder, StringRecord, Trim};
use serde::{Deserialize, Serialize};

use crate::input::Place;
use crate::input::csv_lines::CsvLines;
use crate::quote::excerpt;
use crate::spelling::nearest;

/// Columns of a matrix, in order.
const COLUMNS: [&str; 3] = ["source", "destination", "weight"];

/// The text of a matrix. Copies of an experiment share it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct MatrixText(Arc<str>);

impl From<String> for MatrixText {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<MatrixText> for String {
    fn from(text: MatrixText) -> Self {
        text.0.as_ref().to_owned()
    }
}

/// The weights of all pairs, by source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    /// For each source, its destinations with the sums of the weights up to each.
    rows: Vec<Vec<(u32, f64)>>,
    total: f64,
}

/// Reason why a text is no matrix, with its place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MatrixFault {
    line: u64,
    /// Name of the field, and its column, from 1 in characters.
    field: Option<(&'static str, usize)>,
    why: String,
}

impl MatrixFault {
    /// The fault with its line and column, in a file or text of this name.
    pub(crate) fn within(&self, file: &str) -> String {
        let place = Place::Csv { file: file.to_owned(), line: self.line, field: self.field };
        format!("{place}: {}", self.why)
    }
}

impl Matrix {
    /// Reads a matrix for a network of `nodes` nodes.
    ///
    /// # Errors
    /// The first fault of the text.
    pub(crate) fn parse(text: &MatrixText, nodes: u32) -> Result<Self, MatrixFault> {
        let mut csv = ReaderBuilder::new()
            .trim(Trim::Headers)
            .quoting(false)
            .flexible(true)
            .from_reader(CsvLines::new(text.0.as_bytes()));
        // The text is valid UTF-8 in memory, so that it can be read.
        let fault = |line, field, why: String| MatrixFault { line, field, why };
        let header = csv.headers().map_err(|error| fault(1, None, error.to_string()))?.clone();
        if header != COLUMNS[..] {
            let found =
                if header.is_empty() { "nothing".to_owned() } else { excerpt(&Vec::from_iter(&header).join(",")) };
            let line = csv.get_ref().line().max(1);
            let near = misspelt(&header).unwrap_or_default();
            let why = format!("expected the header line {}, found {found}{near}", COLUMNS.join(","));
            return Err(fault(line, None, why));
        }
        let (mut rows, mut seen, mut record) = (vec![Vec::new(); nodes as usize], HashSet::new(), StringRecord::new());
        let mut total = 0.0;
        loop {
            let (is_read, line) = (csv.read_record(&mut record), csv.get_ref().line());
            if !is_read.map_err(|error| fault(line, None, error.to_string()))? {
                break;
            }
            let fields: Vec<_> = record.iter().map(str::trim).collect();
            let [source, destination, weight] = fields[..] else {
                let why = format!("{} fields; expected {}: {}", fields.len(), COLUMNS.len(), COLUMNS.join(","));
                return Err(fault(line, None, why));
            };
            let refuse = |field: usize, why| fault(line, Some((COLUMNS[field], column(&record, field))), why);
            let from = node(source, nodes).map_err(|why| refuse(0, why))?;
            let to = node(destination, nodes).map_err(|why| refuse(1, why))?;
            let weight = weight_of(weight).map_err(|why| refuse(2, why))?;
            if from == to && weight > 0.0 {
                return Err(refuse(1, format!("node {to} is the source too; allowed: other nodes, or a weight of 0")));
            }
            if !seen.insert((from, to)) {
                return Err(refuse(
                    1,
                    format!("a second weight from node {from} to node {to}; each pair is allowed once"),
                ));
            }
            if weight > 0.0 {
                let row: &mut Vec<(u32, f64)> = &mut rows[from as usize];
                let before = row.last().map_or(0.0, |&(_, sum)| sum);
                row.push((to, before + weight));
                total += weight;
            }
        }
        if total > 0.0 && total < f64::INFINITY {
            return Ok(Self { rows, total });
        }
        let why = if total > 0.0 {
            "the sum of the weights is infinite; allowed: smaller weights"
        } else {
            "no weight above 0; at least one is needed"
        };
        Err(fault(csv.get_ref().line(), None, why.to_owned()))
    }

    /// The load of a node, as a multiple of the mean load of all nodes.
    pub(crate) fn share(&self, node: u32) -> f64 {
        let sum = self.rows[node as usize].last().map_or(0.0, |&(_, sum)| sum);
        sum / self.total * self.rows.len() as f64
    }

    /// The destinations of `source`. The list may have destinations whose weight is 0.
    pub(crate) fn destinations(&self, source: u32) -> impl Iterator<Item = u32> {
        self.rows[source as usize].iter().map(|&(node, _)| node)
    }

    /// The destination of a message of `source`, for a number above 0 and up to 1. The source must
    /// have a share.
    pub(crate) fn destination(&self, source: u32, unit: f64) -> u32 {
        let row = &self.rows[source as usize];
        let wanted = unit * row.last().map_or(0.0, |&(_, sum)| sum);
        let at = row.partition_point(|&(_, sum)| sum < wanted);
        row[at.min(row.len() - 1)].0
    }
}

/// The column at which a field begins, from 1 in characters. Fields are not quoted, so the fields
/// and the commas between them are the line.
fn column(record: &StringRecord, field: usize) -> usize {
    let before: usize = record.iter().take(field).map(|text| text.chars().count() + 1).sum();
    let blank = record.get(field).map_or(0, |text| text.chars().take_while(|c| c.is_whitespace()).count());
    before + blank + 1
}

/// The name that a misspelt column of the header means.
fn misspelt(header: &StringRecord) -> Option<String> {
    let wrong = header.iter().find(|name| !COLUMNS.contains(name))?;
    let meant = nearest(wrong, &COLUMNS)?;
    Some(format!("; did you mean \"{meant}\" in place of \"{}\"?", excerpt(wrong)))
}

fn node(field: &str, nodes: u32) -> Result<u32, String> {
    let node: u32 = field
        .parse()
        .map_err(|_| format!("expected a node from 0 to {}, found \"{}\"", nodes.saturating_sub(1), excerpt(field)))?;
    if node < nodes {
        return Ok(node);
    }
    Err(format!("node {node} is outside the network; allowed: 0 to {} ({nodes} nodes)", nodes.saturating_sub(1)))
}

fn weight_of(field: &str) -> Result<f64, String> {
    let weight = field.parse().ok().filter(|weight: &f64| *weight >= 0.0 && weight.is_finite());
    weight.ok_or_else(|| format!("expected a number of at least 0, found \"{}\"", excerpt(field)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "source,destination,weight\n";

    fn parse(lines: &str) -> Result<Matrix, String> {
        let text = MatrixText::from(format!("{HEADER}{lines}"));
        Matrix::parse(&text, 4).map_err(|fault| fault.within("m.csv"))
    }

    #[test]
    fn loads_and_destinations_follow_the_weights() {
        let matrix = parse("# rates\n0,1,1\n\n0,3,3.0\n 2 , 0 , 4e0\n1,1,0\n").unwrap();
        for (node, share) in [(0, 2.0), (1, 0.0), (2, 2.0), (3, 0.0)] {
            assert!((matrix.share(node) - share).abs() < 1e-12, "{node}");
        }
        let to = |unit| matrix.destination(0, unit);
        assert_eq!([1e-9, 0.25, 0.2501, 1.0].map(to), [1, 1, 3, 3]);
        assert_eq!(matrix.destination(2, 0.5), 0);
    }

    #[test]
    fn the_matrix_in_the_documentation_is_one() {
        let page = include_str!("../../docs/reference/workloads.md");
        let text = page.split("```csv\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let matrix = Matrix::parse(&MatrixText::from(text.to_owned()), 8).unwrap();
        let near = |value: f64, expected: f64| (value - expected).abs() < 1e-12;
        assert!(near(matrix.share(0), 8.0 * 4.0 / 6.0) && near(matrix.share(7), 8.0 * 2.0 / 6.0));
        assert_eq!([0.75, 0.76].map(|unit| matrix.destination(0, unit)), [3, 4]);
    }

    #[test]
    fn a_line_that_is_no_weight_is_refused_with_line_and_column() {
        for (lines, why) in [
            ("0,1", "m.csv:2: 2 fields; expected 3: source,destination,weight"),
            ("0,1,1\nx,1,1", "m.csv:3:1: source: expected a node from 0 to 3, found \"x\""),
            ("0,  4,1", "m.csv:2:5: destination: node 4 is outside the network; allowed: 0 to 3 (4 nodes)"),
            ("0,1,-2", "m.csv:2:5: weight: expected a number of at least 0, found \"-2\""),
            ("# rates\n\n0,1,1\r\n0,x,1", "m.csv:5:3: destination: expected a node from 0 to 3, found \"x\""),
            (" 0 , 1 , NaN", "m.csv:2:10: weight: expected a number of at least 0, found \"NaN\""),
            ("2,2,1", "m.csv:2:3: destination: node 2 is the source too; allowed: other nodes, or a weight of 0"),
            (
                "0,1,1\n0,1,2",
                "m.csv:3:3: destination: a second weight from node 0 to node 1; each pair is allowed once",
            ),
            ("0,1,0\n", "m.csv:2: no weight above 0; at least one is needed"),
            ("0,1,1e308\n0,2,1e308\n", "m.csv:3: the sum of the weights is infinite; allowed: smaller weights"),
        ] {
            assert_eq!(parse(lines).unwrap_err(), why, "{lines}");
        }
        let header = |text: &str| Matrix::parse(&MatrixText::from(text.to_owned()), 4).unwrap_err().within("m.csv");
        let expected = "m.csv:1: expected the header line source,destination,weight, found";
        assert_eq!(header("0,1,1\n"), format!("{expected} 0,1,1"));
        assert_eq!(
            header("source,destinaton,weight\n0,1,1\n"),
            format!("{expected} source,destinaton,weight; did you mean \"destination\" in place of \"destinaton\"?")
        );
    }
}
