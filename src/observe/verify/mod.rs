//! Judges of a run: protocol checkers and the ledger of crossings.

mod arrivals;
mod bank_flow;
pub mod checkers;
mod due;
mod ends;
mod flow;
mod plan;
pub mod rules;
mod tokens;
mod watched_bank;
