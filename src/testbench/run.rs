//! One run of a testbench and its verdict.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use super::cause::{self, NEVER, WhyLate};
use super::expectations::{Expectation, Item};
use super::failure::{Failure, list};
use super::judge::Evidence;
use super::load::Bench;
use super::monitor::PropertyOutcome;
use super::record::Record;
use super::schema::{Deadlock, FinalState, Order};
use super::{multicasts, random};
use crate::account::{Accounts, History};
use crate::coverage::{Coverage, PropertyCounts, RunCoverage};
use crate::deadlock;
use crate::engine::{Clocked as _, Observer, Samples, UnderWay, WormInfo};
use crate::experiment::config::short_hash;
use crate::experiment::{Experiment, Loaded, Workload};
use crate::explain::names::WaveNames;
use crate::input::{ConfigError, ron};
use crate::quote;
use crate::simulation::{Outcome, Simulation};
use crate::trace::{self, TraceError};
use crate::verify::checkers::Checkers;
use crate::verify::rules::{Breach, Rule};
use crate::workload::Operation;
use wormscope_hw::NodeId;

/// Verdict on a testbench.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Name of the testbench.
    pub name: String,
    /// Seed of the run.
    pub seed: u64,
    /// Cycles that were simulated.
    pub cycles: u64,
    /// Worms that were created.
    pub worms: u64,
    /// Failures. The testbench has passed when there are none.
    pub failures: Vec<Failure>,
    /// The deadlock in which the run ended, if the testbench does not expect it.
    pub deadlock: Option<Box<deadlock::Deadlock>>,
    /// Notes for the reader that are no failures.
    pub notes: Vec<String>,
    /// Situations that the run has met, if they were counted.
    pub coverage: Option<RunCoverage>,
}

impl Verdict {
    /// Whether all expectations hold.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// The first cycle with a fault, if one is known.
    #[must_use]
    pub(crate) fn first_cycle(&self) -> Option<u64> {
        self.failures.iter().filter_map(|failure| failure.cycle).min()
    }

    /// The worm of the first failure that a wait explains, and the first cycle of the wait.
    #[must_use]
    pub(crate) fn waits(&self) -> Option<(u32, u64)> {
        let waits = |of: &Failure| of.cause.as_ref().and_then(|cause| Some((cause.worm, cause.waits_from()?)));
        let waits = self.failures.iter().filter_map(|of| Some(((of.cycle.is_none(), of.cycle), waits(of)?)));
        waits.min_by_key(|of| of.0).map(|of| of.1)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.passed() { "passed" } else { "FAILED" };
        write!(f, "{}: {verdict} after {} cycles, seed {}", self.name, self.cycles, self.seed)?;
        // A worm that fails at several destinations has one reason, written once.
        for failure in &self.failures {
            write!(f, "\n  {failure}")?;
            if let Some(property) = &failure.property {
                write!(f, "\n    property: {property}")?;
            }
            if let Some(cause) = failure.cause.as_ref().filter(|cause| !cause.repeats) {
                write!(f, "\n    why: {cause}")?;
            }
        }
        Ok(())
    }
}

/// Stops a run when a flag becomes true.
struct StopFlag<'a>(&'a AtomicBool);

impl Observer for StopFlag<'_> {
    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A testbench that did not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A fault in its files.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The signals of the testbench cannot be watched, or its waveform cannot be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The testbench failed.
    #[error("{0}")]
    Failed(Box<Verdict>),
    /// The run was stopped.
    #[error("{}: the run was stopped", quote::name(.0))]
    Stopped(String),
}

impl Bench {
    /// Runs with the seed of the file, or another one.
    ///
    /// # Errors
    /// The stimulus turns out to be wrong on the way, or an expectation names a worm that does not
    /// exist.
    pub fn run(&self, seed: Option<u64>) -> Result<Verdict, BenchError> {
        let ended = self.run_of(&self.with_random_worms(seed), &AtomicBool::new(false))?;
        // Only the flag ends a run early, or an output that cannot be written. A run has none.
        ended.map(|(verdict, _)| verdict).ok_or_else(|| BenchError::Stopped(self.name.clone()))
    }

    /// The same as [`Bench::run`]. The run ends when `stop` becomes true, and has no verdict then.
    ///
    /// # Errors
    /// The same as for [`Bench::run`].
    pub fn run_until(&self, seed: Option<u64>, stop: &AtomicBool) -> Result<Option<Verdict>, BenchError> {
        Ok(self.run_of(&self.with_random_worms(seed), stop)?.map(|(verdict, _)| verdict))
    }

