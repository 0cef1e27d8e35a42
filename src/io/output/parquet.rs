//! Tables as Parquet: typed columns, in which an empty cell is null.

use std::io::{Error, Write};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use serde::{Deserialize, Serialize};

/// Number of rows of a group, which are held in memory.
const GROUP: usize = 1024;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// Whole numbers from 0.
    Integer,
    /// Numbers.
    Number,
    /// Text.
    Text,
    /// `true` or `false`.
    Boolean,
}

impl ColumnKind {
    /// The kind that fits all of these RON values.
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

/// Reason why a table was not written.
pub(crate) enum Unwritten<E> {
    /// A row could not be made.
    Row(E),
    /// The file could not be written.
    File(Error),
}

impl<E> From<ParquetError> for Unwritten<E> {
    fn from(error: ParquetError) -> Self {
        Self::File(system(error))
    }
}

/// The error of the system, if there is one.
fn system(error: ParquetError) -> Error {
    match error {
        ParquetError::External(source) => match source.downcast::<Error>() {
            Ok(source) => *source,
            Err(source) => Error::other(source),
        },
        other => Error::other(other),
    }
}

/// Writes rows with the cells of `columns`, each with its name and type.
pub(crate) fn write<E>(
    output: &mut (impl Write + Send),
    columns: &[(&str, ColumnKind)],
    mut rows: impl Iterator<Item = Result<csv::StringRecord, E>>,
) -> Result<(), Unwritten<E>> {
    let fields = columns.iter().map(|&(name, kind)| field(name, kind)).collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("row").with_fields(fields).build()?;
    let created = format!("wormscope {}", env!("CARGO_PKG_VERSION"));
    let properties = WriterProperties::builder().set_created_by(created).build();
    let mut writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties))?;
    loop {
        let group = rows.by_ref().take(GROUP).collect::<Result<Vec<_>, _>>().map_err(Unwritten::Row)?;
        if group.is_empty() {
            break;
        }
        let mut part = writer.next_row_group()?;
        for (at, &(_, kind)) in columns.iter().enumerate() {
            add(&mut part, kind, group.iter().map(|row| row.get(at).unwrap_or_default()))?;
        }
        part.close()?;
    }
    writer.close()?;
    Ok(())
}

fn field(name: &str, kind: ColumnKind) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match kind {
        ColumnKind::Integer => (Physical::INT64, Some(LogicalType::integer(64, false))),
        ColumnKind::Number => (Physical::DOUBLE, None),
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Boolean => (Physical::BOOLEAN, None),
    };
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    Ok(Arc::new(builder.with_logical_type(logical).build()?))
}

/// One column of a group; an empty cell is null.
fn add<'a, W: Write + Send>(
    rows: &mut SerializedRowGroupWriter<'_, W>,
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

    use super::*;

    #[test]
    fn kinds_are_those_of_all_values() {
        let of = |values: &[&str]| ColumnKind::of(&values.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(of(&["2", "18446744073709551615"]), ColumnKind::Integer);
        assert_eq!(of(&["2", "0.5"]), ColumnKind::Number);
        assert_eq!(of(&["true", "false"]), ColumnKind::Boolean);
        assert_eq!(of(&["2", "None"]), ColumnKind::Text);
    }

    #[test]
    fn an_independent_reader_reads_what_was_written() {
        let columns = [
            ("a.b[0]", ColumnKind::Integer),
            ("number", ColumnKind::Number),
            ("text", ColumnKind::Text),
            ("is", ColumnKind::Boolean),
        ];
        // Three rows more than one group of rows.
        let rows = GROUP + 3;
        let row = |n: usize| match n % 3 {
            0 => ["", "", "", ""].map(str::to_owned),
            _ => [
                (u64::MAX - n as u64).to_string(),
                (n as f64 / 7.0).to_string(),
                format!("{n}, \"x\""),
                n.is_multiple_of(2).to_string(),
            ],
        };
        let mut file = tempfile::tempfile().unwrap();
        let written = write(&mut file, &columns, (0..rows).map(|n| Ok::<_, ()>(row(n).to_vec().into())));
        assert!(written.is_ok());
        let reader = SerializedFileReader::new(file).unwrap();
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
