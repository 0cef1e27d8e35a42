//! Rows and columns of a sweep's table.

use serde::Serialize;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Whole numbers from 0.
    Integer,
    /// Numbers.
    Number,
    /// Text.
    Text,
    /// `true` or `false`.
    Boolean,
}

impl Kind {
    /// The kind that all of these RON values are of.
    #[must_use]
    pub fn of(values: &[String]) -> Self {
        let all = |is: fn(&str) -> bool| values.iter().all(|value| is(value));
        if all(|value| value.parse::<u64>().is_ok()) {
            Self::Integer
        } else if all(|value| value.parse::<f64>().is_ok_and(f64::is_finite)) {
            Self::Number
        } else if all(|value| matches!(value, "true" | "false")) {
            Self::Boolean
        } else {
            Self::Text
        }
    }
}

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Which run, point and base.
    Id,
    /// A varied or derived field.
    Axis,
    /// Seed of the run, and which of its point's.
    Seed,
    /// How it ended.
    Outcome,
    /// What it measured.
    Metric,
    /// What it was made from and by.
    Provenance,
}

/// A column, as `schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// What it is for.
    pub role: Role,
    /// Unit of its numbers.
    pub unit: Option<&'static str>,
    /// Of an axis, the path of its field.
    pub path: Option<String>,
    /// Whether it is an estimate.
    pub estimate: bool,
    /// What it says, in one line.
    pub doc: String,
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// The run does not have it.
    Empty,
    /// A whole number.
    Integer(u64),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
}

impl Cell {
    /// As `rows.csv` has it: numbers in the shortest form that reads back as the same.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Number(value) if value.is_finite() => value.to_string(),
            Self::Empty | Self::Number(_) => String::new(),
            Self::Text(text) => text.clone(),
        }
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

/// A line of CSV, its end included.
pub fn line<T: AsRef<[u8]>>(fields: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // A Vec takes all there is memory for.
    let _ = writer.write_record(fields);
    writer.into_inner().unwrap_or_default()
}

/// The fields of a line of CSV.
pub fn fields(line: &[u8]) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
    let mut record = csv::StringRecord::new();
    let _ = reader.read_record(&mut record);
    record.iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_all_values() {
        let of = |values: &[&str]| Kind::of(&values.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(of(&["2", "18446744073709551615"]), Kind::Integer);
        assert_eq!(of(&["2", "0.5"]), Kind::Number);
        assert_eq!(of(&["true", "false"]), Kind::Boolean);
        assert_eq!(of(&["2", "None"]), Kind::Text);
    }

    #[test]
    fn a_line_reads_back() {
        let cells = [Cell::Integer(3), Cell::Number(0.1), Cell::Empty, Cell::Text("a, \"b\"\nc".into())];
        let texts: Vec<String> = cells.iter().map(Cell::text).collect();
        let line = line(&texts);
        assert_eq!(line, b"3,0.1,,\"a, \"\"b\"\"\nc\"\n");
        assert_eq!(fields(&line), texts);
        assert_eq!(Cell::Number(f64::NAN).text(), "");
    }
}
