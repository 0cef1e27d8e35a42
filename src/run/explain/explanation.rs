//! A deadlock explained, as rows for JSON.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use wormscope_hw::WormId;

use super::cures::{self, Added, Cure, Ending, Freed, SeedRun, Tried, Vain};
use super::no_return::NoReturn;
use super::story::{Story, arbiter_name};
use crate::deadlock::{Names, Relation};
use crate::engine::arbitration::ArbiterRef;
use crate::experiment::Loaded;
use crate::input::title;
use crate::report::RunEnd;
use crate::report::hazards::Rule;

/// Version of the JSON's shape; it changes whenever a key changes its name or meaning.
pub(crate) const SCHEMA_VERSION: u32 = 2;

/// A deadlock explained, for JSON. Cycles are absolute, lengths in flits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Version of wormscope.
    pub tool_version: &'static str,
    /// The experiment as the user named it.
    pub experiment: String,
    /// Hash of its configuration.
    pub config_hash: String,
    /// Seed of the random streams.
    pub seed: u64,
    /// The network in some words.
    pub network: String,
    /// How the run ended.
    pub outcome: RunEnd,
    /// Cycles simulated.
    pub cycles: u64,
    /// The deadlock, if there is one.
    pub deadlock: Option<Explained>,
}

/// The deadlock itself, with what can be done about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// Who waits for whom.
    #[serde(flatten)]
    pub relation: Relation,
    /// Changes that free it: first those that do for any worms, then those that held with most
    /// seeds, then the cheapest.
    pub cures: Vec<CureRow>,
    /// Changes that were tried and do not.
    pub no_help: Vec<VainRow>,
    /// What arbiters could have done, where that was searched for.
    pub no_return: Option<NoReturnRow>,
    /// Whether the search for all this was interrupted, so that not everything was tried.
    pub interrupted: bool,
    /// The command that opens the waveform, if one was written.
    pub open: Option<String>,
    /// The same to read.
    #[serde(skip)]
    pub text: String,
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A change that frees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CureRow {
    /// What was changed.
    pub change: String,
    /// The overrides that change it.
    pub sets: Vec<String>,
    /// How the run ended.
    pub outcome: RunEnd,
    /// Cycles until then.
    pub cycle: u64,
    /// For which worms.
    pub holds_for: HoldsFor,
    /// The rules by which it holds for any worms.
    pub rules: Vec<Rule>,
    /// With how many seeds it held, where it was tried with others.
    pub seeds: Option<SeedsRow>,
    /// Bits of all input FIFOs that are added.
    pub fifo_bits_added: i64,
    /// Area of the whole network that is added, in gate equivalents: an estimate, as are the
    /// levels.
    pub area_ge_added: f64,
    /// Levels of logic between registers that are added.
    pub logic_depth_added: i64,
}

/// For which worms a change frees deadlocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldsFor {
    /// Any of the same kinds, by a rule.
    AnyWorms,
    /// Those that were run; others may deadlock.
    TheseWorms,
}

/// Runs of a change with several seeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeedsRow {
    /// How many were run, that of the experiment included.
    pub tried: usize,
    /// Of them, how many ended with everything arrived.
    pub held: usize,
    /// The runs with the others.
    pub others: Vec<SeedRow>,
}

/// A run with another seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SeedRow {
    /// The seed.
    pub seed: u64,
    /// How the run ended.
    pub outcome: RunEnd,
    /// Cycles until then; of a deadlock the cycle from which it is final.
    pub cycle: u64,
}

/// A change that does not free it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VainRow {
    /// What was changed, from the first value that was tried to the last.
    pub change: String,
    /// The run with each of these values.
    pub runs: Vec<RunRow>,
}

/// A run of a changed experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunRow {
    /// The overrides that change it.
    pub sets: Vec<String>,
    /// How the run ended.
    pub outcome: RunEnd,
    /// Cycles until then; of a deadlock the cycle from which it is final.
    pub cycle: u64,
}

/// What arbiters could have done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoReturnRow {
    /// Choices behind this cycle are of no avail.
    pub cycle: u64,
    /// Whether all choices in front of it were tried, up to the last that would have avoided the
    /// deadlock.
    pub exact: bool,
    /// That choice.
    pub way_out: Option<WayOutRow>,
    /// Number of worms it is stated for.
    pub worms: u32,
    /// First and last cycle in which they were created.
    pub created: (u64, u64),
    /// Continuations that were tried.
    pub continuations: u64,
    /// Switch evaluations that the search may take.
    pub bound: u64,
}

/// The last choice that would have avoided the deadlock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WayOutRow {
    /// Its cycle.
    pub cycle: u64,
    /// What would have been granted otherwise.
    pub choices: Vec<ChoiceRow>,
    /// Choices behind it that must be other than the arbiters' own as well.
    pub further: u32,
    /// Cycles of the run that it leads to, in which all arrive.
    pub done: u64,
}

/// An arbiter that could have chosen otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChoiceRow {
    /// A lane, the allocator of a switch, or the token at a switch.
    pub arbiter: String,
    /// The worm it chose.
    pub chosen: Option<u32>,
    /// The worm that it should have chosen.
    pub instead: Option<u32>,
}

impl Explanation {
    /// Of a run that ended without a deadlock.
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
    /// All of it, for JSON; `open` is the command that opens the waveform.
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
        let Cure { change, sets, done, .. } = cure;
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
            outcome: RunEnd::Done,
            cycle: *done,
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
            let (outcome, cycle) = run.ending.map_or_else(ended, |cycles| (RunEnd::Done, cycles));
            SeedRow { seed: run.seed, outcome, cycle }
        };
        frees.held().map(|(held, tried)| Self { tried, held, others: runs.iter().map(row).collect() })
    }
}

/// How a run ended in which not all arrived, and when.
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
