//! Random stimulus, steered towards bins of coverage that no run has reached.
//!
//! # Mechanism
//!
//! A candidate is a network of the given testbenches and a set of random worms. Each candidate aims
//! at a hole. It takes a network whose runs may reach the hole. It begins with the worms of the run
//! that came nearest, or with new ones. It changes them towards the values of the hole, for example
//! its encoding, more destinations, longer worms or fewer senders.
//!
//! Candidates are drawn in rounds of a fixed size, from the seed and from the results of earlier
//! rounds. So the result does not depend on the number of threads.
//!
//! # End
//!
//! The search ends when no hole is left, or when a given number of candidates in turn has closed
//! none. It proves nothing about the holes that are left.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use wormscope_hw::Encoding;
use wormscope_hw::header::Way;

use super::load::Bench;
use super::random;
use super::run::Verdict;
use super::schema::{Expect, FinalState, RandomWorms, Testbench};
use crate::coverage::{Bin, Facts, RunCoverage};
use crate::experiment::{Run, WormRules};
use crate::network::Network;
use crate::report::coverage::{BinState, Merged};
use crate::simulation::Site;
use crate::workload::random::{Key, Stream};

/// Candidates of a round.
const ROUND: u32 = 16;
/// Cycles after which a candidate is given up.
const MOST_CYCLES: u64 = 100_000;
/// Draws of a candidate before it is left out.
const DRAWS: u32 = 20;

/// A testbench that closes holes.
#[derive(Clone, Debug)]
pub struct Closing {
    /// Name of its file.
    pub name: String,
    /// The testbench.
    pub bench: Testbench,
    /// The bins that its run reaches as the first.
    pub bins: Vec<String>,
    /// Its verdict. A verdict that did not pass has found a fault.
    pub verdict: Verdict,
}

impl Closing {
    /// The testbench as a file.
    #[must_use]
    pub fn text(&self) -> String {
        self.bench.text()
    }
}

/// Numbers of a search so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steered {
    /// Candidates that ran.
    pub runs: u64,
    /// Candidates since the last one that closed a hole.
    pub idle: u32,
    /// Holes that are left and that some network of the search can reach.
    pub holes: usize,
}

/// A network of the testbenches.
struct Arena<'a> {
    network: &'a Network,
    rules: WormRules,
    /// Facts about runs with all these encodings.
    facts: Facts,
    /// Encodings that its worms can have.
    encodings: Vec<Encoding>,
    /// Worms of candidates that closed a hole, each with the bins that their runs reached.
    kept: Vec<(RandomWorms, Vec<Bin>)>,
}

/// A search.
pub struct Steering<'a> {
    arenas: Vec<Arena<'a>>,
    random: Key,
    patience: u32,
    /// Number of testbenches so far.
    closed: usize,
}

impl<'a> Steering<'a> {
    /// A search on the networks of some testbenches. It ends after `patience` candidates in turn
    /// that close no hole.
    #[must_use]
    pub fn new(benches: &'a [Bench], seed: u64, patience: u32) -> Self {
        let mut arenas: Vec<Arena<'a>> = Vec::new();
        for bench in benches {
            let network = &bench.loaded().experiment.network;
            if network.nodes() < 2 || network.node.has_software() || arenas.iter().any(|known| known.network == network)
            {
                continue;
            }
            let Ok(site) = Site::new(network) else { continue };
            let rules = WormRules::new(site.built());
            let can = |encoding: &Encoding| {
                let most = if encoding.way() == Way::Unicast { 1 } else { 2 };
                rules.check_worm(*encoding, most, 1).is_ok()
            };
            let encodings: Vec<Encoding> = Encoding::ALL.into_iter().filter(can).collect();
            let facts = Facts::of(network, site.wiring(), &encodings);
            arenas.push(Arena { network, rules, facts, encodings, kept: Vec::new() });
        }
        Self { arenas, random: Key::new(seed), patience, closed: 0 }
    }

