//! The lines of a CSV text for the crate `csv`, which knows no line of a record after a comment.

use std::io::{self, BufRead, BufReader, Read};

/// Longest line in MiB. It keeps a file that is no text from filling the memory.
const LONGEST_LINE_MIB: u64 = 16;

/// Hands on a text line by line, without comments (`#`), empty lines and carriage returns. A record
/// is one line if fields are not quoted, so [`CsvLines::line`] is then the line of the record that
/// was read last.
pub(crate) struct CsvLines<R> {
    text: BufReader<R>,
    /// The present line, and how much of it was handed on.
    present: Vec<u8>,
    handed: usize,
    line: u64,
}

impl<R: Read> CsvLines<R> {
    pub fn new(text: R) -> Self {
        Self { text: BufReader::new(text), present: Vec::new(), handed: 0, line: 0 }
    }

    /// Number of the line that was handed on last, from 1. It is 0 before the first.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Reads the next line that is not empty and no comment. At the end there is none.
    fn advance(&mut self) -> io::Result<()> {
        self.handed = 0;
        loop {
            self.present.clear();
            let limit = LONGEST_LINE_MIB << 20;
            let length = (&mut self.text).take(limit + 1).read_until(b'\n', &mut self.present)?;
            if length == 0 {
                return Ok(());
            }
            self.line += 1;
            if length as u64 > limit {
                let message = format!("a line longer than {LONGEST_LINE_MIB} MiB; every line is a row of a table");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            let end = self.present.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
            if end > 0 && self.present[0] != b'#' {
                self.present.truncate(end);
                self.present.push(b'\n');
                return Ok(());
            }
        }
    }
}

impl<R: Read> Read for CsvLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.handed == self.present.len() {
            self.advance()?;
        }
        let count = (&self.present[self.handed..]).read(buffer)?;
        self.handed += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_record_is_known_after_comments_and_with_carriage_returns() {
        let text = "# c\n\na,b\r\n\r\n# d\r\n1,2\n3,4";
        let mut csv =
            csv::ReaderBuilder::new().has_headers(false).quoting(false).from_reader(CsvLines::new(text.as_bytes()));
        let (mut record, mut found) = (csv::StringRecord::new(), Vec::new());
        while csv.read_record(&mut record).unwrap() {
            found.push((csv.get_ref().line(), record.iter().collect::<Vec<_>>().join(",")));
        }
        assert_eq!(found, [(3, "a,b".to_owned()), (6, "1,2".to_owned()), (7, "3,4".to_owned())]);
    }
}
