//! The smallest stimulus with which a testbench still fails in the same way.

use std::sync::atomic::{AtomicBool, Ordering};

use super::expectations::{Expectation, Item};
use super::export::ExportError;
use super::failure::Failure;
use super::load::Bench;
use super::run::BenchError;
use super::schema::{Deadlock, Exclusion, Expect, FinalState, Signals, Testbench};
use crate::experiment::{Message, Workload};
use crate::input::ConfigError;
use crate::workload::smaller::{StepLimits, Trial, reduce};

/// Largest number of runs of one search.
const MOST_RUNS: u64 = 20_000;

/// A small testbench that fails.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The testbench, with its worms as `messages`.
    pub bench: Testbench,
    /// Worms of the original, and of this one.
    pub worms: (usize, usize),
    /// Number of runs that the search took.
    pub runs: u64,
    /// Whether the search ended by itself, so that no smaller step keeps the failure.
    pub is_complete: bool,
}

/// Reason why a failure has no smaller testbench.
#[derive(Debug, thiserror::Error)]
pub enum ShrinkError {
    /// The stimulus cannot be written as messages.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// All worms come from software.
    #[error("all worms come from programs or multicasts in software, and no smaller stimulus can be tried")]
    Software,
    /// The testbench with this expectation alone is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A run of it is not possible.
    #[error(transparent)]
    Run(#[from] BenchError),
    /// With its worms as messages it does not fail.
    #[error("it does not fail when its worms are messages; --export writes them")]
    Gone,
}

impl Bench {
    /// Searches for the smallest stimulus with which this seed still fails in the way of `failure`.
    /// It tries fewer worms, then fewer destinations, shorter worms and earlier cycles, and at last
    /// fewer stalls. `progress` gets the number of worms and of runs; `stop` ends the search early.
    ///
    /// # Errors
    /// The failure has no such stimulus.
    pub fn shrunk(
        &self,
        seed: u64,
        failure: &Failure,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(usize, u64),
    ) -> Result<Shrunk, ShrinkError> {
        let exported = self.exported(Some(seed))?;
        let messages = exported.workload.iter().find_map(|entry| match entry {
            Workload::Messages(messages) if !messages.is_empty() => Some(messages.clone()),
            _ => None,
        });
        let all = messages.ok_or(ShrinkError::Software)?;
        let purpose = format!("Smallest case of {}, seed {seed}: {}", self.name, failure.kind());
        let item = self.item(failure);
        let is_reached = |(item, _): &&(Item, Exclusion)| failure.is_of(item);
        let exclude: Vec<_> =
            self.covers.exclude.iter().find(is_reached).map(|(_, of)| of.clone()).into_iter().collect();
        // Bins are of use only for an exclusion.
        let Testbench { mut cover, mut crosses, .. } = exported;
        if exclude.is_empty() {
            (cover, crosses) = (Vec::new(), Vec::new());
        }
        let expect = self.only(failure);
        let start = Testbench { purpose, tags: Vec::new(), cover, crosses, exclude, expect, ..exported };
        // Expectations name worms by their numbers, which must stay.
        let named = item.map(Item::worms).unwrap_or_default().iter().map(|(_, worm)| *worm as usize + 1).max();
        let kind = match failure.kind().split_once('[') {
            Some((list, _)) => format!("{list}[0]"),
            None => bare(&failure.kind()).to_owned(),
        };
        let mut search =
            Shrinking { name: &self.name, start, kind, stop, progress, runs: 0, engine: self.loaded.engine };
        if !search.fails(&all)? {
            return Err(ShrinkError::Gone);
        }
        let (before, mut best) = (all.len(), all);
        reduce(&mut search, &mut best, StepLimits { named, payload_flits: 1 })?;
        search.drop_stalls(&best)?;
        let is_complete = search.goes_on();
        let worms = (before, best.len());
        Ok(Shrunk { bench: search.with(&best), worms, runs: search.runs, is_complete })
    }