    /// Draws and runs candidates until the end of the search. Adds their coverage to `merged`.
    /// `is_free` says whether a file may have a name. `progress` gets the numbers after each round,
    /// and says whether the search goes on.
    pub fn run(
        &mut self,
        merged: &mut Merged,
        is_free: impl Fn(&str) -> bool,
        mut progress: impl FnMut(Steered) -> bool,
    ) -> Vec<Closing> {
        let mut found = Vec::new();
        let mut so_far = Steered { holes: self.holes(merged).count(), ..Steered::default() };
        let mut round = 0;
        while so_far.idle < self.patience && so_far.holes > 0 && !self.arenas.is_empty() && progress(so_far) {
            let holes: Vec<Bin> = self.holes(merged).collect();
            let key = self.random.child(round);
            let candidates: Vec<(usize, Testbench)> =
                (0..ROUND).filter_map(|n| self.candidate(&holes, key.child(n.into()))).collect();
            for ((arena, bench), verdict) in candidates.iter().zip(ran(&candidates)) {
                so_far.runs += 1;
                so_far.idle += 1;
                let Some(verdict) = verdict else { continue };
                let Some(run) = verdict.coverage.clone().filter(|_| verdict.deadlock.is_none()) else { continue };
                let reached: Vec<Bin> = run.hardware.hits.iter().map(|of| Bin::at(of.0)).collect();
                let states = merged.states(true);
                let closes: Vec<String> = run
                    .hardware
                    .hits
                    .iter()
                    .filter(|of| states[of.0] == BinState::Hole)
                    .map(|of| Bin::at(of.0).to_string())
                    .collect();
                // One fault is enough: it must be mended before the search goes on.
                let is_first_fault = !verdict.passed() && found.iter().all(|of: &Closing| of.verdict.passed());
                if closes.is_empty() && !is_first_fault {
                    continue;
                }
                let names = (self.closed + 1..).map(|number| (number, format!("covered_{number:03}.ron")));
                let Some((number, name)) = names.into_iter().find(|(_, name)| is_free(name)) else { continue };
                self.closed = number;
                let mut bench = bench.clone();
                bench.purpose = match &closes[..] {
                    [] => "Random worms that find a fault".to_owned(),
                    [only] => format!("Random worms that reach {only}"),
                    [first, rest @ ..] => format!("Random worms that reach {first} and {} more bins", rest.len()),
                };
                self.arenas[*arena].kept.extend(bench.random.first().map(|worms| (worms.clone(), reached)));
                // The name differs from that of every other run, so the runs are different.
                let _ = merged.add(RunCoverage { name: name.clone(), ..run });
                found.push(Closing { name, bench, bins: closes, verdict });
                so_far.idle = 0;
            }
            round += 1;
            so_far.holes = self.holes(merged).count();
        }
        progress(so_far);
        found
    }

    /// The holes that a network of the search can reach.
    fn holes(&self, merged: &Merged) -> impl Iterator<Item = Bin> {
        let holes = Bin::all().zip(merged.states(true)).filter(|of| of.1 == BinState::Hole).map(|of| of.0);
        holes.filter(|hole| self.arenas.iter().any(|arena| arena.facts.allow(hole)))
    }

    /// A candidate that aims at one of the holes, and the number of its network.
    fn candidate(&self, holes: &[Bin], key: Key) -> Option<(usize, Testbench)> {
        let mut random = key.stream();
        for _ in 0..DRAWS {
            let hole = &holes[random.below(holes.len() as u32) as usize];
            let fit: Vec<usize> = (0..self.arenas.len()).filter(|&at| self.arenas[at].facts.allow(hole)).collect();
            // Some network can reach each of these holes.
            let at = fit[random.below(fit.len() as u32) as usize];
            let arena = &self.arenas[at];
            let worms = arena.worms(hole, &mut random);
            if random::check(&worms, &arena.rules).is_ok() {
                let seed = random.below_wide(1 << 32);
                let run = Run { seed, max_cycles: MOST_CYCLES, ..Run::default() };
                let expect = Expect { final_state: Some(FinalState::Empty), ..Expect::default() };
                let network = Some(arena.network.clone());
                let purpose = "Random worms".to_owned();
                let bench =
                    Testbench { purpose, network, random: vec![worms], run: Some(run), expect, ..Testbench::default() };
                return Some((at, bench));
            }
        }
        None
    }
}

