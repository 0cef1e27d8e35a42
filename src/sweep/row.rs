//! Rows of a sweep's table.

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value: the run does not have it.
    Empty,
    /// A whole number.
    Integer(u64),
    /// A number.
    Number(f64),
    /// Text.
    Text(String),
}

impl Cell {
    /// The text in `rows.csv`. Numbers have the shortest form that reads back as the same.
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
    // A write to a Vec does not fail.
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
    fn a_line_reads_back() {
        let cells = [Cell::Integer(3), Cell::Number(0.1), Cell::Empty, Cell::Text("a, \"b\"\nc".into())];
        let texts: Vec<String> = cells.iter().map(Cell::text).collect();
        let line = line(&texts);
        assert_eq!(line, b"3,0.1,,\"a, \"\"b\"\"\nc\"\n");
        assert_eq!(fields(&line), texts);
        assert_eq!(Cell::Number(f64::NAN).text(), "");
    }
}
