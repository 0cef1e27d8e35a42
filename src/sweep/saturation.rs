//! Load of saturation, by bisection over the load with common random numbers: every load runs with
//! the seed of the row.
//!
//! A run that is saturated, deadlocks or hits its limit of cycles is above, and any other is below.
//! The bracket begins at the largest load that the traffic may have. It is halved until its width
//! is a hundredth of its upper end. Fields that are derived from the load follow it.
//!
//! A short window finds too large a load, because a small excess looks like chance
//! (docs/explain/measurement.md). So the window is doubled until each source sends enough messages
//! and the load that was below is still below. The rest of the bias widens the bracket. The ends of
//! the bracket are the offered loads. The traffic of a seed may differ by some per cent from the
//! load of the configuration.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::SweepError;
use super::fields::{Derived, FieldNames};
use super::runner::{More, Runner, Unrun};
use crate::config;
use crate::engine::Drain;
use crate::experiment::{Experiment, Loaded, Traffic, Workload};
use crate::quote::excerpt;
use crate::report::{Report, RunEnd};
use crate::workload::messages_for;

/// Width of the bracket, as a share of its upper end.
const PRECISION: f64 = 0.01;
/// Share of the largest load. If even this is too much, there is no load below saturation.
const LEAST: f64 = 1.0 / 1024.0;
/// Largest number of doublings of the window. It ends at 64 times its length.
const MOST_DOUBLINGS: u32 = 6;
/// Largest bias of the last window, even if two windows agree by chance.
const ENOUGH: f64 = 0.03;
/// Bias and chance of a short window, in units of the bias. Two standard deviations of the growth
/// of the queues, `2 / sqrt(n)` for n sources, are at most 0.4 of the threshold of the test.
const WITH_CHANCE: f64 = 1.4;
/// Rest of the bias, in steps of the last doubling, which is known to a width of the bracket. The
/// bias falls with the square root of the window. Twice the window removes `1 - 1/sqrt(2)` of it
/// and leaves `1/sqrt(2)`, which is 2.4 times as much.
const LEFT_OF_BIAS: f64 = 2.5;

/// Two loads, in flits per node and cycle, between which saturation begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bracket {
    /// The largest load that was below, minus the rest of the bias; 0 where none was below.
    pub low: f64,
    /// The smallest load that was above, and the end of its run. `None` when the largest load of
    /// all was below.
    pub high: Option<(f64, RunEnd)>,
    /// Measured cycles of the longest window.
    pub window: u64,
    /// Per cent by which the last doubling moved the bracket. `None` when `max_cycles` leaves no
    /// room for one.
    pub moved: Option<f64>,
}

impl Bracket {
    /// The middle. If the largest load of all was below, this load.
    #[must_use]
    pub fn middle(&self) -> f64 {
        self.high.map_or(self.low, |(high, _)| self.low.midpoint(high))
    }
}

/// Known results of loads in one window.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Edges {
    /// The largest load that was below. It is 0, where nothing is sent, before the first run.
    low: f64,
    /// The smallest load that was above.
    high: Option<(f64, RunEnd)>,
}

impl Edges {
    /// The bracket up to `greatest`. `above` runs a load and returns the end of its run if it was
    /// above.
    fn find<E>(greatest: f64, mut above: impl FnMut(f64) -> Result<Option<RunEnd>, E>) -> Result<Self, E> {
        let all = Self { low: 0.0, high: None };
        match above(greatest)? {
            Some(end) => Self { high: Some((greatest, end)), ..all }.halved(greatest, above),
            None => Ok(Self { low: greatest, ..all }),
        }
    }

