//! The multicast algorithms of wormscope, and the closed forms of their papers.
//!
//! An algorithm takes a [`Request`] and makes a [`Plan`]. It knows no engine, and its tests
//! simulate no cycle. Each algorithm has a file in the folder of its family. The folder also has
//! the common parts of the family. It has a row in [`ALGORITHMS`], the table of names.
//!
//! This package is a part of wormscope. The crate `wormscope` shows it as
//! `wormscope::multicast`. Its front page says which names are meant to stay.

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
