//! The report as JSON. Keys are the names of [`Report`]'s fields; `schema_version` tells their
//! shape.

use std::io::{BufWriter, Write as _};

use super::Report;
use crate::output::{Output, OutputError};

impl Report {
    /// All numbers as JSON, as `wormscope run --json` writes them.
    #[must_use]
    pub fn json(&self) -> String {
        // The report has only numbers and texts, which JSON can always hold.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Writes the report; it takes its place with [`Output::place`].
///
/// # Errors
/// When the file cannot be written.
pub fn write(report: &impl serde::Serialize, file: Output) -> Result<Output, OutputError> {
    let mut text = BufWriter::new(file);
    let written = serde_json::to_writer_pretty(&mut text, report).map_err(std::io::Error::from);
    if let Err(error) = written.and_then(|()| text.write_all(b"\n")) {
        return Err(text.get_ref().error(error));
    }
    Output::complete(text)
}
