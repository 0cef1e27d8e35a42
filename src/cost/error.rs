//! Errors of the estimates: how far an estimate may be off, in per cent to either side.
//!
//! A formula that was compared with synthesised hardware has the largest difference of that
//! comparison. Every other formula has a guess. docs/explain/cost.md says which formula has which.

use super::SwitchShape;
use crate::network::Routing;
use wormscope_hw::{Acquisition, Arbiter, Encoding, LaneChoice, Replication};

/// Largest difference between the formulas and the synthesised routers, in per cent.
pub const FITTED_PERCENT: f64 = 7.0;
/// A guess, for formulas that no synthesis confirms, in per cent.
pub const GUESSED_PERCENT: f64 = 50.0;
/// Largest number of input lanes of a synthesised router.
const MOST_LANES: u64 = 17;

/// Source of the error of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The formula was compared with a synthesis.
    Fitted,
    /// It was not.
    Guessed,
}

impl Basis {
    fn when(is_fitted: bool) -> Self {
        if is_fitted { Self::Fitted } else { Self::Guessed }
    }

    /// The error in per cent.
    #[must_use]
    pub fn percent(self) -> f64 {
        match self {
            Self::Fitted => FITTED_PERCENT,
            Self::Guessed => GUESSED_PERCENT,
        }
    }
}

/// Basis of a block that is cells alone, in numbers that the configuration gives.
pub(super) fn of_cells(_: &SwitchShape) -> Basis {
    Basis::Fitted
}

/// Basis of a block that the synthesised routers did not have.
pub(super) fn of_guesses(_: &SwitchShape) -> Basis {
    Basis::Guessed
}

/// Basis of a block whose size follows from the lanes of the switch.
pub(super) fn of_lanes(s: &SwitchShape) -> Basis {
    Basis::when(s.inputs() <= MOST_LANES)
}

pub(super) fn of_decoders(s: &SwitchShape) -> Basis {
    let is_known = s.encodings.iter().all(|encoding| matches!(encoding, Encoding::Unicast | Encoding::BitString));
    let is_mesh = s.network.routing() == Routing::DimensionOrder && !s.network.blueprint().wraps();
    Basis::when(is_known && is_mesh)
}

pub(super) fn of_replication(s: &SwitchShape) -> Basis {
    let is_known = match s.replication() {
        None | Some(Replication::Asynchronous | Replication::Buffered | Replication::Sequential) => true,
        Some(Replication::Lockstep | Replication::Synchronous) => false,
    };
    Basis::when(is_known && s.inputs() <= MOST_LANES)
}

pub(super) fn of_arbiters(s: &SwitchShape) -> Basis {
    let switch = &s.network.switch;
    let is_known = switch.arbiter == Arbiter::RoundRobin
        && switch.acquisition == Acquisition::Incremental
        && switch.lane_choice == LaneChoice::Lowest;
    Basis::when(is_known && s.inputs() <= MOST_LANES)
}

/// Basis of the levels of logic.
pub(super) fn of_levels(s: &SwitchShape) -> Basis {
    let switch = &s.network.switch;
    let is_granted = match switch.acquisition {
        Acquisition::Incremental => switch.arbiter == Arbiter::RoundRobin,
        Acquisition::Atomic => true,
    };
    let has_tokens = s.ports.station.is_some();
    let decides = switch.routing_cycles == 0 && of_decoders(s) == Basis::Guessed;
    Basis::when(is_granted && !has_tokens && !decides && s.inputs() <= MOST_LANES)
}

/// Mean of errors in per cent, weighted by sizes. The errors of all parts have the same sign at
/// worst.
pub(super) fn mean(parts: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (size, error) = parts.fold((0.0, 0.0), |(size, error), (of, percent)| (size + of, error + of * percent));
    if size > 0.0 { error / size } else { 0.0 }
}