    /// Runs an experiment. The result is the verdict and the worms, or `None` if `stop` ended it.
    pub(super) fn run_of(
        &self,
        loaded: &Loaded,
        stop: &AtomicBool,
    ) -> Result<Option<(Verdict, Vec<WormInfo>)>, BenchError> {
        let mut breaches = Vec::new();
        let ended = self.run_with(loaded, stop, Samples::Banks, &mut breaches)?;
        if breaches.is_empty() {
            return Ok(ended);
        }
        // Whole banks of lanes say that a rule is broken. Lane by lane, it is said where.
        let mut ended = self.run_with(loaded, stop, Samples::Lanes, &mut Vec::new())?;
        let is_told = |verdict: &Verdict| verdict.failures.iter().any(Failure::is_breach);
        if let Some((verdict, _)) = ended.as_mut().filter(|(verdict, _)| !is_told(verdict)) {
            verdict.failures.extend(breaches.into_iter().map(Failure::breach));
        }
        Ok(ended)
    }

    /// Runs an experiment with checkers that look at these samples. With banks, `breaches` gets the
    /// broken rules.
    #[allow(clippy::too_many_lines)] // One observer after the other.
    fn run_with(
        &self,
        loaded: &Loaded,
        stop: &AtomicBool,
        samples: Samples,
        breaches: &mut Vec<Breach>,
    ) -> Result<Option<(Verdict, Vec<WormInfo>)>, BenchError> {
        let site = &self.site;
        let Experiment { network, run, .. } = &loaded.experiment;
        let monitor = if self.monitor.is_empty() { None } else { Some(self.monitor.observe(network, site.wiring())?) };
        let mut simulation = Simulation::new(loaded, site)?;
        let checkers = Checkers::new(network, site, &self.unchecked, samples);
        let mut accounts = HashMap::new();
        let needs = |is: fn(&Expectation) -> bool| self.items.iter().any(|item| is(&item.kind));
        let watch = needs(|of| matches!(of, Expectation::Latencies(l) if l.cause.is_some())).then(|| {
            Accounts::new(
                History::new(network, site.wiring(), site.stalls(&loaded.experiment.workload)),
                |_, worm, account| {
                    accounts.insert((worm.id.0, account.destination.0), account.by_cause());
                },
            )
        });
        let record = Record::new(network, site.wiring()).with_waits(needs(|of| matches!(of, Expectation::Blocked(_))));
        // An exclusion is a property, so it is watched in every run.
        let counts = self.counts_coverage || !self.covers.hardware.is_empty();
        let coverage = counts.then(|| Coverage::new(network, site.wiring()));
        let mut observers = ((record, checkers), ((monitor, watch), (coverage, StopFlag(stop))));
        let outcome = simulation.run(&mut observers, |_| ())?;
        let arrived = simulation.engine.worms_alive() == 0;
        if outcome == Outcome::Done && arrived {
            simulation.engine.settle(&mut observers);
        }
        // Engines that differ end a run as well, and that is a failure.
        if outcome == Outcome::Stopped && simulation.difference().is_none() {
            return Ok(None);
        }
        let end = simulation.engine.now();
        let is_silent = simulation.is_silent();
        let is_cut_off = outcome == Outcome::CycleLimit && simulation.has_messages();
        let ((record, checkers), ((monitor, watch), (coverage, _))) = observers;
        if let Some(history) = watch.map(|watch| watch.history) {
            for UnderWay { info, .. } in simulation.engine.under_way() {
                let so_far = history.account_so_far(info, end.saturating_sub(1)).by_cause();
                for node in info.destinations.iter() {
                    accounts.entry((info.id.0, node.0)).or_insert(so_far);
                }
            }
        }
        let evidence = Evidence {
            record: &record,
            accounts,
            waits: record.waits(end),
            names: WaveNames::new(network, site.wiring()),
            classes: loaded.experiment.classes(),
            nodes: site.wiring().nodes(),
            operations: simulation.operations(),
            account: simulation.engine.account(),
            waited_for: simulation.engine.most_blamed(),
            under_way: simulation.engine.under_way(),
            end,
            is_open: !matches!(outcome, Outcome::Deadlock(_)),
            is_at_rest: is_silent,
            lanes: simulation.engine.lane_stats().collect(),
        };
        self.check_names(loaded, &outcome, &record.worms, evidence.operations.len())?;
        self.refuse_other_receivers(evidence.operations)?;
        let difference = simulation
            .difference()
            .map(|message| Failure::unplaced("engines".to_owned(), format!("differ in {message}"), Some(end)));
        let mut failures: Vec<Failure> = difference.into_iter().collect();
        failures.extend(self.ending(&outcome, &simulation, is_cut_off, &evidence));
        let deadlock = match outcome {
            Outcome::Deadlock(found) if !failures.is_empty() => Some(found),
            _ => None,
        };
        failures.extend(self.items.iter().flat_map(|item| evidence.judge(item)));
        if !self.unchecked.contains(&Rule::Tree) {
            let found = multicasts::off_plan(evidence.operations, &record).into_iter();
            let what = format!("checker {}", Rule::Tree);
            failures.extend(found.map(|(message, cycle)| Failure::unplaced(what.clone(), message, cycle)));
        }
        let mut notes = Vec::new();
        let mut counted = RunCoverage {
            name: self.name.clone(),
            seed: run.seed,
            hash: self.hash(),
            cycles: end,
            hardware: coverage.map(Coverage::covered).unwrap_or_default(),
            ..RunCoverage::default()
        };
        if let Some(monitor) = monitor {
            let monitor = monitor.finish_dump(trace::DumpEnd { cycles: end, deadlock: None })?;
            counted.own = self.covers.counted(monitor.hits());
            let outcomes = monitor.outcomes(is_silent);
            for (index, ((item, text), outcome)) in self.watched.iter().zip(&self.texts).zip(outcomes).enumerate() {
                let PropertyOutcome { triggered, passed, vacuous, .. } = outcome;
                counted.properties.push(PropertyCounts { text: text.clone(), triggered, passed, vacuous });
                if !outcome.asked {
                    notes.push(format!("{}: {}: its left side never holds", item.place, item.path));
                }
                if let Some(start) = outcome.open {
                    notes.push(format!(
                        "{}: {}: not judged: the run ended in cycle {end}, before the answer to cycle {start} was due",
                        item.place, item.path
                    ));
                }
                let found = outcome.violation;
                failures.extend(found.map(|v| Failure::of_property(item, index, self.monitor.text(index), v)));
            }
        }
        let saw_banks = checkers.saw_banks();
        let found = checkers.finish(end, arrived);
        if saw_banks && !found.is_empty() {
            *breaches = found;
            return Ok(None);
        }
        failures.extend(found.into_iter().map(Failure::breach));
        failures.extend(self.covers.reached(&mut counted));
        let late = failures.iter_mut().filter_map(|of| Some((of.worm?, of.cycle.unwrap_or(NEVER), &mut of.cause)));
        cause::explain(loaded, site, late)?;
        let mut known: Vec<WhyLate> = Vec::new();
        for cause in failures.iter_mut().filter_map(|of| of.cause.as_mut()) {
            cause.repeats = known.iter().any(|of| of.is_as(cause));
            known.push(cause.clone());
        }
        let verdict = Verdict {
            name: self.name.clone(),
            seed: run.seed,
            cycles: end,
            worms: record.worms.len() as u64,
            failures,
            deadlock,
            notes,
            coverage: self.counts_coverage.then_some(counted),
        };
        Ok(Some((verdict, record.worms)))
    }

