//! Verdict on deadlocks before a run: whether any worms that a workload allows can deadlock, at any
//! cycles and in any order.
//!
//! [`judge()`] answers in steps, and stops at the first that has an answer:
//!
//! 1. a rule of the hardware that excludes deadlocks: token rings, synchronous worms;
//! 2. an order of all lanes and FIFOs in which each wait leads to an earlier one ([`graph`]);
//! 3. a count of the worms that may wait for each other ([`counted`]);
//! 4. a search for worms that may wait for each other at the same time ([`together`]);
//! 5. a run that ends in a deadlock ([`witness`]), which is made smaller ([`reduction`]);
//! 6. runs of all schedules of a few worms ([`schedules`]);
//! 7. all states of a small network ([`all_states`]).

mod all_states;
mod certificate;
mod channels;
mod counted;
mod graph;
mod judge;
mod judged;
mod kept;
mod places;
mod reduction;
mod schedules;
mod spread;
mod text;
mod together;
mod warning;
mod witness;

use crate::experiment::{Loaded, Workload};
use crate::input::ConfigError;
use crate::network::channel::CyclePlace;
use crate::site::Site;
use crate::workload::TraceCsv;
use all_states::AllStates;
pub use certificate::{Certificate, certificate};
pub use judge::Proof;
use judge::{SafetyQuestion, StaticFound};
pub use judged::Judged;
pub use kept::Verdicts;
use reduction::reduced;
use schedules::Schedules;
pub use warning::{hazard, warning};
use witness::Trials;
pub use witness::{Effort, Witness};

wormscope_hw::words!(
    /// Whether the worms of a workload can deadlock, the best answer first.
    Judgement {
        /// No worms that the workload allows can deadlock.
        Free = "free",
        /// Neither is proved.
        Unknown = "unknown",
        /// Some can: there is a witness.
        Possible = "possible",
    }
);

/// A verdict with its reason.
#[derive(Clone, Debug)]
pub enum Safety {
    /// No worms that the workload allows can deadlock.
    Free(Proof),
    /// These messages deadlock, and the workload allows them. The cycle is a short one of the
    /// waits.
    Possible(Box<Witness>, Vec<CyclePlace>),
    /// Neither is proved: the reason, and a cycle of waits if there is one.
    Unknown(String, Vec<CyclePlace>),
}

impl Safety {
    /// The answer without its reason.
    #[must_use]
    pub fn answer(&self) -> Judgement {
        match self {
            Self::Free(_) => Judgement::Free,
            Self::Possible(..) => Judgement::Possible,
            Self::Unknown(..) => Judgement::Unknown,
        }
    }
}

/// Judges an experiment. `stop` ends the search early.
///
/// # Errors
/// A trace is wrong, or an algorithm makes no plan.
pub fn judge(loaded: &Loaded, site: &Site, effort: Effort, stop: &dyn Fn() -> bool) -> Result<Safety, ConfigError> {
    let unknown = |why: &str| Ok(Safety::Unknown(why.to_owned(), Vec::new()));
    if too_large(loaded, effort) {
        return unknown("the workload has too many worms to list");
    }
    let Some(question) = SafetyQuestion::new(loaded, site)? else {
        return unknown("the network has too many channels");
    };
    let cycles = match question.search(effort.waits, (100 * effort.runs).min(300_000), stop) {
        StaticFound::Free(proof) => return Ok(Safety::Free(proof)),
        StaticFound::TooLarge(why) => return unknown(why),
        StaticFound::Cycles(cycles) => cycles,
    };
    let places: Vec<CyclePlace> = cycles.cycle.iter().map(|&place| question.place(place)).collect();
    let trials = Trials::new(&question, effort, stop);
    if let Some(found) = trials.search(&cycles)? {
        return Ok(Safety::Possible(Box::new(reduced(&trials, found, effort.reductions)?), places));
    }
    let all = Effort { runs: u64::MAX, switch_cycles: 20 * effort.switch_cycles, ..effort };
    match schedules::search(&Trials::new(&question, all, stop))? {
        Schedules::Free(runs) => return Ok(Safety::Free(Proof::AllSchedules(runs))),
        Schedules::Deadlock(witness) => return Ok(Safety::Possible(witness, places)),
        Schedules::TooMany => {}
    }
    match all_states::search(&trials, effort.states)? {
        AllStates::Free(states) => Ok(Safety::Free(Proof::AllStates(states))),
        AllStates::Deadlock(witness) => Ok(Safety::Possible(witness, places)),
        AllStates::TooMany => {
            let why =
                format!("the worms may wait for each other, and none of {} runs ended in a deadlock", trials.runs());
            Ok(Safety::Unknown(why, places))
        }
    }
}

/// Whether an experiment has too many worms to list them.
fn too_large(loaded: &Loaded, effort: Effort) -> bool {
    loaded.experiment.workload.iter().any(|entry| match entry {
        Workload::Messages(messages) => messages.len() > effort.worms,
        Workload::Trace(name) => {
            TraceCsv::open(loaded, name).is_ok_and(|trace| trace.take(effort.worms + 1).count() > effort.worms)
        }
        Workload::Stalls(_) => false,
        Workload::Traffic(_) | Workload::Spmd(_) | Workload::Multicast(_) | Workload::Multicasts(_) => {
            loaded.experiment.network.nodes() > effort.nodes
        }
    })
}