    /// The bracket in a window of twice the length. By bias, a load that was below may be above in
    /// it. By chance, a load that was above may be below.
    fn again<E>(self, greatest: f64, mut above: impl FnMut(f64) -> Result<Option<RunEnd>, E>) -> Result<Self, E> {
        let mut next = Self { low: 0.0, high: None };
        let (mut load, mut step) = (self.low, PRECISION * self.low);
        while load > LEAST * greatest {
            let Some(end) = above(load)? else {
                next.low = load;
                break;
            };
            next.high = Some((load, end));
            load -= step;
            step *= 2.0;
        }
        if next.high.is_none()
            && let Some((high, _)) = self.high
        {
            (load, step) = (high, PRECISION * high);
            while next.low < greatest {
                if let Some(end) = above(load)? {
                    next.high = Some((load, end));
                    break;
                }
                next.low = load;
                load = greatest.min(load + step);
                step *= 2.0;
            }
        }
        next.halved(greatest, above)
    }

    fn halved<E>(mut self, greatest: f64, mut above: impl FnMut(f64) -> Result<Option<RunEnd>, E>) -> Result<Self, E> {
        while let Some((high, _)) = self.high
            && high - self.low > PRECISION * high
            && high >= LEAST * greatest
        {
            let load = self.low.midpoint(high);
            match above(load)? {
                Some(end) => self.high = Some((load, end)),
                None => self.low = load,
            }
        }
        Ok(self)
    }

    fn middle(self) -> f64 {
        self.high.map_or(self.low, |(high, _)| self.low.midpoint(high))
    }

    /// The bracket in a window that is doubled, at most `doublings` times. It is doubled until the
    /// load that was below still is, and each source sends `enough` messages. At a load of 1 a
    /// source sends `messages` in the window without doublings. `above` gets the load and the
    /// number of doublings.
    fn settled<E>(
        greatest: f64,
        (messages, enough): (f64, f64),
        most_doublings: u32,
        mut above: impl FnMut(f64, u32) -> Result<Option<RunEnd>, E>,
    ) -> Result<Settled, E> {
        let (mut edges, mut moved, mut doublings) = (Self::find(greatest, |load| above(load, 0))?, None, 0);
        let sent = |edges: Self, doublings: u32| edges.low * messages * f64::from(1_u32 << doublings);
        while doublings < most_doublings {
            doublings += 1;
            let next = edges.again(greatest, |load| above(load, doublings))?;
            let is_settled = next == edges && (sent(next, doublings) >= enough || next.low == 0.0);
            moved = Some(edges.middle() - next.middle());
            edges = next;
            if is_settled {
                break;
            }
        }
        let short = if edges.low > 0.0 { (enough / sent(edges, doublings)).sqrt() } else { 0.0 };
        Ok(Settled { edges, doublings, moved, bias: if short > 1.0 { WITH_CHANCE * ENOUGH * short } else { 0.0 } })
    }
}

/// Bracket in the longest window.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Settled {
    edges: Edges,
    /// Number of doublings of the window.
    doublings: u32,
    /// How far the last doubling moved the middle of the bracket.
    moved: Option<f64>,
    /// Largest error of a window in which the sources send too few messages, as a share of the
    /// load; 0 if they send enough. It falls with the square root of their number.
    bias: f64,
}

/// Result of a run for its load.
#[derive(Clone, Copy)]
struct Seen {
    /// Offered load, as a share of the configured load.
    offered: f64,
    /// Load at which the busiest link would carry a flit in every cycle.
    bound: f64,
}

/// A known bracket, or one that a worker is about to find.
type Slot = Arc<Mutex<Option<Bracket>>>;

/// Brackets of all hardware of a sweep. Each is searched once.
pub struct SaturationSearch {
    /// Name of the load.
    pub name: String,
    /// For each base, the entry of the workload whose load is searched, and the path of that load.
    entries: Vec<(usize, String)>,
    /// Brackets by the hash of the configuration at the largest load.
    known: Mutex<HashMap<String, Slot>>,
}

impl SaturationSearch {
    /// A search over the field `name`, for bases with these fields.
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

    /// Refuses a load that follows from other fields, because no search can keep it so.
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

