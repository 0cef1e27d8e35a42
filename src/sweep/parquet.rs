//! `rows.parquet`: the typed rows of `rows.csv`.

use std::path::Path;

use super::SweepError;
use super::schema::Column;
use crate::output::{Output, Unwritten, write_parquet};

/// Writes the rows of a finished CSV file.
pub fn write(rows: &Path, columns: &[Column], path: &Path) -> Result<(), SweepError> {
    let mut output = Output::create(path)?;
    let unreadable = |error: csv::Error| SweepError::file(rows, "cannot be read")(error.into());
    let mut reader = csv::Reader::from_path(rows).map_err(unreadable)?;
    let columns: Vec<_> = columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
    match write_parquet(&mut output, &columns, reader.records()) {
        Ok(()) => {}
        Err(Unwritten::Row(error)) => return Err(unreadable(error)),
        Err(Unwritten::File(error)) => return Err(output.error(error).into()),
    }
    output.place()?;
    Ok(())
}
