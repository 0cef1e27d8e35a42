//! CSV with one row per (worm, destination), written as worms arrive.

use std::io::{self, Write};
use std::path::Path;

use wormscope_hw::NodeId;

use super::{Aside, ReportError, encoding_name};
use crate::engine::{Delivery, Observer, WormInfo};

const HEADER: &str = "worm,source,destination,encoding,created,injected,head_arrived,tail_arrived,hops";

/// Writes every delivery of a run, times in cycles. `hops` knows how many switches a worm passes on its way to a destination.
#[derive(Debug)]
pub struct DeliveryCsv<H> {
    file: Aside,
    hops: H,
    error: Option<io::Error>,
}

impl<H: Fn(&WormInfo, NodeId) -> u32> DeliveryCsv<H> {
    /// Begins the file at `path`; it takes its place with [`DeliveryCsv::finish`].
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path, hops: H) -> Result<Self, ReportError> {
        let mut file = Aside::create(path)?;
        let error = writeln!(file, "{HEADER}").err();
        Ok(Self { file, hops, error })
    }

    /// Puts the complete file in its place.
    ///
    /// # Errors
    /// The first error met while the run wrote; then nothing is left behind.
    pub fn finish(self) -> Result<(), ReportError> {
        match self.error {
            Some(error) => Err(self.file.error(error)),
            None => self.file.finish(),
        }
    }
}

impl<H: Fn(&WormInfo, NodeId) -> u32> Observer for DeliveryCsv<H> {
    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        if self.error.is_some() {
            return;
        }
        let Delivery { worm: id, destination, injected, head, tail, .. } = delivery;
        let hops = (self.hops)(worm, *destination);
        let (source, created, encoding) = (worm.source, worm.created, encoding_name(worm.encoding));
        let row =
            writeln!(self.file, "{id},{source},{destination},{encoding},{created},{injected},{head},{tail},{hops}");
        self.error = row.err();
    }

    fn stop(&self) -> bool {
        self.error.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{deliver, worm};
    use super::*;

    #[test]
    fn every_destination_is_a_row() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.csv");
        let mut csv = DeliveryCsv::create(&path, |worm, to| worm.source.0.abs_diff(to.0) + 1).unwrap();
        deliver(&mut csv, &worm(7, 3, &[1, 5], 100), &[120, 130]);
        deliver(&mut csv, &worm(8, 0, &[0], 101), &[125]);
        assert!(!path.exists() && !csv.stop());
        csv.finish().unwrap();
        let expected = "worm,source,destination,encoding,created,injected,head_arrived,tail_arrived,hops\n\
                        7,3,1,bit_string,100,101,112,120,3\n\
                        7,3,5,bit_string,100,101,122,130,3\n\
                        8,0,0,unicast,101,102,117,125,1\n";
        assert_eq!(std::fs::read_to_string(path).unwrap(), expected);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_stops_the_run_and_is_reported() {
        let mut csv = DeliveryCsv::create(Path::new("/dev/full"), |_, _| 0).unwrap();
        let worm = worm(7, 3, &[1], 100);
        for _ in 0..100_000 {
            deliver(&mut csv, &worm, &[120]);
        }
        assert!(csv.stop());
        assert!(csv.finish().unwrap_err().to_string().contains("/dev/full: cannot be written"));
    }
}
