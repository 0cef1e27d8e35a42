//! Errors of the estimates: how far an estimate may be off, in per cent to either side.
//!
//! The error of a block covers at least 90 % of the switches of testbenches/rtl/switches.csv that
//! are held out, and of those of the fit. docs/explain/cost.md has these errors.

use super::SwitchShape;

/// A guess, for hardware that no synthesis confirms, in per cent.
pub const GUESSED_PERCENT: f64 = 50.0;
/// Largest number of input lanes of the switches that are held out.
const MOST_LANES: u64 = 12;
/// Largest number of input lanes that an error of a larger switch stands for, and this error.
pub(super) const LARGE: (u64, f64) = (20, 30.0);

/// Errors of the blocks, in per cent.
pub(super) const FIFOS: f64 = 5.0;
pub(super) const DECODERS: f64 = 25.0;
pub(super) const REACH: f64 = 20.0;
pub(super) const STATIONS: f64 = 25.0;
pub(super) const REPLICATION: f64 = 25.0;
pub(super) const ARBITERS: f64 = 25.0;
pub(super) const CROSSBARS: f64 = 15.0;
pub(super) const LANES: f64 = 10.0;
pub(super) const LEVELS: f64 = 20.0;

/// A measured error, if synthesised switches had as many lanes.
fn measured(s: &SwitchShape, percent: f64) -> f64 {
    match s.inputs() {
        0..=MOST_LANES => percent,
        lanes if lanes <= LARGE.0 => percent.max(LARGE.1),
        _ => GUESSED_PERCENT,
    }
}

/// Cells in numbers that the configuration gives.
pub(super) fn of_fifos(_: &SwitchShape) -> f64 {
    FIFOS
}

pub(super) fn of_decoders(_: &SwitchShape) -> f64 {
    DECODERS
}

pub(super) fn of_reach(_: &SwitchShape) -> f64 {
    REACH
}

pub(super) fn of_stations(s: &SwitchShape) -> f64 {
    measured(s, STATIONS)
}

/// Only two switches with synchronous worms are synthesised.
pub(super) fn of_replication(s: &SwitchShape) -> f64 {
    if s.is_synchronous() { GUESSED_PERCENT } else { measured(s, REPLICATION) }
}

pub(super) fn of_arbiters(s: &SwitchShape) -> f64 {
    if s.is_synchronous() { GUESSED_PERCENT } else { measured(s, ARBITERS) }
}

pub(super) fn of_crossbars(s: &SwitchShape) -> f64 {
    measured(s, CROSSBARS)
}

pub(super) fn of_lanes(s: &SwitchShape) -> f64 {
    measured(s, LANES)
}

pub(super) fn of_levels(s: &SwitchShape) -> f64 {
    if s.is_synchronous() { GUESSED_PERCENT } else { measured(s, LEVELS) }
}

/// Mean of errors in per cent, weighted by sizes. The errors of all parts have the same sign at
/// worst.
pub(super) fn mean(parts: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (size, error) = parts.fold((0.0, 0.0), |(size, error), (of, percent)| (size + of, error + of * percent));
    if size > 0.0 { error / size } else { 0.0 }
}
