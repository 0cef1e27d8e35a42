//! Regression of wormscope: random networks and traffic, a scoreboard that follows every flit,
//! cycle diagrams.

pub mod diagram;
pub mod drive;
pub mod ledger;
pub mod lone;
pub mod properties;
pub mod random;
pub mod rings;
pub mod scoreboard;
pub mod stalls;

pub use drive::{Arrivals, Script, engine, step, step_until};
