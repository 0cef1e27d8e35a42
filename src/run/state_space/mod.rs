//! A search through all states that a small network can reach.
//!
//! The search begins with the empty network. In each cycle a node with a free channel begins one of
//! its worms or none. [`crate::engine::States`] gives the states that follow, and the search visits
//! each state once, breadth first. A network is deadlocked if it has worms and nothing moves
//! without a new worm, because new worms free no lane.

mod covers;
mod keep;
mod search;
mod store;

pub use covers::check;
pub use search::{Limit, Limits, MOST_ONCE, SearchEnd, SearchProgress, StateSearch};
