//! Cures: changes of a configuration that may remove a deadlock. Each of them is really run.
//!
//! A change is a list of overrides as on the command line. So a reader can run exactly the reported
//! change again. For a parameter that grows, the search finds the smallest value that helps. It
//! also finds the smallest value by which a rule frees any worms.

use crate::cost::{self, Encodings, HardwareCost};
use crate::deadlock::Deadlock;
use crate::engine::WormInfo;
use crate::experiment::Loaded;
use crate::explain::rules::{Rule, WormKinds};
use crate::input::ConfigError;
use crate::memory;
use crate::simulation::{Site, crossings};

use super::attempt::{Attempt, run};
pub use super::attempt::{Ending, NoDeadlock, Under, Watcher};
use super::families::{Family, families};
use super::no_return::Bounds;
use super::seeds;
pub use super::seeds::SeedRun;
use super::workers::{Worker, side_by_side};

/// Largest number of values of a parameter that are tried one by one.
const ONE_BY_ONE: u32 = 64;
/// A run of a change has at least this many times the cycles of the deadlock.
const LEAST_TIMES: u64 = 16;
/// Number of networks of the size of the experiment for which each run of a change has memory.
const ROOM: usize = 4;

/// Changes that were tried against a deadlock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tried {
    /// Changes that remove the deadlock. First come the changes that remove it for all worms, then
    /// the changes that hold for most seeds, then the changes with the least area.
    pub cures: Vec<Cure>,
    /// Changes that do not remove the deadlock.
    pub vain: Vec<Vain>,
    /// Whether a part of the workload is drawn from the seed, so that other seeds were tried.
    pub is_random: bool,
    /// Cycle up to which runs of changes went at most, if the bound of flit-hops ended one.
    pub until: Option<u64>,
    /// Whether the watcher stopped the search while other seeds were tried.
    pub stopped_at_seeds: bool,
    /// The change at which the watcher stopped the search. This change is in neither list, and
    /// changes after it may be in neither.
    pub stopped_at: Option<String>,
}

/// A change that removes a deadlock.
#[derive(Clone, Debug, PartialEq)]
pub struct Cure {
    /// The change: `fifo_depth 4 to 17`, `acquisition atomic`.
    pub change: String,
    /// Overrides that make the change.
    pub sets: Vec<String>,
    /// End of the run with the change.
    pub held: NoDeadlock,
    /// Worms that the change frees.
    pub frees: Freed,
    /// Cost of the network with the change.
    pub cost: HardwareCost,
    /// Cost of the network before.
    pub before: HardwareCost,
}

/// Worms for which a change removes deadlocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freed {
    /// Any worms of the same kinds ([`WormKinds::rules`]), by these rules.
    Any(Vec<Rule>),
    /// Only the worms of these runs; other worms may deadlock. The list has the runs with other
    /// seeds. The list is empty if the experiment draws nothing at random.
    These(Vec<SeedRun>),
}

impl Freed {
    /// Number of seeds for which the change holds, and number of tried seeds, the seed of the
    /// experiment included. `None` if no other seeds were tried.
    #[must_use]
    pub fn held(&self) -> Option<(usize, usize)> {
        match self {
            Self::These(runs) if !runs.is_empty() => {
                Some((1 + runs.iter().filter(|run| run.ending.is_ok()).count(), 1 + runs.len()))
            }
            Self::These(_) | Self::Any(_) => None,
        }
    }

    /// `by datelines`, `held with 3 of 6 seeds`.
    #[must_use]
    pub fn told(&self) -> String {
        match self {
            Self::Any(rules) => {
                let rules: Vec<&str> = rules.iter().map(|rule| rule.in_words()).collect();
                format!("by {}", rules.join(" and "))
            }
            Self::These(_) => self
                .held()
                .map_or_else(|| "for these worms".to_owned(), |(held, of)| format!("held with {held} of {of} seeds")),
        }
    }

