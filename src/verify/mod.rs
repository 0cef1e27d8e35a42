//! Looks at a run and judges it: deadlock detection, protocol checkers, the ledger of crossings.

mod arrivals;
pub mod checkers;
pub mod deadlock;
mod flow;
pub mod ledger;
mod plan;
pub mod snapshot;
mod tokens;
mod wait_for;