    fn item(&self, failure: &Failure) -> Option<&Item> {
        self.items.iter().find(|item| failure.is_of(item))
    }

    /// The expectation that failed, alone.
    fn only(&self, failure: &Failure) -> Expect {
        let any = Expect { final_state: Some(FinalState::Any), ..Expect::default() };
        if let Some((index, _)) = failure.watched {
            let property = &self.monitor.duties()[index].property;
            return if self.watched[index].path.starts_with("signals") {
                Expect { signals: vec![Signals { at: property.window.soonest, that: property.text.clone() }], ..any }
            } else {
                Expect { properties: vec![property.text.clone()], ..any }
            };
        }
        match self.item(failure).map(|item| item.kind.clone()) {
            Some(Expectation::Deliveries(of)) => Expect { deliveries: vec![of], ..any },
            Some(Expectation::Latencies(of)) => Expect { latencies: vec![of], ..any },
            Some(Expectation::Throughput(of)) => Expect { throughput: vec![of], ..any },
            Some(Expectation::Order(of)) => Expect { order: vec![of], ..any },
            Some(Expectation::Blocked(of)) => Expect { blocked: vec![of], ..any },
            Some(Expectation::Multicasts(of)) => Expect { multicasts: vec![of], ..any },
            Some(Expectation::Link(of)) => Expect { links: vec![of], ..any },
            Some(Expectation::Account(of)) => Expect { account: Some(of), ..any },
            Some(Expectation::Other) | None => {
                // A fault of the whole run, or of a checker.
                let Expect { final_state, deadlock, .. } = self.expect.clone();
                let is_found = matches!(deadlock, Some(Deadlock::Found { .. }));
                let final_state = final_state.or((!is_found).then_some(FinalState::Empty));
                // Something has to be expected.
                let never = Some(Deadlock::Never).filter(|_| final_state == Some(FinalState::Any));
                Expect { final_state, deadlock: deadlock.or(never), ..Expect::default() }
            }
        }
    }
}

/// A kind without the word for a whole run: an expectation of a deadlock has none.
fn bare(kind: &str) -> &str {
    kind.strip_prefix("run: ").unwrap_or(kind)
}

struct Shrinking<'a> {
    name: &'a str,
    start: Testbench,
    kind: String,
    stop: &'a AtomicBool,
    progress: &'a mut dyn FnMut(usize, u64),
    runs: u64,
    engine: crate::experiment::Evaluation,
}

impl Shrinking<'_> {
    /// The testbench with these messages.
    fn with(&self, messages: &[Message]) -> Testbench {
        let mut bench = self.start.clone();
        for entry in &mut bench.workload {
            if let Workload::Messages(of) = entry {
                *of = messages.to_vec();
            }
        }
        bench
    }

    /// Whether these messages fail in the same way.
    fn fails(&mut self, messages: &[Message]) -> Result<bool, ShrinkError> {
        self.runs += 1;
        (self.progress)(messages.len(), self.runs);
        let mut bench = Bench::new(self.name, self.with(messages))?;
        bench.loaded.engine = self.engine;
        let verdict = bench.run_until(None, self.stop)?;
        Ok(verdict.is_some_and(|verdict| verdict.failures.iter().any(|of| bare(&of.kind()) == self.kind)))
    }
}

impl Shrinking<'_> {
    /// Leaves out the stalls without which these messages fail in the same way.
    fn drop_stalls(&mut self, messages: &[Message]) -> Result<(), ShrinkError> {
        for entry in (0..self.start.workload.len()).rev() {
            let Workload::Stalls(stalls) = &self.start.workload[entry] else { continue };
            for stall in (0..stalls.len()).rev() {
                let before = self.start.clone();
                if let Workload::Stalls(stalls) = &mut self.start.workload[entry] {
                    stalls.remove(stall);
                }
                if !self.goes_on() || !self.is_bad(messages)? {
                    self.start = before;
                }
            }
            if matches!(&self.start.workload[entry], Workload::Stalls(stalls) if stalls.is_empty()) {
                self.start.workload.remove(entry);
            }
        }
        Ok(())
    }
}