    /// Runs with the seed of the file. Anything unexpected is an error. This is for tests.
    ///
    /// # Errors
    /// The errors of [`Bench::run`], and a failure of the testbench.
    pub fn check(&self) -> Result<Verdict, BenchError> {
        let verdict = self.run(None)?;
        if verdict.passed() { Ok(verdict) } else { Err(BenchError::Failed(Box::new(verdict))) }
    }

    /// The experiment of a run with this seed, or with the seed of the file. Random worms are
    /// drawn. Paths of traces are relative to the working directory.
    #[must_use]
    pub fn drawn(&self, seed: Option<u64>) -> Loaded {
        let loaded = self.with_random_worms(seed);
        Loaded { hash: loaded.experiment.hash(), ..loaded }
    }

    /// Hash of everything but the seed that decides the worms of a run. Random worms count as they
    /// are described.
    fn hash(&self) -> String {
        match &self.random[..] {
            [] => self.loaded.hash.clone(),
            random => short_hash(&(self.loaded.hash.clone() + &ron::canonical(&random))),
        }
    }

    /// The experiment with this seed.
    pub(super) fn with_random_worms(&self, seed: Option<u64>) -> Loaded {
        let mut loaded = self.loaded.clone();
        let Experiment { network, workload, run, .. } = &mut loaded.experiment;
        run.seed = seed.unwrap_or(run.seed);
        for (place, worms) in (0..).zip(&self.random) {
            workload.push(Workload::Messages(random::draw(worms, place, run.seed, network, &self.site)));
        }
        loaded
    }

