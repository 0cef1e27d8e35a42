//! Explanation of a deadlock, as rows for JSON.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use wormscope_hw::WormId;

use super::cures::{self, Added, Cure, Ending, Freed, NoDeadlock, SeedRun, Tried, Vain};
use super::no_return::NoReturn;
use super::story::{Story, arbiter_name};
use crate::deadlock::{Names, Relation};
use crate::engine::arbitration::ArbiterRef;
use crate::experiment::Loaded;
use crate::explain::rules::Rule;
use crate::input::title;
use crate::report::RunEnd;

/// Version of the JSON's shape. It changes whenever a key changes its name or meaning.
pub(crate) const SCHEMA_VERSION: u32 = 2;

/// Explanation of a deadlock, for JSON. Cycles are absolute, lengths in flits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The number [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Version of wormscope.
    pub tool_version: &'static str,
    /// The experiment as the user named it.
    pub experiment: String,
    /// Hash of its configuration.
    pub config_hash: String,
    /// Seed of the random streams.
    pub seed: u64,
    /// A description of the network.
    pub network: String,
    /// End of the run.
    pub outcome: RunEnd,
    /// Number of simulated cycles.
    pub cycles: u64,
    /// The deadlock, if there is one.
    pub deadlock: Option<Explained>,
}

/// The deadlock with its cures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// The wait-for relation.
    #[serde(flatten)]
    pub relation: Relation,
    /// Changes that remove the deadlock. First come the changes that remove it for all worms, then
    /// the changes that hold for most seeds, then the cheapest changes.
    pub cures: Vec<CureRow>,
    /// Changes that were tried and do not remove the deadlock.
    pub no_help: Vec<VainRow>,
    /// Choices of arbiters that could have avoided the deadlock, if the command searched for them.
    pub no_return: Option<NoReturnRow>,
    /// Whether the search was interrupted before it tried all changes.
    pub interrupted: bool,
    /// The command that opens the waveform, if one was written.
    pub open: Option<String>,
    /// The same as a text to read.
    #[serde(skip)]
    pub text: String,
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A change that removes the deadlock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CureRow {
    /// The change.
    pub change: String,
    /// Overrides that make the change.
    pub sets: Vec<String>,
    /// End of the run.
    pub outcome: RunEnd,
    /// Cycles until then.
    pub cycle: u64,
    /// Worms for which the change holds.
    pub holds_for: HoldsFor,
    /// Rules by which the change holds for all worms.
    pub rules: Vec<Rule>,
    /// Seeds with which the change holds, if other seeds were tried.
    pub seeds: Option<SeedsRow>,
    /// Bits that are added to all input FIFOs.
    pub fifo_bits_added: i64,
    /// Area that is added to the whole network, in gate equivalents. It is an estimate, as are the
    /// levels.
    pub area_ge_added: f64,
    /// Levels of logic between registers that are added.
    pub logic_depth_added: i64,
}

/// Worms for which a change frees deadlocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldsFor {
    /// Any of the same kinds, by a rule.
    AnyWorms,
    /// The worms of this run; others may deadlock.
    TheseWorms,
}

/// Runs of a change with several seeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeedsRow {
    /// Number of runs, the run of the experiment included.
    pub tried: usize,
    /// Number of runs in which all worms arrived.
    pub held: usize,
    /// Runs with the other seeds.
    pub others: Vec<SeedRow>,
}

/// A run with another seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SeedRow {
    /// The seed.
    pub seed: u64,
    /// End of the run.
    pub outcome: RunEnd,
    /// Cycles until then. For a deadlock, the cycle from which it is final.
    pub cycle: u64,
}

/// A change that does not remove the deadlock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VainRow {
    /// The change, from the first value that was tried to the last.
    pub change: String,
    /// The run with each of these values.
    pub runs: Vec<RunRow>,
}

/// A run of a changed experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunRow {
    /// Overrides that make the change.
    pub sets: Vec<String>,
    /// End of the run.
    pub outcome: RunEnd,
    /// Cycles until then. For a deadlock, the cycle from which it is final.
    pub cycle: u64,
}

/// Choices of arbiters that could have avoided the deadlock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoReturnRow {
    /// Choices after this cycle do not help.
    pub cycle: u64,
    /// Whether the search tried all choices before the deadlock, back to the last choice that
    /// avoids it.
    pub exact: bool,
    /// The choice that avoids the deadlock.
    pub way_out: Option<WayOutRow>,
    /// Number of worms for which this holds.
    pub worms: u32,
    /// First and last cycle in which the worms of the deadlock were created.
    pub created: (u64, u64),
    /// Number of continuations that were tried.
    pub continuations: u64,
    /// Largest number of switch evaluations of the search.
    pub bound: u64,
}