    /// The bracket of an experiment of a base. The load of the experiment itself does not matter.
    /// `at` makes the experiment with fields derived from another load, or gives the reason of a
    /// refusal.
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
            // A saturated run is not drained.
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
        let window = loaded.experiment.window();
        let length = window.end - window.start;
        let doubled = |times: u32| length.saturating_mul(1 << times);
        // A window that max_cycles cuts off gives no answer. A window without time to drain gives
        // no answer either.
        let fits = |times: &u32| {
            window.start.saturating_add(doubled(times + 1)) <= loaded.experiment.run.max_cycles && length > 0
        };
        let doublings = (1..=MOST_DOUBLINGS).take_while(fits).count() as u32;
        let longest = window.start.saturating_add(doubled(doublings));
        if let Some(until) = traffic.until.filter(|&until| until < longest) {
            return Err(Unrun::Refused(format!(
                "--saturation: workload[{entry}].traffic.until={until} ends the traffic within the window, which \
                 may grow to cycle {longest}; leave it out"
            )));
        }
        let mut seen: HashMap<u64, Seen> = HashMap::new();
        let network = &loaded.experiment.network;
        let messages = length as f64 / config::mean_flits(network, traffic);
        let enough = messages_for(network.nodes(), ENOUGH);
        let found = Edges::settled(greatest, (messages, enough), doublings, |load, times| {
            let mut probe = probe(load)?;
            probe.experiment.run.measure_cycles = Some(doubled(times));
            let report = runner.run(&probe, More::default(), &mut None)?;
            seen.insert(load.to_bits(), Seen::of(&probe.experiment, &report));
            Ok::<_, Unrun>(above(&report))
        })?;
        let seen = |load: f64| seen.get(&load.to_bits()).copied().unwrap_or(Seen::AS_ASKED);
        Ok(*slot.insert(bracket(found, doubled(found.doublings), seen)))
    }
}

/// The bracket of the offered loads. It includes the rest of the bias, and ends where the busiest
/// link can carry no more.
fn bracket(found: Settled, window: u64, seen: impl Fn(f64) -> Seen) -> Bracket {
    let Settled { edges: edges @ Edges { low, high }, moved, bias, .. } = found;
    let width = high.map_or(0.0, |(high, _)| high - low);
    let left = moved.filter(|_| low > 0.0).map_or(0.0, |moved| LEFT_OF_BIAS * (moved.max(0.0) + width));
    let left = left.max(bias * low);
    let offered = low * seen(low).offered;
    let high = high.map(|(high, end)| {
        let bound = if low > 0.0 { seen(low).bound } else { f64::INFINITY };
        ((high * seen(high).offered).min(bound).max(offered), end)
    });
    let percent = |moved: f64| 100.0 * moved / edges.middle().max(f64::MIN_POSITIVE);
    Bracket { low: (offered - left).max(0.0), high, window, moved: moved.map(percent) }
}

impl Seen {
    /// Result of a run without a measured load: the offered load counts as the configured load.
    const AS_ASKED: Self = Self { offered: 1.0, bound: f64::INFINITY };

    fn of(experiment: &Experiment, report: &Report) -> Self {
        let Some(load) = report.load else { return Self::AS_ASKED };
        // The configured load of all sources together, if it is known.
        let asked = |entry: &Workload| match entry {
            Workload::Traffic(Traffic { group: None, algorithm: None, from: None, until: None, load, .. }) => *load,
            _ => None,
        };
        let asked: Option<f64> = experiment.workload.iter().map(asked).sum();
        let offered = asked.filter(|asked| *asked > 0.0).map_or(1.0, |asked| load.offered / asked);
        let single = experiment.workload.len() == 1;
        let bound = if single { load.offered / report.utilisation.max } else { f64::INFINITY };
        Self { offered, bound }
    }
}

