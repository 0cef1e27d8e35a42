//! Reading of RON files.

use std::path::Path;

use super::position::Text;
use super::source::LARGEST_MIB;
use crate::input::{ConfigError, title, whole};

/// Reads a whole RON file, but never more than [`LARGEST_MIB`].
///
/// # Errors
/// When it cannot be read, is larger, or no text.
pub fn read(path: &Path) -> Result<String, ConfigError> {
    let bytes = whole(path, LARGEST_MIB, "put long lists of messages into a CSV trace")?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        let message = format!("byte 0x{:02x} is not UTF-8; a RON file is UTF-8 text", error.as_bytes()[valid]);
        ConfigError::new(Text { file: &title(path), text: &text }.offset(valid), message)
    })
}
