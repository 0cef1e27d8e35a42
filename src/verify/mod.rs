//! Looks at a run and judges it: deadlock detection, what removes a deadlock and what could have avoided it, protocol checkers, the
//! ledger of crossings.

mod arrivals;
pub mod checkers;
pub mod cures;
pub mod deadlock;
mod flow;
pub mod ledger;
pub mod no_return;
mod plan;
pub mod snapshot;
mod tokens;
mod wait_for;