impl Trial for Shrinking<'_> {
    type Error = ShrinkError;

    fn is_bad(&mut self, messages: &[Message]) -> Result<bool, ShrinkError> {
        // A stimulus that is not allowed does not fail in the same way.
        Ok(self.fails(messages).unwrap_or(false))
    }

    fn goes_on(&self) -> bool {
        self.runs < MOST_RUNS && !self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use crate::testbench::from_text;

    #[test]
    fn a_stall_that_matters_not_is_left_out() {
        let text = "(purpose: \"stalls\", network: (topology: linear(nodes: 3)), workload: [messages([(cycle: 0, \
                    source: 0, destinations: [2], payload_flits: 3)]), stalls([(node: 1, from: 0, until: 9), \
                    (node: 2, from: 0, until: 30)])], expect: (deliveries: [(worm: 0, to: [2], by: 14)]))";
        let bench = from_text("x.ron", text).expect("a bench");
        let verdict = bench.run(None).expect("a verdict");
        let shrunk = bench.shrunk(1, &verdict.failures[0], &AtomicBool::new(false), &mut |_, _| ()).expect("a case");
        let text = shrunk.bench.text();
        assert!(text.contains("node: 2") && !text.contains("node: 1"), "{text}");
    }

    #[test]
    fn an_exclusion_that_is_reached_keeps_its_bin() {
        let text = "(purpose: \"x\", network: (topology: linear(nodes: 3)), workload: [messages([(cycle: 0, \
                    source: 1, destinations: [2], payload_flits: 9), (cycle: 0, source: 0, destinations: [1, 2], \
                    encoding: bit_string, payload_flits: 3), (cycle: 90, source: 0, destinations: [1], \
                    payload_flits: 1)])], cover: [\"rt_1.in1.state == TOKEN\", \"rt_1.in1.state == LANES\"], \
                    exclude: [(bin: \"rt_1.in1.state == TOKEN\", reason: \"no ring\"), (bin: \
                    \"rt_1.in1.state == LANES\", reason: \"never waits\")], expect: (final_state: empty))";
        let bench = from_text("x.ron", text).expect("a bench");
        let verdict = bench.run(None).expect("a verdict");
        assert_eq!(verdict.failures[0].kind(), "exclude[1]");
        let shrunk = bench.shrunk(1, &verdict.failures[0], &AtomicBool::new(false), &mut |_, _| ()).expect("a case");
        let text = shrunk.bench.text();
        assert!(shrunk.worms == (3, 2) && !text.contains("no ring"), "{text}");
        let again = from_text("small.ron", &text).expect("a bench").run(None).expect("a verdict");
        assert_eq!(again.failures[0].kind(), "exclude[0]");
    }

    #[test]
    fn a_deadlock_of_many_random_worms_is_one_of_two() {
        // Two trees in a mesh, each longer than a FIFO, that hold one output and want another.
        let text = "(purpose: \"trees\", network: (topology: mesh(radices: [4, 4])), random: [(worms: 60, \
                    cycles: (0, 60), payload_flits: (6, 12), encodings: [(bit_string, 1)])], \
                    expect: (final_state: empty))";
        let bench = from_text("trees.ron", text).expect("a bench");
        let verdict = bench.run(None).expect("a verdict");
        let failure = verdict.failures.iter().find(|of| of.kind() == "run: deadlock").expect("a deadlock");
        let shrunk = bench.shrunk(verdict.seed, failure, &AtomicBool::new(false), &mut |_, _| ()).expect("a case");
        assert!(shrunk.is_complete);
        assert_eq!((shrunk.worms.0, shrunk.worms.1), (60, 2), "{}", shrunk.bench.text());
        let again = from_text("small.ron", &shrunk.bench.text()).expect("a bench").run(None).expect("a verdict");
        assert_eq!(again.failures[0].kind(), "run: deadlock");
    }
}
