//! Looks at a run and judges it: protocol checkers, the ledger of crossings.

mod arrivals;
pub mod checkers;
mod flow;
mod plan;
pub mod rules;
mod tokens;
