//! Closed forms and recurrences: results for a network without a simulation.

pub mod contention;
pub mod node_contention;
pub mod parameterised;
pub mod seidel;
pub mod seidel_steps;
pub mod steps;
pub mod tree;
pub mod unblocked;