    /// Order of cures: rules first, then the larger share of seeds.
    fn rank(&self) -> f64 {
        match self {
            Self::Any(_) => f64::NEG_INFINITY,
            Self::These(_) => self.held().map_or(-1.0, |(held, of)| -(held as f64) / of as f64),
        }
    }
}

/// Additions of a change to a network.
pub(super) struct Added {
    /// Bits of all input FIFOs.
    pub fifo_bits: i64,
    /// Area in gate equivalents.
    pub ge: f64,
    /// Levels of logic between registers.
    pub levels: i64,
}

impl Cure {
    /// Whether the bound of flit-hops ended one of its runs.
    fn is_bounded(&self) -> bool {
        let is_bounded = |held: NoDeadlock| matches!(held, NoDeadlock::SoFar(_));
        let of_seeds = match &self.frees {
            Freed::These(runs) => &runs[..],
            Freed::Any(_) => &[],
        };
        is_bounded(self.held) || of_seeds.iter().any(|run| run.ending.is_ok_and(is_bounded))
    }

    /// The cost added to that before.
    pub(super) fn added(&self) -> Added {
        let Self { cost, before, .. } = self;
        Added {
            fifo_bits: cost.fifo_bits.cast_signed() - before.fifo_bits.cast_signed(),
            ge: cost.network.ge - before.network.ge,
            levels: i64::from(cost.logic_depth) - i64::from(before.logic_depth),
        }
    }
}

/// A change that does not remove a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vain {
    /// The change, from the first value that was tried to the last:
    /// `+1 to +3 virtual channels, each`.
    pub change: String,
    /// The run with each of these values.
    pub runs: Vec<ChangedRun>,
}

/// A run of a changed experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedRun {
    /// Overrides that make the change.
    pub sets: Vec<String>,
    /// End of the run.
    pub ending: Ending,
}

