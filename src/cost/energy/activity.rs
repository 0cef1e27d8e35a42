//! Activity of the hardware in a run.
//!
//! Two ways of counting give the same counts. The commit log has each flit. Planes have no commit
//! log, but tell each worm that crosses an output lane. If a link has one lane and worms have one
//! branch, the flits of a worm cross one behind the other. So their order on the wires is known
//! (`by_worm.rs`).

use super::by_flit::ByFlit;
use super::by_worm::ByWorm;
use super::counts::Counts;
use crate::engine::snapshot::LaneRef;
use crate::engine::{CommitLog, Observer, Samples, Totals, WormInfo};
use crate::network::{Network, Wiring};

/// Counts during a run.
#[derive(Clone, Debug)]
pub enum Activity {
    /// From the commit log.
    ByFlit(ByFlit),
    /// From the worms that cross output lanes.
    ByWorm(ByWorm),
}

impl Activity {
    /// Counts before a run. The wires of all links are 0. `by_worm` says that the engine tells the
    /// worms that cross output lanes, and that they are enough (`simulation::tells_all_by_worm`).
    #[must_use]
    pub fn new(network: &Network, wiring: &Wiring, by_worm: bool) -> Self {
        if by_worm { Self::ByWorm(ByWorm::new(network, wiring)) } else { Self::ByFlit(ByFlit::new(network, wiring)) }
    }

    /// Counts of a run that has ended with some totals.
    #[must_use]
    pub fn counts(&self, totals: &Totals) -> Counts {
        match self {
            Self::ByFlit(of) => of.counts,
            Self::ByWorm(of) => of.counts(totals),
        }
    }
}

impl Observer for Activity {
    const COMMITS: bool = true;
    const CROSSINGS: bool = true;

    fn wants_commits(&self) -> bool {
        matches!(self, Self::ByFlit(_))
    }

    fn samples(&self) -> Samples {
        Samples::Outputs
    }

    fn commit(&mut self, log: &CommitLog) {
        if let Self::ByFlit(of) = self {
            of.commit(log);
        }
    }

    fn crossed(&mut self, worm: &WormInfo, lane: LaneRef, flits: u32) {
        if let Self::ByWorm(of) = self {
            of.crossed(worm, lane, flits);
        }
    }
}
