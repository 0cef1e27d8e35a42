//! Closed forms and recurrences that need no simulation: what a network would do, worked out by hand.

pub mod contention;
pub mod parameterised;
pub mod tree;
pub mod unblocked;