/// Tries changes that may remove the deadlock in which `loaded` ends. `worms` are the worms that
/// the run created, and `under` changes the experiment. Changes for which a rule frees all worms
/// come first. Changes are tried side by side on all processors.
///
/// # Errors
/// A trace cannot be read again.
pub fn search<W: Watcher>(
    loaded: &Loaded,
    found: &Deadlock,
    worms: &[WormInfo],
    bounds: Bounds,
    under: Under,
    watcher: &mut W,
) -> Result<Tried, ConfigError> {
    let until = horizon(loaded, found, bounds);
    let mut tried = Tried { is_random: seeds::is_random(loaded), ..Tried::default() };
    let search = CureSearch { loaded, under, until, admits: W::admits };
    let families = families(loaded, found, worms)?;
    let surest = |family: &Family| family.surest().filter(|&value| search.rules(&(family.sets)(value)).is_some());
    let surest: Vec<Option<u32>> = families.iter().map(surest).collect();
    // A family with one value is tried once, in the first or in the second round.
    let is_single = |family: &Family| family.values.0 == family.values.1;
    let first: Vec<usize> = (0..families.len()).filter(|&at| surest[at].is_some()).collect();
    let second: Vec<usize> =
        (0..families.len()).filter(|&at| surest[at].is_none() || !is_single(&families[at])).collect();
    let room = (memory::side_by_side(loaded) / ROOM).max(1);
    let of_first = side_by_side(first.len(), room, watcher, |worker, job| {
        let (family, value) = (&families[first[job]], surest[first[job]].unwrap_or(0));
        search.value(worker, family, value)
    });
    let of_second =
        side_by_side(second.len(), room, watcher, |worker, job| search.family(worker, &families[second[job]]));
    // For each family, the smallest value that helps, then the value that helps by a rule.
    let mut ended: Vec<[Option<Outcomes>; 2]> = families.iter().map(|_| [None, None]).collect();
    let all = first.into_iter().zip(of_first).map(|of| (of, true));
    for ((at, outcomes), by_rule) in all.chain(second.into_iter().zip(of_second).map(|of| (of, false))) {
        match outcomes.transpose()? {
            Some(Outcomes::Stopped(change)) => _ = tried.stopped_at.get_or_insert(change),
            Some(outcomes) => ended[at][usize::from(by_rule && !is_single(&families[at]))] = Some(outcomes),
            None => _ = tried.stopped_at.get_or_insert_with(|| families[at].first_name()),
        }
    }
    // Encodings of worms to which the run did not come count as well.
    let encodings = Encodings::sent(loaded)?;
    let cost = |loaded: &Loaded| loaded.build().map(|built| cost::of(built.network(), built.wiring(), encodings));
    let before = cost(loaded)?;
    for outcomes in ended {
        let mut is_known = false;
        for outcomes in outcomes.into_iter().flatten() {
            match outcomes {
                // A smaller value of the family may already free any worms.
                Outcomes::Cure { .. } if is_known => {}
                Outcomes::Cure { change, sets, held } => {
                    let cost = cost(&under(loaded, &sets)?)?;
                    let frees = search.rules(&sets).map_or(Freed::These(Vec::new()), Freed::Any);
                    is_known = matches!(frees, Freed::Any(_));
                    tried.cures.push(Cure { change, sets, held, frees, cost, before: before.clone() });
                }
                Outcomes::Vain(vain) => tried.vain.push(vain),
                Outcomes::Nothing | Outcomes::Stopped(_) => {}
            }
        }
    }
    if tried.is_random && tried.stopped_at.is_none() {
        let unsure = tried.cures.iter_mut().filter_map(|cure| match &mut cure.frees {
            Freed::These(runs) => Some((&cure.sets[..], runs)),
            Freed::Any(_) => None,
        });
        tried.stopped_at_seeds = seeds::try_others(loaded, under, until, unsure.collect(), watcher)?;
    }
    tried.until = until.filter(|_| tried.cures.iter().any(Cure::is_bounded));
    let area = |cure: &Cure| cure.cost.network.ge;
    tried.cures.sort_by(|a, b| a.frees.rank().total_cmp(&b.frees.rank()).then(area(a).total_cmp(&area(b))));
    Ok(tried)
}

/// The cycle at which runs of changes end at the latest, by the bound of flit-hops. `None` without
/// random traffic. Saturated networks may take hundreds of times as many cycles as they measure.
#[allow(clippy::cast_sign_loss)] // The numbers of flits are positive.
fn horizon(loaded: &Loaded, found: &Deadlock, bounds: Bounds) -> Option<u64> {
    let in_a_cycle = crossings(loaded) * f64::from(loaded.experiment.network.switches());
    let enough = (bounds.flit_hops as f64 / in_a_cycle) as u64;
    (in_a_cycle > 0.0).then_some(enough.max(found.final_cycle.saturating_mul(LEAST_TIMES)))
}

/// Rules by which worms of the same kind as in an experiment cannot deadlock.
fn rules(loaded: &Loaded) -> Option<Vec<Rule>> {
    let site = Site::of(loaded).ok()?;
    // A trace that is wrong, or a multicast without a plan, has no rules.
    WormKinds::new(loaded, &site).ok()?.rules()
}

/// Result of a family.
enum Outcomes {
    Cure {
        change: String,
        sets: Vec<String>,
        held: NoDeadlock,
    },
    Vain(Vain),
    /// No value of the field gives a valid network.
    Nothing,
    /// The watcher stopped the search at this change.
    Stopped(String),
}

/// A search for changes.
struct CureSearch<'a> {
    loaded: &'a Loaded,
    under: Under,
    /// The cycle at which runs end.
    until: Option<u64>,
    /// Whether an experiment may run.
    admits: fn(&Loaded) -> bool,
}

