//! Rows of links and FIFOs as files: CSV, or Parquet, by the ending of the name.

use std::convert::Infallible;
use std::path::Path;

use crate::output::{ColumnKind, Output, OutputError, Unwritten, is_pipe, is_standard, write_parquet};
use crate::quote;

/// A row of a table with typed columns.
pub trait TypedRow {
    /// Names of the columns, each with the kind of its values.
    const COLUMNS: &'static [(&'static str, ColumnKind)];

    /// A cell a column.
    fn cells(&self) -> Vec<String>;
}

/// Format of a file of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFormat {
    /// Lines of cells with commas between the cells, after a line of names.
    Csv,
    /// Typed columns.
    Parquet,
}

impl RowFormat {
    /// The format that the ending of a file's name says.
    ///
    /// # Errors
    /// When it says none.
    pub fn of(path: &Path) -> Result<Self, String> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => Ok(Self::Csv),
            Some("parquet") => Ok(Self::Parquet),
            // A stream without a name gets text.
            None if is_standard(path) || is_pipe(path) => Ok(Self::Csv),
            _ => Err(format!("{}: a file of rows ends in .csv or .parquet", quote::name(path))),
        }
    }

    /// Writes rows; the file takes its place with [`Output::place`].
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write<R: TypedRow>(self, rows: impl Iterator<Item = R>, mut file: Output) -> Result<Output, OutputError> {
        match self {
            Self::Csv => csv(rows, file),
            Self::Parquet => {
                let rows = rows.map(|row| Ok::<_, Infallible>(row.cells().into()));
                match write_parquet(&mut file, R::COLUMNS, rows) {
                    Ok(()) => Ok(file),
                    Err(Unwritten::Row(never)) => match never {},
                    Err(Unwritten::File(error)) => Err(file.error(error)),
                }
            }
        }
    }
}

fn csv<R: TypedRow>(rows: impl Iterator<Item = R>, file: Output) -> Result<Output, OutputError> {
    let path = file.path().to_owned();
    let wrong = |error: csv::Error| OutputError::new(&path, error.into());
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(R::COLUMNS.iter().map(|(name, _)| name)).map_err(wrong)?;
    for row in rows {
        writer.write_record(row.cells()).map_err(wrong)?;
    }
    writer.into_inner().map_err(|error| OutputError::new(&path, error.into_error()))
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    use super::super::gauge::{FifoRow, LinkRow};
    use super::*;

    fn link(flits: u64) -> LinkRow {
        LinkRow {
            link: "a, b.out0".to_owned(),
            from: "a, b".to_owned(),
            to: "n1".to_owned(),
            links: 2,
            cycles: 10,
            flits,
            utilisation: flits as f64 / 20.0,
            blocked_cycles: 1,
            blocked: 0.1,
            no_credit: 3,
            lane_wait: 4,
        }
    }

    fn fifo() -> FifoRow {
        let (fifo, switch) = ("s.in0".to_owned(), "s".to_owned());
        FifoRow { fifo, switch, depth: 4, cycles: 10, mean: 1.5, greatest: 4, full_cycles: 2, full: 0.2 }
    }

    fn names<R: TypedRow>() -> Vec<&'static str> {
        R::COLUMNS.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn csv_parquet_and_json_have_the_same_columns_and_cells() {
        let folder = tempfile::tempdir().unwrap();
        let [csv, parquet] = ["l.csv", "l.parquet"].map(|name| folder.path().join(name));
        for path in [&csv, &parquet] {
            let file = Output::create(path).unwrap();
            RowFormat::of(path).unwrap().write((6..9).map(link), file).unwrap().place().unwrap();
        }
        let text = "link,from,to,links,cycles,flits,use,blocked_cycles,blocked,no_credit,lane_wait\n\
                    \"a, b.out0\",\"a, b\",n1,2,10,6,0.3,1,0.1,3,4\n\
                    \"a, b.out0\",\"a, b\",n1,2,10,7,0.35,1,0.1,3,4\n\
                    \"a, b.out0\",\"a, b\",n1,2,10,8,0.4,1,0.1,3,4\n";
        assert_eq!(std::fs::read_to_string(csv).unwrap(), text);
        let reader = SerializedFileReader::new(std::fs::File::open(parquet).unwrap()).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        let cell = |row: usize, name: &str| {
            let found = rows[row].get_column_iter().find(|(column, _)| *column == name);
            found.map(|(_, field)| field.clone()).unwrap()
        };
        assert_eq!(rows.len(), 3);
        assert_eq!((cell(1, "link"), cell(1, "flits")), (Field::Str("a, b.out0".to_owned()), Field::ULong(7)));
        assert_eq!(cell(2, "use"), Field::Double(0.4));
        let keys = |json: String| {
            let parts = json.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
            parts.into_iter().filter(|part| json.contains(&format!("\"{part}\":"))).collect::<Vec<_>>()
        };
        assert_eq!(keys(serde_json::to_string(&link(1)).unwrap()), names::<LinkRow>());
        assert_eq!(keys(serde_json::to_string(&fifo()).unwrap()), names::<FifoRow>());
        assert_eq!((link(1).cells().len(), fifo().cells().len()), (names::<LinkRow>().len(), names::<FifoRow>().len()));
    }

    #[test]
    fn the_ending_of_a_name_says_what_is_written() {
        let of = |name: &str| RowFormat::of(Path::new(name));
        assert_eq!(
            (of("a.csv"), of("b/a.parquet"), of("-")),
            (Ok(RowFormat::Csv), Ok(RowFormat::Parquet), Ok(RowFormat::Csv))
        );
        for wrong in ["a.json", "a", "csv", "a.csv.gz"] {
            assert_eq!(of(wrong), Err(format!("{wrong}: a file of rows ends in .csv or .parquet")));
        }
    }
}
