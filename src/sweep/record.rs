//! Lines of CSV, as bytes.

use std::io::{self, BufRead};

/// Reads the next line into `row`, its end included; false at the end. A row may have line breaks in quotes.
pub fn read(reader: &mut impl BufRead, row: &mut Vec<u8>) -> io::Result<bool> {
    row.clear();
    let mut quotes = 0;
    loop {
        let before = row.len();
        if reader.read_until(b'\n', row)? == 0 {
            return Ok(!row.is_empty());
        }
        quotes += row[before..].iter().filter(|&&byte| byte == b'"').count();
        if quotes.is_multiple_of(2) {
            return Ok(true);
        }
    }
}

/// The number of the run that a row is of.
pub fn run(row: &[u8]) -> Option<u64> {
    let first = row.split(|&byte| byte == b',').next()?;
    std::str::from_utf8(first).ok()?.parse().ok()
}