/// Runs candidates on all processors. The verdicts have the order of the candidates.
fn ran(candidates: &[(usize, Testbench)]) -> Vec<Option<Verdict>> {
    let next = AtomicUsize::new(0);
    let verdicts: Mutex<Vec<Option<Verdict>>> = Mutex::new(candidates.iter().map(|_| None).collect());
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((_, bench)) = candidates.get(at) else { return };
            let verdict = Bench::new("candidate", bench.clone()).ok().and_then(|mut bench| {
                bench.counts_coverage = true;
                bench.run(None).ok()
            });
            if let Ok(mut verdicts) = verdicts.lock() {
                verdicts[at] = verdict;
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(candidates.len());
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    verdicts.into_inner().unwrap_or_default()
}

impl Arena<'_> {
    /// Worms that aim at a hole.
    fn worms(&self, hole: &Bin, random: &mut Stream) -> RandomWorms {
        let near = self.kept.iter().filter_map(|(worms, bins)| {
            let distance = bins.iter().filter_map(|bin| bin.distance(hole)).min()?;
            Some((distance, worms))
        });
        let mut worms = match near.min_by_key(|of| of.0).filter(|_| random.below(3) > 0) {
            Some((_, nearest)) => {
                let mut worms = nearest.clone();
                self.change(&mut worms, random);
                worms
            }
            None => self.fresh(random),
        };
        self.aim(&mut worms, hole, random);
        worms
    }

    /// New worms.
    fn fresh(&self, random: &mut Stream) -> RandomWorms {
        let mut worms = RandomWorms {
            worms: 1,
            cycles: (0, 0),
            sources: Vec::new(),
            targets: Vec::new(),
            encodings: Vec::new(),
            destinations: (1, 1),
            around_source: false,
            payload_flits: (1, 1),
        };
        (0..6).for_each(|field| self.draw(&mut worms, field, random));
        worms
    }

    /// Changes one or two fields.
    fn change(&self, worms: &mut RandomWorms, random: &mut Stream) {
        for _ in 0..=random.below(2) {
            let field = random.below(6);
            self.draw(worms, field, random);
        }
    }

    /// Draws a field anew.
    fn draw(&self, worms: &mut RandomWorms, field: u32, random: &mut Stream) {
        let nodes = self.network.nodes();
        match field {
            0 => worms.worms = 2 << random.below(6),
            1 => worms.cycles = (0, u64::from(worms.worms) * [0, 1, 3, 10, 40][random.below(5) as usize]),
            2 => {
                worms.encodings = self.encodings.iter().map(|&encoding| (encoding, random.below(3))).collect();
                if worms.encodings.iter().all(|of| of.1 == 0) {
                    worms.encodings[0].1 = 1;
                }
            }
            3 => {
                let most = (nodes - 1).min(1 << random.below(5));
                worms.destinations = (1 + random.below(most), most);
            }
            4 => {
                let bits = random.below(6);
                let most = 1 + random.below(2 << bits);
                worms.payload_flits = (1 + random.below(most), most);
            }
            _ => {
                let some = |random: &mut Stream| match random.below(3) {
                    0 => (0..=random.below(2)).map(|_| random.below(nodes)).collect(),
                    _ => Vec::new(),
                };
                (worms.sources, worms.targets) = (some(random), some(random));
                for list in [&mut worms.sources, &mut worms.targets] {
                    list.sort_unstable();
                    list.dedup();
                }
            }
        }
    }

    /// Changes worms towards the values of a hole.
    fn aim(&self, worms: &mut RandomWorms, hole: &Bin, random: &mut Stream) {
        let nodes = self.network.nodes();
        let depth = self.network.deepest_fifo().0;
        for (dimension, value) in hole.words() {
            let number = value.split('_').next().and_then(|number| number.parse::<u32>().ok());
            match (dimension, number) {
                ("encoding" | "stripping", _) => {
                    if let Some(&wanted) = self.encodings.iter().find(|encoding| encoding.name() == value) {
                        worms.encodings.iter_mut().for_each(|of| of.1 = if of.0 == wanted { 9 } else { of.1.min(1) });
                        if !worms.encodings.iter().any(|of| of.0 == wanted) {
                            worms.encodings.push((wanted, 9));
                        }
                    }
                }
                ("destinations" | "fan_out", Some(number)) => {
                    let most = number.max(random.below(nodes)).clamp(1, nodes - 1);
                    worms.destinations =
                        (number.min(most), if dimension == "fan_out" { most } else { number.min(most) });
                }
                ("length", _) if value == "longer" => worms.payload_flits = (depth + 1, 2 * depth + 1),
                ("length", _) => worms.payload_flits = (1, 1),
                ("fifo" | "fifo_before", _) if value == "full" => worms.payload_flits = (depth, 2 * depth + 1),
                ("contenders", Some(2..)) => {
                    worms.cycles.1 = worms.cycles.1.min(u64::from(worms.worms));
                    worms.worms = worms.worms.max(8);
                }
                ("queue", Some(2..)) => worms.cycles.1 = worms.cycles.1.min(4),
                ("cycles_between", Some(number)) if number > 0 => {
                    worms.cycles.1 = u64::from(worms.worms) * u64::from(number + 4);
                }
                _ => {}
            }
        }
    }
}
