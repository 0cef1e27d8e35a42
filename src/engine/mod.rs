//! The clock: registers of all instances, what they tell those who watch, and how a run goes on.
//!
//! [`banked`] is the engine that runs, fast: instances side by side in words, those that sleep not evaluated.

pub mod banked;
pub mod event;
pub mod stats;

pub use banked::{Engine, Limits, Outcome, Schedule, Stimulus, UnderWay, address_bits, arbitration, probe};
pub use event::*;
pub use stats::*;