impl CureSearch<'_> {
    /// Rules by which a change frees any worms.
    fn rules(&self, sets: &[String]) -> Option<Vec<Rule>> {
        (self.under)(self.loaded, sets).ok().as_ref().and_then(rules)
    }

    /// Runs with one value of a family.
    fn attempt(&self, worker: &mut Worker, family: &Family, value: u32) -> Result<Attempt, ConfigError> {
        if !worker.begins(format!("trying {}", (family.name)(value, value))) {
            return Ok(Attempt::Stopped);
        }
        let Ok(changed) = (self.under)(self.loaded, &(family.sets)(value)) else { return Ok(Attempt::Refused) };
        if !(self.admits)(&changed) {
            return Ok(Attempt::Refused);
        }
        match run(changed, self.until, worker) {
            // Worms of a trace are checked when they come.
            Err(ConfigError::Invalid { .. }) => Ok(Attempt::Refused),
            ended => ended,
        }
    }

    /// Tries one value of a family.
    fn value(&self, worker: &mut Worker, family: &Family, value: u32) -> Result<Outcomes, ConfigError> {
        let (change, sets) = ((family.name)(value, value), (family.sets)(value));
        let vain = |ending| {
            let (change, runs) = (change.clone(), vec![ChangedRun { sets: sets.clone(), ending }]);
            Outcomes::Vain(Vain { change, runs })
        };
        Ok(match self.attempt(worker, family, value)? {
            Attempt::Stopped => Outcomes::Stopped(change),
            Attempt::Held(held) => Outcomes::Cure { change, sets, held },
            Attempt::Failed(ending) if family.values.0 == family.values.1 => vain(ending),
            // The other values of the family are tried as well.
            Attempt::Failed(_) | Attempt::Refused => Outcomes::Nothing,
        })
    }

    /// Tries the values of a family. Few values are tried one by one. For many, the distance is
    /// doubled and then halved.
    fn family(&self, worker: &mut Worker, family: &Family) -> Result<Outcomes, ConfigError> {
        let (first, last) = family.values;
        let few = (last - first) / family.step < ONE_BY_ONE;
        let (mut value, mut helps, mut failed) = (first, None, Vec::new());
        // The largest value that does not help.
        let mut below = None;
        loop {
            match self.attempt(worker, family, value)? {
                Attempt::Stopped => return Ok(Outcomes::Stopped((family.name)(value, value))),
                Attempt::Held(held) => {
                    helps = Some((value, held));
                    break;
                }
                Attempt::Failed(ending) => failed.push((value, ending)),
                Attempt::Refused => {}
            }
            below = Some(value);
            if value >= last {
                break;
            }
            let step = if few { family.step } else { (value - first).max(1) };
            value = value.saturating_add(step).min(last);
        }
        while let (false, Some((most, ..)), Some(least)) = (few, helps, below)
            && most - least > 1
        {
            let middle = u32::midpoint(least, most);
            match self.attempt(worker, family, middle)? {
                Attempt::Stopped => return Ok(Outcomes::Stopped((family.name)(middle, middle))),
                Attempt::Held(held) => helps = Some((middle, held)),
                Attempt::Failed(_) | Attempt::Refused => below = Some(middle),
            }
        }
        if let Some((value, held)) = helps {
            return Ok(Outcomes::Cure { change: (family.name)(value, value), sets: (family.sets)(value), held });
        }
        let (Some((smallest, _)), Some((largest, _))) = (failed.first(), failed.last()) else {
            return Ok(Outcomes::Nothing);
        };
        let each = match (smallest == largest, few) {
            (true, _) => "",
            (false, true) => ", each",
            (false, false) => ", doubling",
        };
        let change = format!("{}{each}", (family.name)(*smallest, *largest));
        let runs = failed.iter().map(|&(value, ending)| ChangedRun { sets: (family.sets)(value), ending });
        Ok(Outcomes::Vain(Vain { change, runs: runs.collect() }))
    }
}