    /// Refuses expectations about parts that a run of `loaded` does not have, if this is known only
    /// after it. `worms` are the worms that the run created. `multicasts` is the number of
    /// multicasts that it began.
    ///
    /// # Errors
    /// The first expectation that names a worm, a multicast or a destination that does not exist.
    pub fn check_names(
        &self,
        loaded: &Loaded,
        outcome: &Outcome,
        worms: &[WormInfo],
        multicasts: usize,
    ) -> Result<(), ConfigError> {
        self.refuse_unknown_worms(loaded, outcome, worms.len())?;
        self.refuse_other_destinations(worms)?;
        self.refuse_unknown_multicasts(loaded, multicasts as u64)
    }

    /// Refuses nodes to which a multicast in software does not go.
    fn refuse_other_receivers(&self, operations: &[Operation]) -> Result<(), ConfigError> {
        for item in &self.items {
            let Expectation::Multicasts(m) = &item.kind else { continue };
            let Some(operation) = operations.get(m.multicast as usize) else { continue };
            let plan = &operation.design.plan;
            let goes = |node: u32| {
                let mut all = plan.destinations.iter().chain(plan.sends.iter().flat_map(|send| &send.to));
                all.any(|to| to.0 == node)
            };
            if let Some(node) = m.to.iter().find(|node| !goes(**node)) {
                let why = format!("{}.to: multicast {} does not go to node {node}", item.path, m.multicast);
                return Err(ConfigError::new(item.place.clone(), why));
            }
        }
        Ok(())
    }

    fn refuse_unknown_multicasts(&self, loaded: &Loaded, begun: u64) -> Result<(), ConfigError> {
        // A run that ends early has not begun all multicasts.
        let given = loaded.experiment.workload.iter().map(|entry| match entry {
            Workload::Multicast(m) => u64::from(m.times),
            Workload::Multicasts(m) => u64::from(m.times) * u64::from(m.count),
            Workload::Messages(_)
            | Workload::Trace(_)
            | Workload::Traffic(_)
            | Workload::Spmd(_)
            | Workload::Stalls(_) => 0,
        });
        let count = given.sum::<u64>().max(begun);
        let last = match count.checked_sub(1) {
            Some(last) => format!("multicasts 0 to {last}"),
            None => "no multicasts".to_owned(),
        };
        for item in &self.items {
            if let Expectation::Multicasts(m) = &item.kind
                && u64::from(m.multicast) >= count
            {
                let why =
                    format!("{}.multicast: there is no multicast {}; the run begins {last}", item.path, m.multicast);
                return Err(ConfigError::new(item.place.clone(), why));
            }
        }
        Ok(())
    }

    fn refuse_unknown_worms(&self, loaded: &Loaded, outcome: &Outcome, created: usize) -> Result<(), ConfigError> {
        // A run that ends early has not created all worms. Their full number is known only for
        // given messages.
        let is_open = |entry: &Workload| !matches!(entry, Workload::Messages(_) | Workload::Stalls(_));
        if *outcome != Outcome::Done && loaded.experiment.workload.iter().any(is_open) {
            return Ok(());
        }
        let given = loaded.experiment.workload.iter().map(|entry| match entry {
            Workload::Messages(messages) => messages.len(),
            Workload::Trace(_)
            | Workload::Traffic(_)
            | Workload::Spmd(_)
            | Workload::Multicast(_)
            | Workload::Multicasts(_)
            | Workload::Stalls(_) => 0,
        });
        let count = given.sum::<usize>().max(created);
        let last = match count.checked_sub(1) {
            Some(last) => format!("worms 0 to {last}"),
            None => "no worms".to_owned(),
        };
        for (item, path, worm) in self.named_worms() {
            if worm as usize >= count {
                return Err(ConfigError::new(
                    item.place.clone(),
                    format!("{path}: there is no worm {worm}; the run creates {last}"),
                ));
            }
        }
        Ok(())
    }

    /// Worms that expectations name, each with the place of its name.
    fn named_worms(&self) -> impl Iterator<Item = (&Item, String, u32)> {
        let of_deadlock = self.deadlock.iter().flat_map(|(item, deadlock)| {
            let worms = if let Deadlock::Found { worms, .. } = deadlock { &worms[..] } else { &[] };
            worms.iter().enumerate().map(move |(i, worm)| (item, format!("deadlock.found.worms[{i}]"), *worm))
        });
        let named = self.items.iter().flat_map(|item| item.worms().into_iter().map(move |(path, w)| (item, path, w)));
        named.chain(of_deadlock)
    }

