//! The merge of the coverage of many runs.

use std::cmp::Ordering;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use crate::coverage::{BINS, Bin, GROUPS, RunCoverage};
use crate::quote;

/// Coverage of many runs, each once, in the order of their names and seeds.
#[derive(Clone, Debug, Default)]
pub struct Merged {
    runs: BTreeMap<(String, u64, String), RunCoverage>,
    /// By hash and seed, the name of a run.
    names: HashMap<(String, u64), String>,
}

/// State of a bin after all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinState<'a> {
    /// Runs have reached the bin so often.
    Reached(u64),
    /// No run has reached the bin, although the network of some run can.
    Hole,
    /// The bin cannot be reached, for this reason. For the network of a run, a testbench says so.
    Excluded(&'a str),
    /// No run has a network and worms that could reach the bin.
    Beyond,
}

/// A bin that no run has reached, with the run that came nearest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// Name of the bin.
    pub bin: String,
    /// The run that came nearest: name, seed, and the bin that it reached.
    pub nearest: Option<(String, u64, String)>,
}

/// Numbers of bins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Bins that were reached.
    pub reached: usize,
    /// Bins that could have been reached.
    pub holes: usize,
    /// Bins that cannot be reached.
    pub excluded: usize,
    /// Bins of other networks.
    pub beyond: usize,
}

impl Tally {
    /// Percentage of bins that were reached, of those that can be; 0 if there are none.
    #[must_use]
    pub fn percent(self) -> f64 {
        let all = self.reached + self.holes;
        if all == 0 { 0.0 } else { 100.0 * self.reached as f64 / all as f64 }
    }

    fn add(&mut self, state: BinState<'_>) {
        match state {
            BinState::Reached(_) => self.reached += 1,
            BinState::Hole => self.holes += 1,
            BinState::Excluded(_) => self.excluded += 1,
            BinState::Beyond => self.beyond += 1,
        }
    }
}

impl Merged {
    /// Adds a run. A run that is there already changes nothing, also with another name. Of its
    /// names, the first counts.
    ///
    /// # Errors
    /// The same run has other counts. Then one of the programs is another version, or the testbench
    /// has other bins or expectations.
    pub fn add(&mut self, run: RunCoverage) -> Result<(), String> {
        if !run.hash.is_empty() {
            let name = self.names.entry((run.hash.clone(), run.seed)).or_insert_with(|| run.name.clone()).clone();
            let key = (name, run.seed, run.hash.clone());
            let twin = self.runs.get(&key).filter(|of| RunCoverage { name: run.name.clone(), ..(*of).clone() } == run);
            match twin.map(|twin| twin.name.cmp(&run.name)) {
                Some(Ordering::Less) => return Ok(()),
                Some(Ordering::Greater) => {
                    self.runs.remove(&key);
                    self.names.insert((run.hash.clone(), run.seed), run.name.clone());
                }
                Some(Ordering::Equal) | None => {}
            }
        }
        match self.runs.entry((run.name.clone(), run.seed, run.hash.clone())) {
            Entry::Vacant(place) => {
                place.insert(run);
                Ok(())
            }
            Entry::Occupied(there) if *there.get() == run => Ok(()),
            Entry::Occupied(there) => {
                let (name, seed) = (quote::name(&run.name), run.seed);
                Err(if there.get().hardware == run.hardware {
                    format!(
                        "{name}, seed {seed}, had other cover, exclude or expect for an earlier file; repeat that one"
                    )
                } else {
                    format!(
                        "{name}, seed {seed}, has other counts in an earlier file; repeat both with one version of \
                         the program"
                    )
                })
            }
        }
    }

    /// A run as people name it: its testbench and its seed. If another run has the same two, the
    /// hash follows.
    #[must_use]
    pub fn label(&self, run: &RunCoverage) -> String {
        let is_other = |of: &RunCoverage| of.name == run.name && of.seed == run.seed && of.hash != run.hash;
        let from = (run.name.clone(), run.seed, String::new());
        let is_twice = self.runs.range(from..).take(2).any(|(_, of)| is_other(of));
        let hash = if is_twice { format!(", hash {}", run.hash) } else { String::new() };
        format!("{}, seed {}{hash}", quote::name(&run.name), run.seed)
    }

    /// The runs, in the order of their names and seeds.
    #[must_use]
    pub fn runs(&self) -> impl ExactSizeIterator<Item = &RunCoverage> {
        self.runs.values()
    }

