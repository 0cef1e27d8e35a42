//! Looks at a run and judges it: deadlock detection.

pub mod deadlock;
pub mod ledger;
pub mod snapshot;
mod wait_for;