    /// Refuses an expectation for a node that is no destination of the named worm.
    fn refuse_other_destinations(&self, worms: &[WormInfo]) -> Result<(), ConfigError> {
        // The destinations of a worm that was not created are not known.
        let goes = |worm: &u32, node: u32| {
            worms.get(*worm as usize).is_none_or(|worm| worm.destinations.contains(&NodeId(node)))
        };
        for item in &self.items {
            let found = match &item.kind {
                Expectation::Latencies(l) if !l.worms.is_empty() && !l.to.is_empty() => {
                    let node = l.to.iter().find(|node| !l.worms.iter().any(|worm| goes(worm, **node)));
                    let worm = l.worms.iter().find(|worm| !l.to.iter().any(|node| goes(worm, *node)));
                    let no_node = node.map(|node| format!("of worms {} none goes to node {node}", list(&l.worms)));
                    no_node.or(worm.map(|worm| format!("worm {worm} goes to none of nodes {}", list(&l.to))))
                }
                Expectation::Order(Order::AtNode { node, worms }) => {
                    let worm = worms.iter().find(|worm| !goes(worm, *node));
                    worm.map(|worm| format!("worm {worm} does not go to node {node}"))
                }
                Expectation::Order(Order::OfWorm { worm, nodes }) => {
                    let node = nodes.iter().find(|node| !goes(worm, **node));
                    node.map(|node| format!("worm {worm} does not go to node {node}"))
                }
                _ => None,
            };
            if let Some(why) = found {
                return Err(ConfigError::new(item.place.clone(), format!("{}: {why}", item.path)));
            }
        }
        Ok(())
    }

    /// Failures that the end of the run shows.
    /// `is_cut_off`: messages were still to come.
    fn ending(
        &self,
        outcome: &Outcome,
        simulation: &Simulation,
        is_cut_off: bool,
        evidence: &Evidence,
    ) -> Vec<Failure> {
        let engine = &simulation.engine;
        if evidence.record.worms.is_empty() {
            let message = format!("no worm was sent by cycle {}, the end of the run", engine.now());
            return vec![Failure::run("no worm", message, None)];
        }
        let deadlock = self.deadlock.as_ref();
        let expected = deadlock.filter(|(_, deadlock)| *deadlock != Deadlock::Never);
        match (outcome, expected) {
            (Outcome::Deadlock(seen), Some((item, expected))) => evidence.deadlock(item, expected, seen),
            (Outcome::Deadlock(seen), None) => {
                let report = seen.report(&evidence.names);
                let report = report.trim_end().replace('\n', "\n    ");
                let at = Some(seen.final_cycle);
                vec![match deadlock {
                    Some((item, _)) => Failure::of(item, report, at),
                    None => Failure::run("deadlock", report, at),
                }]
            }
            (_, Some((item, _))) => {
                vec![Failure::of(item, format!("no deadlock by cycle {}, the end of the run", engine.now()), None)]
            }
            _ if self.final_state == Some(FinalState::Any) => Vec::new(),
            _ if engine.worms_alive() > 0 => {
                let mut missing: Vec<usize> = evidence.record.worms.iter().map(|w| w.destinations.len()).collect();
                for d in &evidence.record.deliveries {
                    missing[d.worm.index()] = missing[d.worm.index()].saturating_sub(1);
                }
                let alive: Vec<usize> = (0..missing.len()).filter(|&w| missing[w] > 0).collect();
                let some = list(alive.iter().take(8)) + if alive.len() > 8 { ", ..." } else { "" };
                let is_random = self.loaded.experiment.workload.iter().any(|of| matches!(of, Workload::Traffic(_)));
                let waits = if is_random { "run: (drain: empty) waits for random traffic to arrive; " } else { "" };
                let message = format!(
                    "{} {} not arrived after {} cycles: {some}; {waits}to accept worms under way, expect final_state: any",
                    alive.len(),
                    quote::form(alive.len(), "worm has", "worms have"),
                    engine.now()
                );
                vec![Failure::run("not arrived", message, None)]
            }
            _ if is_cut_off => {
                let message = format!(
                    "the run was cut off after {} cycles (run.max_cycles), with messages still to come; to accept it, \
                     expect final_state: any",
                    engine.now()
                );
                vec![Failure::run("cut off", message, None)]
            }
            _ if !engine.is_clean() => {
                let left = quote::list_of(simulation.left_behind(), "; ", quote::MOST_LISTED);
                let message = format!("everything has arrived, but this was left behind: {left}");
                vec![Failure::run("not clean", message, None)]
            }
            _ => {
                let incomplete = multicasts::incomplete(evidence.operations).into_iter();
                incomplete.map(|message| Failure::run("multicast not complete", message, None)).collect()
            }
        }
    }
}
