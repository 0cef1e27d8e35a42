//! Lines of CSV, as bytes.

use std::fmt::Write as _;
use std::io::{self, BufRead};

/// Bytes in hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A write to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads the next line into `row`, its end included. Returns false at the end. A row may have line
/// breaks in quotes.
pub fn read(reader: &mut impl BufRead, row: &mut Vec<u8>) -> io::Result<bool> {
    row.clear();
    let mut quoted = false;
    loop {
        let before = row.len();
        if reader.read_until(b'\n', row)? == 0 {
            return Ok(!row.is_empty());
        }
        quoted ^= row[before..].iter().fold(false, |quoted, &byte| quoted ^ (byte == b'"'));
        if !quoted {
            return Ok(true);
        }
    }
}

/// The number of the run of a row.
pub fn run(row: &[u8]) -> Option<u64> {
    let first = row.split(|&byte| byte == b',').next()?;
    std::str::from_utf8(first).ok()?.parse().ok()
}
