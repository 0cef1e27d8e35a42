//! CSV with one row per (worm, destination), written as worms arrive; worms that have not arrived
//! come last, with the events so far.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufWriter, Write};

use wormscope_hw::{NodeId, WormId};

use crate::engine::{Delivery, Observer, UnderWay, WormInfo};
use crate::output::{Output, OutputError};

const HEADER: &str = "worm,source,destination,encoding,created,injected,head_arrived,tail_arrived,hops";

/// Writes every delivery of a run, times in cycles. `hops` knows how many switches a worm passes on
/// its way to a destination; `classes` are the classes that the workload names.
#[derive(Debug)]
pub(crate) struct DeliveryCsv<H> {
    file: BufWriter<Output>,
    hops: H,
    /// Names of classes by number; a column where there are any.
    classes: Vec<String>,
    /// Worms under way, with the destinations that they have not reached.
    open: BTreeMap<WormId, WormInfo>,
    error: Option<io::Error>,
}

impl<H: Fn(&WormInfo, NodeId) -> u32> DeliveryCsv<H> {
    /// Begins the rows in `file`.
    #[must_use]
    pub fn new(file: Output, hops: H, classes: Vec<String>) -> Self {
        let mut file = BufWriter::with_capacity(1 << 18, file);
        let class = if classes.is_empty() { "" } else { ",class" };
        let error = writeln!(file, "{HEADER}{class}").err();
        Self { file, hops, classes, open: BTreeMap::new(), error }
    }

    fn row(&mut self, worm: &WormInfo, destination: NodeId, times: &str) {
        if self.error.is_none() {
            let hops = (self.hops)(worm, destination);
            let WormInfo { id, source, created, .. } = worm;
            let encoding = worm.encoding.name();
            let class = worm.class.number.and_then(|number| self.classes.get(usize::from(number.get()) - 1));
            let class = class.map_or("", String::as_str);
            let comma = if self.classes.is_empty() { "" } else { "," };
            let row =
                writeln!(self.file, "{id},{source},{destination},{encoding},{created},{times},{hops}{comma}{class}");
            self.error = row.err();
        }
    }

    /// The complete file, not yet in its place. `under_way` are the worms that have not arrived.
    ///
    /// # Errors
    /// The first error met while the run wrote.
    pub fn finish(mut self, under_way: &[UnderWay]) -> Result<Output, OutputError> {
        let known: HashMap<WormId, &UnderWay> = under_way.iter().map(|worm| (worm.info.id, worm)).collect();
        let text = |cycle: Option<u64>| cycle.map_or_else(String::new, |cycle| cycle.to_string());
        for (id, worm) in std::mem::take(&mut self.open) {
            let known = known.get(&id);
            let injected = text(known.and_then(|worm| worm.injected));
            for destination in worm.destinations.iter() {
                let head = known.and_then(|worm| worm.heads.iter().find(|(node, _)| node == destination));
                let head = text(head.map(|&(_, cycle)| cycle));
                self.row(&worm, *destination, &format!("{injected},{head},"));
            }
        }
        match self.error {
            Some(error) => Err(self.file.get_ref().error(error)),
            None => Output::complete(self.file),
        }
    }
}

impl<H: Fn(&WormInfo, NodeId) -> u32> Observer for DeliveryCsv<H> {
    fn created(&mut self, worm: &WormInfo) {
        self.open.insert(worm.id, worm.clone());
    }

    fn delivered(&mut self, worm: &WormInfo, delivery: &Delivery) {
        let Delivery { destination, injected, head, tail, .. } = delivery;
        if let Some(open) = self.open.get_mut(&worm.id) {
            open.destinations = open.destinations.iter().copied().filter(|to| to != destination).collect();
            if open.destinations.is_empty() {
                self.open.remove(&worm.id);
            }
        }
        self.row(worm, *destination, &format!("{injected},{head},{tail}"));
    }

    fn stop(&self) -> bool {
        self.error.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU8;

    use std::path::Path;

    use super::super::tests::{deliver, worm};
    use super::*;
    use crate::engine::Class;

    #[test]
    fn every_destination_is_a_row() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.csv");
        let file = Output::create(&path).unwrap();
        let mut csv = DeliveryCsv::new(file, |worm, to| worm.source.0.abs_diff(to.0) + 1, Vec::new());
        deliver(&mut csv, &worm(7, 3, &[1, 5], 100), &[120, 130]);
        deliver(&mut csv, &worm(8, 0, &[0], 101), &[125]);
        let (open, queued) = (worm(9, 2, &[4, 6, 3], 102), worm(10, 2, &[7], 103));
        for worm in [&open, &queued] {
            csv.created(worm);
        }
        deliver(&mut csv, &worm(9, 2, &[6], 102), &[140]);
        assert!(!path.exists() && !csv.stop());
        let under_way = [
            UnderWay { info: &open, injected: Some(103), heads: vec![(NodeId(4), 139)] },
            UnderWay { info: &queued, injected: None, heads: Vec::new() },
        ];
        csv.finish(&under_way).unwrap().place().unwrap();
        let expected = "worm,source,destination,encoding,created,injected,head_arrived,tail_arrived,hops\n\
                        7,3,1,bit_string,100,101,112,120,3\n\
                        7,3,5,bit_string,100,101,122,130,3\n\
                        8,0,0,unicast,101,102,117,125,1\n\
                        9,2,6,unicast,102,103,132,140,5\n\
                        9,2,4,bit_string,102,103,139,,3\n\
                        9,2,3,bit_string,102,103,,,2\n\
                        10,2,7,unicast,103,,,,6\n";
        assert_eq!(std::fs::read_to_string(path).unwrap(), expected);
    }

    #[test]
    fn classes_that_are_named_have_a_column() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.csv");
        let mut csv = DeliveryCsv::new(Output::create(&path).unwrap(), |_, _| 2, vec!["a".to_owned(), "b".to_owned()]);
        deliver(&mut csv, &worm(7, 3, &[1], 100), &[120]);
        let class = Class { number: NonZeroU8::new(2), is_part: false };
        deliver(&mut csv, &WormInfo { class, ..worm(8, 0, &[1], 101) }, &[125]);
        csv.finish(&[]).unwrap().place().unwrap();
        let expected = "worm,source,destination,encoding,created,injected,head_arrived,tail_arrived,hops,class\n\
                        7,3,1,unicast,100,101,112,120,2,\n\
                        8,0,1,unicast,101,102,117,125,2,b\n";
        assert_eq!(std::fs::read_to_string(path).unwrap(), expected);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_stops_the_run_and_is_reported() {
        let mut csv = DeliveryCsv::new(Output::create(Path::new("/dev/full")).unwrap(), |_, _| 0, Vec::new());
        let worm = worm(7, 3, &[1], 100);
        for _ in 0..100_000 {
            deliver(&mut csv, &worm, &[120]);
        }
        assert!(csv.stop());
        assert!(csv.finish(&[]).unwrap_err().to_string().contains("/dev/full: cannot be written"));
    }
}