/// The last choice that would have avoided the deadlock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WayOutRow {
    /// Cycle of the choice.
    pub cycle: u64,
    /// The grants of that choice.
    pub choices: Vec<ChoiceRow>,
    /// Number of later choices that must also differ from the arbiters' own.
    pub further: u32,
    /// Number of cycles of the run with this choice, in which all worms arrive.
    pub done: u64,
}

/// An arbiter that could have chosen another worm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChoiceRow {
    /// A lane, the allocator of a switch, or the token at a switch.
    pub arbiter: String,
    /// The worm that the arbiter chose.
    pub chosen: Option<u32>,
    /// The worm that the arbiter should have chosen.
    pub instead: Option<u32>,
}

impl Explanation {
    /// Explanation of a run that ended without a deadlock.
    #[must_use]
    pub fn without(file: &Path, loaded: &Loaded, outcome: RunEnd, cycles: u64) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            tool_version: env!("CARGO_PKG_VERSION"),
            experiment: title(file),
            config_hash: loaded.hash.clone(),
            seed: loaded.experiment.run.seed,
            network: loaded.experiment.network.describe(),
            outcome,
            cycles,
            deadlock: None,
        }
    }
}

impl Story<'_> {
    /// The whole explanation, for JSON. `open` is the command that opens the waveform.
    #[must_use]
    pub fn explanation(&self, names: &impl Names, open: Option<String>) -> Explanation {
        let Tried { cures, vain, .. } = self.tried;
        Explanation {
            deadlock: Some(Explained {
                relation: Relation::new(self.deadlock, names, |worm| self.worms.get(worm.index())),
                cures: cures.iter().map(CureRow::from).collect(),
                no_help: vain.iter().map(VainRow::from).collect(),
                no_return: self.no_return.map(|found| self.no_return(found, names)),
                interrupted: self.interrupted,
                open,
                text: self.text(names),
            }),
            ..Explanation::without(self.file, self.loaded, RunEnd::Deadlock, self.deadlock.detected)
        }
    }

    fn no_return(&self, found: &NoReturn, names: &impl Names) -> NoReturnRow {
        let NoReturn { cycle, way_out, exact, continuations, worms, created } = found;
        let choice = |(arbiter, chosen, instead): &(ArbiterRef, Option<WormId>, Option<WormId>)| ChoiceRow {
            arbiter: arbiter_name(*arbiter, names),
            chosen: chosen.map(|worm| worm.0),
            instead: instead.map(|worm| worm.0),
        };
        NoReturnRow {
            cycle: *cycle,
            exact: *exact,
            way_out: way_out.as_ref().map(|way| WayOutRow {
                cycle: way.cycle,
                choices: way.choices.iter().map(choice).collect(),
                further: way.further,
                done: way.done,
            }),
            worms: *worms,
            created: *created,
            continuations: *continuations,
            bound: self.bounds.evaluations,
        }
    }
}

impl From<&Cure> for CureRow {
    fn from(cure: &Cure) -> Self {
        let Cure { change, sets, held, .. } = cure;
        let Added { fifo_bits, ge, levels } = cure.added();
        let (holds_for, rules) = match &cure.frees {
            Freed::Any(rules) => (HoldsFor::AnyWorms, rules.clone()),
            Freed::These(_) => (HoldsFor::TheseWorms, Vec::new()),
        };
        Self {
            holds_for,
            rules,
            seeds: SeedsRow::of(&cure.frees),
            change: change.clone(),
            sets: sets.clone(),
            outcome: held_end(*held),
            cycle: held.cycles(),
            fifo_bits_added: fifo_bits,
            area_ge_added: ge,
            logic_depth_added: levels,
        }
    }
}

impl SeedsRow {
    fn of(frees: &Freed) -> Option<Self> {
        let Freed::These(runs) = frees else { return None };
        let row = |run: &SeedRun| {
            let (outcome, cycle) = run.ending.map_or_else(ended, |held| (held_end(held), held.cycles()));
            SeedRow { seed: run.seed, outcome, cycle }
        };
        frees.held().map(|(held, tried)| Self { tried, held, others: runs.iter().map(row).collect() })
    }
}

/// End of a run without a deadlock.
fn held_end(held: NoDeadlock) -> RunEnd {
    match held {
        NoDeadlock::Done(_) => RunEnd::Done,
        NoDeadlock::SoFar(_) => RunEnd::CycleLimit,
    }
}

/// End of a run in which not all worms arrived, with its cycle.
fn ended(ending: Ending) -> (RunEnd, u64) {
    match ending {
        Ending::Deadlock(cycle) => (RunEnd::Deadlock, cycle),
        Ending::CycleLimit(cycle) => (RunEnd::CycleLimit, cycle),
    }
}

impl From<&Vain> for VainRow {
    fn from(vain: &Vain) -> Self {
        let row = |run: &cures::ChangedRun| {
            let (outcome, cycle) = ended(run.ending);
            RunRow { sets: run.sets.clone(), outcome, cycle }
        };
        Self { change: vain.change.clone(), runs: vain.runs.iter().map(row).collect() }
    }
}
