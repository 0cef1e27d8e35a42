//! Judges of a run: protocol checkers and the ledger of crossings.

mod arrivals;
pub mod checkers;
mod flow;
mod plan;
pub mod rules;
mod tokens;
