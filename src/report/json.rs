//! The report as JSON. Keys are the names of [`Report`]'s fields; `schema_version` tells their shape.

use std::io::Write as _;

use super::{Aside, Report, ReportError};

/// Writes the report, whole or not at all.
///
/// # Errors
/// When the file cannot be written.
pub fn write(report: &Report, mut file: Aside) -> Result<(), ReportError> {
    let written = serde_json::to_writer_pretty(&mut file, report).map_err(std::io::Error::from);
    if let Err(error) = written.and_then(|()| file.write_all(b"\n")) {
        return Err(file.error(error));
    }
    file.finish()
}
