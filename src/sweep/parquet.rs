//! `rows.parquet`: the rows of `rows.csv`, typed.

use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use super::SweepError;
use super::schema::{Column, ColumnKind};
use crate::output::Output;

/// Rows of a group: as many as are held in memory.
const GROUP: usize = 1024;

/// Writes the rows of a finished CSV file.
pub fn write(rows: &Path, columns: &[Column], path: &Path) -> Result<(), SweepError> {
    let mut output = Output::create(path)?;
    let mut reader = csv::Reader::from_path(rows).map_err(|error| unreadable(rows, error))?;
    let written = fill(&mut output, columns, &mut reader);
    match written {
        Ok(()) => {}
        Err(Wrong::Csv(error)) => return Err(unreadable(rows, error)),
        Err(Wrong::Parquet(error)) => return Err(output.error(system(error)).into()),
    }
    output.place()?;
    Ok(())
}

enum Wrong {
    Csv(csv::Error),
    Parquet(ParquetError),
}

impl From<ParquetError> for Wrong {
    fn from(error: ParquetError) -> Self {
        Self::Parquet(error)
    }
}

fn unreadable(path: &Path, error: csv::Error) -> SweepError {
    SweepError::file(path, "cannot be read")(error.into())
}

/// What the system said, where it was the system.
fn system(error: ParquetError) -> std::io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(source) => *source,
            Err(source) => std::io::Error::other(source),
        },
        other => std::io::Error::other(other),
    }
}

fn fill(output: &mut Output, columns: &[Column], reader: &mut csv::Reader<std::fs::File>) -> Result<(), Wrong> {
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("row").with_fields(fields).build()?;
    let created = format!("wormscope {}", env!("CARGO_PKG_VERSION"));
    let properties = WriterProperties::builder().set_created_by(created).build();
    let mut writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties))?;
    let mut records = reader.records();
    loop {
        let group: Vec<csv::StringRecord> =
            records.by_ref().take(GROUP).collect::<Result<_, _>>().map_err(Wrong::Csv)?;
        if group.is_empty() {
            break;
        }
        let mut rows = writer.next_row_group()?;
        for (at, column) in columns.iter().enumerate() {
            add(&mut rows, column.kind, group.iter().map(|record| record.get(at).unwrap_or_default()))?;
        }
        rows.close()?;
    }
    writer.close()?;
    Ok(())
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match column.kind {
        ColumnKind::Integer => (Physical::INT64, Some(LogicalType::integer(64, false))),
        ColumnKind::Number => (Physical::DOUBLE, None),
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Boolean => (Physical::BOOLEAN, None),
    };
    let builder = Type::primitive_type_builder(&column.name, physical).with_repetition(Repetition::OPTIONAL);
    Ok(Arc::new(builder.with_logical_type(logical).build()?))
}

/// One column of a group; an empty cell is null.
fn add<'a>(
    rows: &mut SerializedRowGroupWriter<'_, &mut Output>,
    kind: ColumnKind,
    cells: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), ParquetError> {
    let Some(mut column) = rows.next_column()? else { return Ok(()) };
    let levels: Vec<i16> = cells.clone().map(|cell| i16::from(!cell.is_empty())).collect();
    let there = cells.filter(|cell| !cell.is_empty());
    let wrong = |cell: &str| ParquetError::General(format!("\"{cell}\" is not of its column's type"));
    match kind {
        ColumnKind::Integer => {
            let values = there.map(|cell| cell.parse::<u64>().map(u64::cast_signed).map_err(|_| wrong(cell)));
            column.typed::<Int64Type>().write_batch(&values.collect::<Result<Vec<_>, _>>()?, Some(&levels), None)?;
        }
        ColumnKind::Number => {
            let values = there.map(|cell| cell.parse::<f64>().map_err(|_| wrong(cell)));
            column.typed::<DoubleType>().write_batch(&values.collect::<Result<Vec<_>, _>>()?, Some(&levels), None)?;
        }
        ColumnKind::Text => {
            let values: Vec<ByteArray> = there.map(ByteArray::from).collect();
            column.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
        }
        ColumnKind::Boolean => {
            let values: Vec<bool> = there.map(|cell| cell == "true").collect();
            column.typed::<BoolType>().write_batch(&values, Some(&levels), None)?;
        }
    }
    column.close()
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    use super::super::schema::Role;
    use super::*;

    #[test]
    fn an_independent_reader_reads_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let (csv, path) = (folder.path().join("rows.csv"), folder.path().join("rows.parquet"));
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
            role: Role::Metric,
            unit: None,
            path: None,
            estimate: false,
            derived: false,
            doc: String::new(),
        };
        let columns = [
            column("a.b[0]", ColumnKind::Integer),
            column("number", ColumnKind::Number),
            column("text", ColumnKind::Text),
            column("is", ColumnKind::Boolean),
        ];
        // More than one group of rows.
        let rows = GROUP + 3;
        let line = |n: usize| match n % 3 {
            0 => ",,,\n".to_owned(),
            _ => format!("{},{},\"{n}, \"\"x\"\"\",{}\n", u64::MAX - n as u64, n as f64 / 7.0, n.is_multiple_of(2)),
        };
        let text: String = (0..rows).map(line).collect();
        std::fs::write(&csv, format!("a.b[0],number,text,is\n{text}")).unwrap();
        write(&csv, &columns, &path).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
        let mut count = 0;
        for (n, row) in reader.get_row_iter(None).unwrap().enumerate() {
            let row = row.unwrap();
            let found: Vec<Field> = row.get_column_iter().map(|(_, field)| field.clone()).collect();
            let expected = match n % 3 {
                0 => vec![Field::Null; 4],
                _ => vec![
                    Field::ULong(u64::MAX - n as u64),
                    Field::Double(n as f64 / 7.0),
                    Field::Str(format!("{n}, \"x\"")),
                    Field::Bool(n.is_multiple_of(2)),
                ],
            };
            assert_eq!(found, expected);
            count += 1;
        }
        assert_eq!(count, rows);
    }
}