    /// State of each bin of the hardware. With `all`, bins of other networks are holes too.
    #[must_use]
    pub fn states(&self, all: bool) -> Vec<BinState<'_>> {
        let mut counts = vec![0; BINS];
        for run in self.runs() {
            for &(place, hits) in &run.hardware.hits {
                counts[place] += hits;
            }
        }
        let state = |(bin, count): (Bin, u64)| match bin.excluded() {
            Some(why) => BinState::Excluded(why),
            None if count > 0 => BinState::Reached(count),
            None if self.runs().any(|run| run.allows(&bin)) => BinState::Hole,
            None => match self.runs().find_map(|run| run.exclusion(&bin)) {
                Some(why) => BinState::Excluded(why),
                None if all => BinState::Hole,
                None => BinState::Beyond,
            },
        };
        Bin::all().zip(counts).map(state).collect()
    }

    /// Numbers of bins of each group, and of all.
    #[must_use]
    pub fn tallies(&self, all: bool) -> (Vec<Tally>, Tally) {
        let (mut groups, mut sum) = (vec![Tally::default(); GROUPS.len()], Tally::default());
        for (bin, state) in Bin::all().zip(self.states(all)) {
            groups[bin.group].add(state);
            sum.add(state);
        }
        (groups, sum)
    }

    /// The holes, each with the run that came nearest: it reached a bin that differs in the fewest
    /// dimensions. Of several runs, the one that can reach the hole comes first, then the first by
    /// name and seed.
    #[must_use]
    pub fn holes(&self, all: bool) -> Vec<Hole> {
        let states = self.states(all);
        let runs: Vec<&RunCoverage> = self.runs().collect();
        // The runs that reached each bin, in order.
        let mut reached: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, run) in runs.iter().enumerate() {
            run.hardware.hits.iter().for_each(|&(place, _)| reached.entry(place).or_default().push(number));
        }
        let reached: Vec<(Bin, Vec<usize>)> = reached.into_iter().map(|(place, by)| (Bin::at(place), by)).collect();
        let hole = |hole: Bin| {
            let distances = || reached.iter().filter_map(|(bin, by)| Some((bin.distance(&hole)?, bin, by)));
            let least = distances().map(|of| of.0).min();
            let near = distances().filter(|of| Some(of.0) == least);
            let runs_near = near.flat_map(|(_, bin, by)| by.iter().map(move |&number| (number, bin)));
            let nearest = runs_near.min_by_key(|&(number, _)| (!runs[number].allows(&hole), number));
            let nearest = nearest.map(|(number, bin)| (runs[number].name.clone(), runs[number].seed, bin.to_string()));
            Hole { bin: hole.to_string(), nearest }
        };
        let holes = Bin::all().zip(&states).filter(|(_, state)| **state == BinState::Hole);
        holes.map(|(bin, _)| hole(bin)).collect()
    }

    /// The bins of testbenches: name of the testbench, expression, hits of all its runs, reason of
    /// the exclusion.
    #[must_use]
    pub fn own(&self) -> Vec<(&str, &str, u64, Option<&str>)> {
        let mut own: Vec<(&str, &str, u64, Option<&str>)> = Vec::new();
        let mut places = HashMap::new();
        for run in self.runs() {
            for bin in &run.own {
                let place = *places.entry((run.name.as_str(), bin.text.as_str())).or_insert(own.len());
                if place == own.len() {
                    own.push((&run.name, &bin.text, 0, bin.excluded.as_deref()));
                }
                own[place].2 += bin.hits;
            }
        }
        own
    }

    /// The run that came nearest to a bin of a cross: seed, and the bin that it reached. That bin
    /// differs in the fewest expressions. `None` for a bin without a neighbour that was reached.
    #[must_use]
    pub fn near_own(&self, name: &str, hole: &str) -> Option<(u64, &str)> {
        let parts = |text: &'_ str| text.split(" && ").count();
        let distance = |text: &str| text.split(" && ").zip(hole.split(" && ")).filter(|(a, b)| a != b).count();
        let of_bench = self.runs().filter(|run| run.name == name);
        let reached =
            of_bench.flat_map(|run| run.own.iter().filter(|bin| bin.hits > 0).map(|bin| (run.seed, &bin.text)));
        let near = reached.filter(|(_, text)| parts(text) == parts(hole) && distance(text) < parts(hole));
        near.min_by_key(|(_, text)| distance(text)).map(|(seed, text)| (seed, text.as_str()))
    }

    /// The properties of testbenches: name of the testbench, property, and the counts of all its
    /// runs: triggered, passed, vacuous.
    #[must_use]
    pub fn properties(&self) -> Vec<(&str, &str, [u64; 3])> {
        let mut all: Vec<(&str, &str, [u64; 3])> = Vec::new();
        let mut places = HashMap::new();
        for run in self.runs() {
            for of in &run.properties {
                let counts = [of.triggered, of.passed, of.vacuous];
                let place = *places.entry((run.name.as_str(), of.text.as_str())).or_insert(all.len());
                if place == all.len() {
                    all.push((&run.name, &of.text, [0; 3]));
                }
                all[place].2.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
        }
        all
    }

    /// The excluded bins that runs have reached: name and seed of the run, bin, reason.
    #[must_use]
    pub fn reached_in_spite(&self) -> Vec<(&str, u64, String, String)> {
        let of = |run: &RunCoverage| run.reached_in_spite().into_iter();
        self.runs().flat_map(|run| of(run).map(|(bin, why)| (run.name.as_str(), run.seed, bin, why))).collect()
    }

    /// Whether there are runs, and no hole is left, neither of the hardware nor of a testbench.
    #[must_use]
    pub fn is_complete(&self, all: bool) -> bool {
        !self.runs.is_empty() && self.tallies(all).1.holes + self.own_holes() == 0
    }

    /// Number of bins of testbenches that no run has reached and that are not excluded.
    #[must_use]
    pub fn own_holes(&self) -> usize {
        self.own().iter().filter(|&&(_, _, hits, excluded)| hits == 0 && excluded.is_none()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::{Covered, Facts, OwnBin};

    fn run(name: &str, seed: u64, bins: &[(&str, u64)], encodings: &[&str]) -> RunCoverage {
        let mut hits: Vec<_> = bins.iter().map(|(bin, hits)| (Bin::named(bin).expect(bin), *hits)).collect();
        hits.sort_unstable();
        let facts = [("encoding", encodings.iter().copied()), ("arbiter", ["matrix"][..].iter().copied())];
        let facts = Facts::from_words(facts).expect("known");
        RunCoverage { name: name.into(), seed, hardware: Covered { hits, facts }, ..RunCoverage::default() }
    }

    #[test]
    fn the_order_of_the_files_changes_nothing_and_a_run_counts_once() {
        let a = run("a", 1, &[("residue/unicast/1", 3)], &["unicast"]);
        let b = run("b", 1, &[("residue/unicast/1", 4)], &["unicast"]);
        let (mut one, mut other) = (Merged::default(), Merged::default());
        for (merged, runs) in [(&mut one, [&a, &b, &a]), (&mut other, [&b, &a, &b])] {
            for run in runs {
                merged.add(run.clone()).expect("the same counts");
            }
        }
        assert_eq!(one.states(false), other.states(false));
        assert_eq!(one.states(false)[Bin::named("residue/unicast/1").unwrap()], BinState::Reached(7));
        let hashed = |name: &str| RunCoverage { name: name.into(), hash: "1".into(), ..a.clone() };
        for names in [["c", "d"], ["d", "c"]] {
            let mut merged = Merged::default();
            for name in names {
                merged.add(hashed(name)).expect("one run with two names");
            }
            assert_eq!(merged.runs().collect::<Vec<_>>(), [&hashed("c")]);
        }
        let changed = run("a", 1, &[("residue/unicast/1", 5)], &["unicast"]);
        assert!(one.add(changed).unwrap_err().contains("a, seed 1, has other counts"));
        let failed = RunCoverage { failed: true, ..a };
        assert!(one.add(failed).unwrap_err().contains("a, seed 1, had other cover, exclude or expect"));
    }

    #[test]
    fn a_hole_is_a_bin_that_the_facts_of_a_run_allow() {
        let mut merged = Merged::default();
        merged.add(run("a", 1, &[("residue/unicast/1", 3)], &["unicast", "mask"])).unwrap();
        let states = |all: bool| {
            let states = merged.states(all);
            ["unicast/0", "unicast/1", "unicast/2_or_more", "multiport/0"]
                .map(|bin| states[Bin::named(&format!("residue/{bin}")).unwrap()])
        };
        assert!(matches!(states(false)[0], BinState::Excluded(_)));
        assert_eq!(states(false)[1..], [BinState::Reached(3), BinState::Hole, BinState::Beyond]);
        assert_eq!(states(true)[3], BinState::Hole);
        let bin = "residue/unicast/2_or_more";
        let own = OwnBin { text: bin.to_owned(), hits: 0, excluded: Some("one strip".to_owned()) };
        let excludes = RunCoverage { own: vec![own], ..run("b", 1, &[], &["unicast"]) };
        let mut with = Merged::default();
        with.add(excludes.clone()).unwrap();
        let state = |merged: &Merged, all| format!("{:?}", merged.states(all)[Bin::named(bin).unwrap()]);
        assert_eq!([false, true].map(|all| state(&with, all)), ["Excluded(\"one strip\")"; 2]);
        merged.add(excludes).unwrap();
        assert_eq!(state(&merged, false), "Hole", "one of the testbenches does not exclude it");
        let tally = merged.tallies(false).1;
        assert_eq!(tally.reached + tally.holes + tally.excluded + tally.beyond, BINS);
    }

    #[test]
    fn the_nearest_run_differs_in_the_fewest_dimensions() {
        let mut merged = Merged::default();
        merged.add(run("a", 1, &[("contest/matrix/1/none", 1)], &["unicast"])).unwrap();
        merged.add(run("b", 7, &[("contest/matrix/2/none", 1)], &["unicast"])).unwrap();
        let hole = merged.holes(false).into_iter().find(|hole| hole.bin == "contest/matrix/2/same").unwrap();
        assert_eq!(hole.nearest, Some(("b".into(), 7, "contest/matrix/2/none".into())));
    }

    #[test]
    fn a_bin_of_a_testbench_counts_over_its_seeds() {
        let own = |hits| vec![OwnBin { text: "x".into(), hits, excluded: None }];
        let mut merged = Merged::default();
        for (seed, hits) in [(1, 0), (2, 5)] {
            merged.add(RunCoverage { name: "a".into(), seed, own: own(hits), ..RunCoverage::default() }).unwrap();
        }
        assert_eq!(merged.own(), [("a", "x", 5, None)]);
    }
}
