//! Multicast algorithms: plan in, plan out. They know no engine and are tested without simulating a
//! cycle.
//!
//! One file an algorithm, beside those of its family and what these share, and one row each in
//! [`ALGORITHMS`], the table of names.

// The library does the same.
#![allow(rustdoc::private_intra_doc_links)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![deny(clippy::unwrap_used)] // outside tests

pub mod broadcast;
mod delivery;
pub mod leaders;
mod masks;
pub mod mesh;
pub mod model;
pub mod multistage;
mod networks;
pub mod ordered_chain;
mod parameters;
pub mod paths;
pub mod plan;
mod planner;
mod refusal;
mod table;
pub mod trees;

pub use delivery::Fault;
pub use ordered_chain::{Part, Policy};
pub use parameters::{Costs, Levels, LinearCost, Measured, Parameters};
pub use paths::dual_path::dual_path;
pub use plan::Pieces;
pub use plan::{Plan, Request, Send, Task};
pub use refusal::Refusal;
pub use table::{ALGORITHMS, Algorithm, Unknown, find};

#[cfg(test)]
#[path = "../properties.rs"]
mod properties;
#[cfg(test)]
mod tests;
