//! Journal of a sweep: a line for every finished run, in the order of their ends.
//!
//! A line is `checksum,row`, and the checksum covers the row with its end of line. One call of the
//! system writes it, so a process that is killed loses at most the line under way. A line with a
//! wrong checksum is left out when the journal is opened again. One process at a time writes: it
//! holds a lock that ends with it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use sha2::{Digest as _, Sha256};

use super::{SweepError, record};

/// Number of hex digits of a checksum.
const SUM: usize = 16;

/// A journal that is open.
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// Places of the rows of runs that had finished when the journal was opened: offset and length.
    finished: HashMap<u64, (u64, u32)>,
    end: u64,
}

impl Journal {
    /// Opens a journal, or begins one, and drops an incomplete line at its end.
    pub fn open(path: &Path) -> Result<Self, SweepError> {
        let error = |what| SweepError::file(path, what);
        let opened = File::options().read(true).append(true).create(true).open(path);
        let file = opened.map_err(error("cannot be opened"))?;
        if let Err(why) = flock(&file, FlockOperation::NonBlockingLockExclusive) {
            let taken = why == rustix::io::Errno::WOULDBLOCK;
            let why = if taken { std::io::Error::other("another sweep is writing it") } else { why.into() };
            return Err(error("cannot be locked")(why));
        }
        let journal = Self::of(path, file)?;
        journal.file.set_len(journal.end).map_err(error("cannot be cut"))?;
        Ok(journal)
    }

    /// Opens a journal only for reading. Reads its valid part.
    pub fn kept(path: &Path) -> Result<Self, SweepError> {
        Self::of(path, File::open(path).map_err(SweepError::file(path, "cannot be opened"))?)
    }

    fn of(path: &Path, file: File) -> Result<Self, SweepError> {
        let mut journal = Self { path: path.to_owned(), file, finished: HashMap::new(), end: 0 };
        journal.read().map_err(SweepError::file(path, "cannot be read"))?;
        Ok(journal)
    }

    fn read(&mut self) -> std::io::Result<()> {
        let mut reader = BufReader::new(&self.file);
        let (mut at, mut row) = (0, Vec::new());
        loop {
            let begin = at + SUM as u64 + 1;
            if next(&mut reader, &mut row)?
                && let Some(run) = record::run(&row)
            {
                self.finished.insert(run, (begin, row.len() as u32));
                at = begin + row.len() as u64;
                self.end = at;
                continue;
            }
            // A damaged line costs its own run only.
            reader.seek(SeekFrom::Start(at))?;
            row.clear();
            match reader.read_until(b'\n', &mut row)? {
                0 => return Ok(()),
                length => at += length as u64,
            }
        }
    }

    /// Whether a run had finished when the journal was opened.
    pub fn has(&self, run: u64) -> bool {
        self.finished.contains_key(&run)
    }

    /// Runs that had finished when the journal was opened.
    pub fn finished(&self) -> impl Iterator<Item = u64> + '_ {
        self.finished.keys().copied()
    }

    /// The row of a run that had finished when the journal was opened.
    pub fn row(&mut self, run: u64) -> Result<Vec<u8>, SweepError> {
        let (offset, length) = self.finished.get(&run).copied().unwrap_or_default();
        let mut row = vec![0; length as usize];
        let read = self.file.seek(SeekFrom::Start(offset)).and_then(|_| self.file.read_exact(&mut row));
        read.map_err(SweepError::file(&self.path, "cannot be read"))?;
        Ok(row)
    }

    /// Adds the row of a finished run.
    pub fn add(&mut self, row: &[u8]) -> Result<(), SweepError> {
        let mut line = sum(row).into_bytes();
        line.push(b',');
        line.extend_from_slice(row);
        let written = match self.file.write_all(&line) {
            // An incomplete line has to be removed. Otherwise lines after it are lost when the disk
            // has space again.
            Err(why) => {
                let _ = self.file.set_len(self.end);
                Err(why)
            }
            Ok(()) => Ok(()),
        };
        written.map_err(SweepError::file(&self.path, "cannot be written"))?;
        self.end += line.len() as u64;
        Ok(())
    }
}

fn sum(row: &[u8]) -> String {
    record::hex(&Sha256::digest(row)[..SUM / 2])
}

/// The next row. Returns false at the end, and for a line that is damaged.
fn next(reader: &mut impl std::io::BufRead, row: &mut Vec<u8>) -> std::io::Result<bool> {
    let mut head = [0; SUM + 1];
    if let Err(error) = reader.read_exact(&mut head) {
        return if error.kind() == ErrorKind::UnexpectedEof { Ok(false) } else { Err(error) };
    }
    let more = record::read(reader, row)?;
    Ok(more && row.ends_with(b"\n") && head[SUM] == b',' && sum(row).as_bytes() == &head[..SUM])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(journal: &mut Journal) -> Vec<Vec<u8>> {
        let mut runs: Vec<u64> = journal.finished().collect();
        runs.sort_unstable();
        runs.into_iter().map(|run| journal.row(run).unwrap()).collect()
    }

    #[test]
    fn whatever_is_cut_off_only_what_is_torn_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let all: [&[u8]; 3] = [b"2,a,0.5\n", b"0,\"two\nlines\",1\n", b"7,,\n"];
        let mut journal = Journal::open(&path).unwrap();
        for row in all {
            journal.add(row).unwrap();
        }
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        let ends: Vec<usize> = all
            .iter()
            .scan(0, |at, row| {
                *at += SUM + 1 + row.len();
                Some(*at)
            })
            .collect();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let mut journal = Journal::open(&path).unwrap();
            let kept = ends.iter().filter(|end| **end <= length).count();
            let mut expected: Vec<Vec<u8>> = all[..kept].iter().map(|row| row.to_vec()).collect();
            expected.sort();
            assert_eq!(rows(&mut journal), expected);
            // A line that is added after the torn line is not lost.
            journal.add(b"9,z\n").unwrap();
            drop(journal);
            assert!(Journal::open(&path).unwrap().has(9));
        }
    }

    #[test]
    fn a_flipped_bit_costs_one_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&path).unwrap();
        (0..3).for_each(|run| journal.add(format!("{run},x\n").as_bytes()).unwrap());
        drop(journal);
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let journal = Journal::open(&path).unwrap();
        assert!(journal.has(0) && !journal.has(1) && journal.has(2));
    }

    #[test]
    fn two_cannot_write_one_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let first = Journal::open(&path).unwrap();
        let error = Journal::open(&path).map(drop).unwrap_err().to_string();
        assert!(error.contains("another sweep is writing it"), "{error}");
        drop(first);
        Journal::open(&path).unwrap();
    }
}
