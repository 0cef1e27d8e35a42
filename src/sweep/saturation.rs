//! The load of saturation, by bisection over the load with common random numbers: every load is run
//! with the seed of the row.
//!
//! A run that is saturated, deadlocks or hits its limit of cycles is above, any other below. From
//! the greatest load that the traffic may have the bracket is halved until it is a hundredth of its
//! upper end wide. Fields that are derived from the load follow it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::SweepError;
use super::fields::{Derived, FieldNames};
use super::runner::{Runner, Unrun};
use crate::config;
use crate::engine::Drain;
use crate::experiment::{Loaded, Workload};
use crate::quote::excerpt;
use crate::report::{Report, RunEnd};

/// Width of the bracket, as a share of its upper end.
const PRECISION: f64 = 0.01;
/// Where even this share of the greatest load is too much, there is no load below saturation.
const LEAST: f64 = 1.0 / 1024.0;

/// Two loads between which saturation sets in, in flits per node and cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bracket {
    /// The greatest load that was below; 0, where nothing is sent, before any was run.
    pub low: f64,
    /// The least load that was above, and how its run ended; `None` when the greatest load there is
    /// was below.
    pub high: Option<(f64, RunEnd)>,
}

impl Bracket {
    /// The middle; the greatest load there is where that was below.
    #[must_use]
    pub fn middle(&self) -> f64 {
        self.high.map_or(self.low, |(high, _)| self.low.midpoint(high))
    }

    /// The bracket up to `greatest`; `above` runs a load and says how it ended when it was above.
    fn find<E>(greatest: f64, mut above: impl FnMut(f64) -> Result<Option<RunEnd>, E>) -> Result<Self, E> {
        let mut bracket = Self { low: 0.0, high: None };
        let mut load = greatest;
        loop {
            match above(load)? {
                Some(outcome) => bracket.high = Some((load, outcome)),
                None => bracket.low = load,
            }
            let Some((high, _)) = bracket.high else { return Ok(bracket) };
            if high - bracket.low <= PRECISION * high || high < LEAST * greatest {
                return Ok(bracket);
            }
            load = bracket.low.midpoint(high);
        }
    }
}

/// A bracket that is known, or that a worker is about to find.
type Slot = Arc<Mutex<Option<Bracket>>>;

/// Brackets of all hardware of a sweep, each searched for once.
pub struct SaturationSearch {
    /// What the load is called.
    pub name: String,
    /// Of each base, the entry of the workload whose load is searched, and the path of that load.
    entries: Vec<(usize, String)>,
    /// By the hash of the configuration at the greatest load.
    known: Mutex<HashMap<String, Slot>>,
}

impl SaturationSearch {
    /// A search over the field `name` of bases that have these fields.
    pub fn new(name: &str, known: &FieldNames) -> Result<Self, SweepError> {
        let option = format!("--saturation={}", excerpt(name));
        let refuse = |why: String| SweepError::Asked(format!("{option}: {why}"));
        let (called, paths) = known.resolved(&option, name)?;
        let entry = |path: String| {
            let within = path.strip_prefix("workload[").and_then(|rest| rest.strip_suffix("].traffic.load"));
            let no_load =
                || refuse(format!("{path} is not the load of random traffic, such as workload[0].traffic.load"));
            let entry = within.and_then(|index| index.parse().ok());
            entry.map(|entry| (entry, path.clone())).ok_or_else(no_load)
        };
        let entries = paths.into_iter().map(entry).collect::<Result<_, _>>()?;
        Ok(Self { name: called, entries, known: Mutex::default() })
    }

    /// The path of the load in a base.
    pub fn path(&self, base: usize) -> &str {
        &self.entries[base].1
    }

    /// Refuses a load that follows from other fields: no search can hold it to them.
    pub fn check(&self, derived: &[Derived]) -> Result<(), SweepError> {
        let is_derived =
            |(base, (_, path)): (usize, &(usize, String))| derived.iter().any(|of| of.paths[base] == *path);
        match self.entries.iter().enumerate().find(|entry| is_derived(*entry)) {
            Some((_, (_, path))) => Err(SweepError::Asked(format!(
                "--saturation: {path} follows from --derive; search for the load that it is derived from"
            ))),
            None => Ok(()),
        }
    }

    /// The bracket of an experiment of a base, whatever its own load is; `at` makes it with what is
    /// derived from another load, or says why that is refused.
    pub fn find(
        &self,
        base: usize,
        loaded: &Loaded,
        at: &dyn Fn(f64) -> Result<Loaded, String>,
        runner: &mut Runner,
    ) -> Result<Bracket, Unrun> {
        let (entry, path) = &self.entries[base];
        let no_traffic =
            || Unrun::Refused(format!("workload[{entry}] is no random traffic, so that no load saturates"));
        let Some(Workload::Traffic(traffic)) = loaded.experiment.workload.get(*entry) else { return Err(no_traffic()) };
        let greatest = config::greatest_load(&loaded.experiment.network, traffic);
        let probe = |load: f64| {
            let refused = |why| Unrun::Refused(format!("--saturation: {path}={load}: {why}"));
            let mut probe = at(load).map_err(refused)?;
            // A run that is saturated is not drained.
            probe.experiment.run.drain = Drain::Measured;
            let entry = probe.experiment.workload.get_mut(*entry);
            let Some(Workload::Traffic(traffic)) = entry else { return Err(no_traffic()) };
            (traffic.load, traffic.interval) = (Some(load), None);
            Ok(probe)
        };
        let key = probe(greatest)?.experiment.hash();
        let slot = Arc::clone(self.known.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = *slot {
            return Ok(known);
        }
        let found =
            Bracket::find(greatest, |load| Ok::<_, Unrun>(above(&runner.run(&probe(load)?, None, &mut None)?)))?;
        Ok(*slot.insert(found))
    }
}

/// How a run ended that is above saturation.
fn above(report: &Report) -> Option<RunEnd> {
    (report.outcome != RunEnd::Done).then_some(report.outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(greatest: f64, saturation: f64) -> (Bracket, usize) {
        let mut runs = 0;
        let above = |load: f64| {
            runs += 1;
            Ok::<_, ()>((load > saturation).then_some(RunEnd::Saturated))
        };
        let bracket = Bracket::find(greatest, above).unwrap();
        (bracket, runs)
    }

    #[test]
    fn the_bracket_holds_the_load_of_saturation() {
        for saturation in [0.003, 0.1, 0.17, 0.3, 0.5, 0.77, 0.999] {
            let (bracket, runs) = find(1.0, saturation);
            let (high, _) = bracket.high.unwrap();
            assert!(bracket.low <= saturation && saturation < high && high - bracket.low <= 0.01 * high, "{bracket:?}");
            assert!(runs <= 18, "{runs} runs for {saturation}");
        }
    }

    #[test]
    fn what_never_saturates_and_what_always_does_end_as_well() {
        let (bracket, runs) = find(2.0, 2.0);
        assert_eq!((bracket.low, bracket.high, bracket.middle(), runs), (2.0, None, 2.0, 1));
        let (bracket, runs) = find(1.0, 0.0);
        assert_eq!((bracket.low, runs), (0.0, 12));
        assert!(bracket.middle() < 1e-3);
    }
}
