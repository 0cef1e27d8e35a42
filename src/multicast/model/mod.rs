//! Closed forms and recurrences that need no simulation: what a network would do, worked out by
//! hand.

pub mod contention;
pub mod node_contention;
pub mod parameterised;
pub mod seidel;
pub mod seidel_steps;
pub mod steps;
pub mod tree;
pub mod unblocked;