/// End of a run that is above saturation.
fn above(report: &Report) -> Option<RunEnd> {
    (report.outcome != RunEnd::Done).then_some(report.outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(greatest: f64, saturation: f64) -> (Edges, usize) {
        let mut runs = 0;
        let above = |load: f64| {
            runs += 1;
            Ok::<_, ()>((load > saturation).then_some(RunEnd::Saturated))
        };
        let edges = Edges::find(greatest, above).unwrap();
        (edges, runs)
    }

    #[test]
    fn the_bracket_holds_the_load_of_saturation() {
        for saturation in [0.003, 0.1, 0.17, 0.3, 0.5, 0.77, 0.999] {
            let (edges, runs) = find(1.0, saturation);
            let (high, _) = edges.high.unwrap();
            assert!(edges.low <= saturation && saturation < high && high - edges.low <= 0.01 * high, "{edges:?}");
            assert!(runs <= 18, "{runs} runs for {saturation}");
        }
    }

    #[test]
    fn what_never_saturates_and_what_always_does_end_as_well() {
        let (edges, runs) = find(2.0, 2.0);
        assert_eq!((edges.low, edges.high, edges.middle(), runs), (2.0, None, 2.0, 1));
        let (edges, runs) = find(1.0, 0.0);
        assert_eq!((edges.low, runs), (0.0, 12));
        assert!(edges.middle() < 1e-3);
    }

    /// Saturation that a window with this many messages a source finds:
    /// docs/explain/measurement.md, "How sure it is".
    fn biased(saturation: f64, messages: f64) -> f64 {
        saturation * messages.sqrt() / (messages.sqrt() - 0.75)
    }

    #[test]
    fn windows_are_doubled_until_the_bracket_stays_and_it_covers_what_is_left_of_the_bias() {
        let seen = |_| Seen::AS_ASKED;
        for saturation in [0.05, 0.22, 0.6, 0.93] {
            for messages in [10.0, 30.0, 100.0, 1000.0, 30000.0] {
                let above = |load: f64, doubled: u32| {
                    let messages = messages * f64::from(1_u32 << doubled);
                    Ok::<_, ()>((load > biased(saturation, messages)).then_some(RunEnd::Saturated))
                };
                let sends = (messages / saturation, messages_for(64, ENOUGH));
                let settled = Edges::settled(1.0, sends, MOST_DOUBLINGS, above).unwrap();
                let doubled = settled.doublings;
                let found = bracket(settled, 1 << doubled, seen);
                let (high, _) = found.high.unwrap();
                assert!(found.low <= saturation && saturation <= high, "{saturation}, {messages}: {found:?}");
                assert!(high - found.low <= 0.08 * high, "{saturation}, {messages}: {found:?}");
                assert!(doubled < MOST_DOUBLINGS || messages < 1000.0, "{saturation}, {messages}: {found:?}");
            }
        }
    }

    #[test]
    fn the_bracket_is_of_what_was_offered_and_ends_at_the_busiest_link() {
        let edges = Edges { low: 0.4, high: Some((0.404, RunEnd::Saturated)) };
        let settled = Settled { edges, doublings: 0, moved: None, bias: 0.0 };
        let found = |offered, bound| bracket(settled, 1000, |_| Seen { offered, bound });
        let (low, high) = (found(0.95, 1.0).low, found(0.95, 1.0).high.unwrap().0);
        assert!((low - 0.38).abs() < 1e-12 && (high - 0.3838).abs() < 1e-12);
        assert_eq!(found(0.95, 0.382).high.unwrap().0.to_bits(), 0.382_f64.to_bits());
    }

    #[test]
    fn without_room_for_longer_windows_the_bracket_covers_their_bias() {
        // By chance, the bracket of a short window stays where it is when the window is doubled.
        for (saturation, messages, room) in [(0.3, 200.0, 0), (0.3, 100.0, 1), (0.6, 40.0, 2)] {
            let biased = biased(saturation, messages);
            let above = |load: f64, _| Ok::<_, ()>((load > biased).then_some(RunEnd::Saturated));
            let sends = (messages / biased / f64::from(1_u32 << room), messages_for(64, ENOUGH));
            let settled = Edges::settled(1.0, sends, room, above).unwrap();
            assert_eq!((settled.doublings, settled.moved.is_some()), (room, room > 0));
            let found = bracket(settled, 1, |_| Seen::AS_ASKED);
            assert!(settled.edges.low > saturation && found.low <= saturation, "{saturation}, {messages}: {found:?}");
        }
    }
}
